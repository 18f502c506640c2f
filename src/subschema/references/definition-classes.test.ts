import { expect, it } from 'vitest'
import type { JsonValue } from '../../json/value.ts'
import { preprocess } from '../../schema/preprocess.ts'
import { classesOf } from './definition-classes.ts'

/** The classes of the definitions, in the order of their names; equal numbers are equal classes. */
function classes($defs: { readonly [name: string]: JsonValue }): readonly number[] {
  const names = Object.keys($defs)
  const read = preprocess({ $defs, allOf: names.map((name) => ({ $ref: `#/$defs/${name}` })) }, { formats: 'annotate' })
  if (!read.ok) throw new Error(read.refusals[0]?.message)
  const found = [...(classesOf([read.schema]).get(read.schema)?.entries() ?? [])]
  return names.map((name) => found.find(([key]) => key.endsWith(`/${name}`))?.[1] as number)
}

const to = (name: string): JsonValue => ({ properties: { next: { $ref: `#/$defs/${name}` } } })

it('knows equal definitions without cycles under any names', () => {
  const [a, b, c, d] = classes({ a: to('b'), b: { type: 'null' }, c: to('d'), d: { title: 'nothing', type: 'null' } })
  expect([a, b]).toEqual([c, d])
  expect(a).not.toBe(b)
})

it('knows cycles that mean the same, also of another length or with a step in front', () => {
  const own = classes({ self: to('self'), one: to('two'), two: to('one'), before: to('self'), first: to('before') })
  expect(new Set(own).size).toBe(1)
})

it('tells cycles apart by what differs far away', () => {
  const ring = (name: string, length: number): { readonly [name: string]: JsonValue } =>
    Object.fromEntries(
      Array.from({ length }, (_, index) => [
        `${name}${index}`,
        { ...(to(`${name}${(index + 1) % length}`) as object), minProperties: index === 0 ? 1 : 2 },
      ]),
    )
  const own = classes({ ...ring('a', 5), ...ring('b', 6), ...ring('c', 5) })
  expect(own.slice(0, 5)).toEqual(own.slice(11))
  expect(new Set(own).size).toBe(11)
})

it('takes a definition above two different cycles for neither', () => {
  const [one, other, left, right, alsoLeft] = classes({
    one: { ...(to('one') as object), minProperties: 1 },
    other: { ...(to('other') as object), minProperties: 2 },
    left: to('one'),
    right: to('other'),
    alsoLeft: to('one'),
  })
  expect(left).toBe(alsoLeft)
  expect(new Set([one, other, left, right]).size).toBe(4)
})
