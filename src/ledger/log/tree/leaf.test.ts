import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalize } from '../../../json/canonical.ts'
import { epochMs } from '../../../json/clock.ts'
import { commit, type FactsLeaf, hashOfLeaf, type Leaf, leafText, type RetirementLeaf, retires } from './leaf.ts'
import { leafHash, noHash } from './tree-hash.ts'

const salt = Buffer.alloc(32, 7)
const facts: FactsLeaf = {
  kind: 'facts',
  tenant: 'acme',
  callId: '0199-1',
  pass: 1,
  group: 1,
  commitment: commit({ salt, bytes: Buffer.from('{"approved":true}') }),
  previous: noHash,
}
const retirement: RetirementLeaf = {
  kind: 'retirement',
  tenant: 'acme',
  number: 1,
  from: '0100',
  to: '0200',
  leaves: 12,
  reason: 'kept for 90 days',
  at: epochMs(1_767_225_600_000),
  previous: noHash,
}

describe('a commitment', () => {
  it('is the hash of tag, salt and content, and tells apart what differs in either', () => {
    const bytes = Buffer.from('{"approved":true}')
    const expected = createHash('sha256').update('proviso.audit-content.v1\n').update(salt).update(bytes).digest()
    expect(Buffer.from(commit({ salt, bytes })).equals(expected)).toBe(true)
    expect(commit({ salt, bytes: Buffer.from('{"approved":false}') })).not.toEqual(expected)
    expect(commit({ salt: Buffer.alloc(32, 8), bytes })).not.toEqual(expected)
  })

  it('is the same kind of hash for content of any size', () => {
    for (const size of [0, 16_327, 16_328, 100_000]) {
      const bytes = Buffer.alloc(size, 3)
      const expected = createHash('sha256')
        .update('proviso.audit-content.v1\n')
        .update(salt)
        .update(bytes)
        .digest('hex')
      expect(Buffer.from(commit({ salt, bytes })).toString('hex')).toBe(expected)
    }
  })

  it('takes no salt of another length, because bytes could pass from salt to content', () => {
    expect(() => commit({ salt: Buffer.alloc(31), bytes: Buffer.alloc(0) })).toThrow(RangeError)
  })
})

describe('a leaf', () => {
  it('is a canonical array that anyone can write again', () => {
    const commitment = Buffer.from(facts.commitment).toString('hex')
    const zeros = '0'.repeat(64)
    expect(leafText(facts)).toBe(`["proviso.audit-leaf.v1","facts","acme","0199-1",1,1,"${commitment}","${zeros}"]`)
    expect(leafText(retirement)).toBe(
      `["proviso.audit-leaf.v1","retirement","acme",1,"0100","0200",12,"kept for 90 days",1767225600000,"${zeros}"]`,
    )
    expect(hashOfLeaf(facts)).toEqual(leafHash(Buffer.from(leafText(facts))))
  })

  it('is written as the whole array would be, for all names', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        fc.nat(),
        fc.nat(),
        (tenant, callId, pass, group) => {
          const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex')
          const leaf: FactsLeaf = { ...facts, tenant, callId, pass, group }
          const fields = [
            'proviso.audit-leaf.v1',
            'facts',
            tenant,
            callId,
            pass,
            group,
            hex(leaf.commitment),
            hex(leaf.previous),
          ]
          expect(leafText(leaf)).toBe(canonicalize(fields))
        },
      ),
    )
  })

  it('has another hash when any field differs', () => {
    const other = Buffer.alloc(32, 1)
    const variants: Leaf[] = [
      facts,
      { ...facts, tenant: 'acme2' },
      { ...facts, callId: '0199-2' },
      { ...facts, pass: 2 },
      { ...facts, group: 2 },
      { ...facts, commitment: other },
      { ...facts, previous: other },
      retirement,
      { ...retirement, tenant: 'other' },
      { ...retirement, number: 2 },
      { ...retirement, from: '0101' },
      { ...retirement, to: '0201' },
      { ...retirement, leaves: 13 },
      { ...retirement, reason: '' },
      { ...retirement, at: epochMs(0) },
      { ...retirement, previous: other },
    ]
    const hashes = variants.map((leaf) => Buffer.from(hashOfLeaf(leaf)).toString('hex'))
    expect(new Set(hashes).size).toBe(variants.length)
  })

  it('keeps apart names that would run together', () => {
    const name = fc.string({ unit: fc.constantFrom('a', '"', ',', '\\', '1', '\u0000', '\ud800'), maxLength: 5 })
    fc.assert(
      fc.property(name, name, name, name, (tenant, callId, otherTenant, otherCall) => {
        fc.pre(tenant !== otherTenant || callId !== otherCall)
        expect(hashOfLeaf({ ...facts, tenant, callId })).not.toEqual(
          hashOfLeaf({ ...facts, tenant: otherTenant, callId: otherCall }),
        )
      }),
    )
  })

  it('is hashed from what retention leaves behind', () => {
    const { commitment, ...rest } = facts
    expect(hashOfLeaf({ ...rest, commitment: Buffer.from(commitment) })).toEqual(hashOfLeaf(facts))
  })
})

describe('a retirement', () => {
  it('covers the calls of its range that stood in the log before it', () => {
    expect(retires(retirement, 10, '0100', 9)).toBe(true)
    expect(retires(retirement, 10, '01ff', 9)).toBe(true)
    expect(retires(retirement, 10, '0200', 9)).toBe(false)
    expect(retires(retirement, 10, '00ff', 9)).toBe(false)
    expect(retires(retirement, 10, '0150', 10)).toBe(false)
    expect(retires(retirement, 10, '0150', 11)).toBe(false)
  })
})
