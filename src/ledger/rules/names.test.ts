// Names are compared as the database compares them.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareNames, ownedName } from './names.ts'

const bytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

it('puts a character beyond the first 65,536 behind one before them, as its bytes stand', () => {
  expect('\u{1F600}' < '\uFFFD').toBe(true)
  expect(compareNames('a\u{1F600}', 'a\uFFFD')).toBeGreaterThan(0)
})

it('is the order of bytes, of all texts, also of those with half a character', () => {
  const unit = fc.oneof(
    fc.constantFrom('a', 'b', '\u00e9', '\ud7ff', '\ud83d', '\ude00', '\ue000', '\uffff', '\u{1F600}', '\u{1F601}'),
    fc.string({ unit: 'binary', maxLength: 1 }),
  )
  const name = fc.array(unit, { maxLength: 5 }).map((units) => units.join(''))
  fc.assert(
    fc.property(name, name, (a, b) => {
      expect(Math.sign(compareNames(a, b))).toBe(bytes(a, b))
    }),
    { numRuns: 2_000 },
  )
})

it('keeps names of two tenants apart', () => {
  expect(ownedName('a', 'bc')).not.toBe(ownedName('ab', 'c'))
})
