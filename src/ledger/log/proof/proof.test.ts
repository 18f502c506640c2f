import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { epochMs } from '../../../json/clock.ts'
import { checkpointOrigin, signCheckpoint } from '../checkpoint.ts'
import { generateSigningKey } from '../keys/signing-key.ts'
import { append, emptyFrontier, frontierRoot } from '../tree/frontier.ts'
import { type Content, commit, type FactsLeaf, hashOfLeaf, type Leaf, type RetirementLeaf } from '../tree/leaf.ts'
import { type Hash, noHash } from '../tree/tree-hash.ts'
import { type AuditProof, makeProof, type ProofGroup } from './proof.ts'
import { verifyProof } from './verify-proof.ts'

const key = generateSigningKey()
const trusted = [key.publicKey]
const tenant = 'Müller & Söhne\n'
const callId = '0199-call'
const at = epochMs(Date.UTC(2026, 5, 1))

interface Stored {
  readonly leaf: FactsLeaf
  readonly index: number
  readonly content: Content
}

/** A log in which three groups of one call stand among those of others, and a retirement after them. */
function makeLog() {
  const nodes = new Map<string, Hash>()
  let frontier = emptyFrontier
  const add = (leaf: Leaf): { readonly index: number; readonly hash: Hash } => {
    const hash = hashOfLeaf(leaf)
    const index = frontier.size
    const appended = append(frontier, hash)
    frontier = appended.frontier
    nodes.set(`0/${index}`, hash)
    for (const node of appended.completed) nodes.set(`${node.level}/${node.index}`, node.hash)
    return { index, hash }
  }
  const other = () =>
    add({
      kind: 'facts',
      tenant,
      callId: `other-${frontier.size}`,
      pass: 1,
      group: 1,
      commitment: noHash,
      previous: noHash,
    })
  const groups: Stored[] = []
  let previous: Hash = noHash
  for (const [group, facts] of ['[{"phase":"resolve"}]', '\ufeff["é😀"]', '[]'].entries()) {
    for (let count = 0; count < 5; count++) other()
    const content = { salt: Buffer.alloc(32, group + 1), bytes: Buffer.from(facts) }
    const leaf: FactsLeaf = {
      kind: 'facts',
      tenant,
      callId,
      pass: 1,
      group: group + 1,
      commitment: commit(content),
      previous,
    }
    const { index, hash } = add(leaf)
    groups.push({ leaf, index, content })
    previous = hash
  }
  const retirementLeaf: RetirementLeaf = {
    kind: 'retirement',
    tenant,
    number: 1,
    from: '0199',
    to: '0200',
    leaves: 2,
    reason: 'kept for 90 days',
    at,
    previous: noHash,
  }
  const retirement = { leaf: retirementLeaf, index: add(retirementLeaf).index }
  other()
  const size = frontier.size
  const checkpoint = signCheckpoint({ origin: checkpointOrigin(tenant), size, root: frontierRoot(frontier), at }, key)
  const hashAt = (level: number, index: number): Hash => nodes.get(`${level}/${index}`) as Hash
  const source = { tenant, callId, checkpoint, size, groups, retirements: [], hashAt, next: undefined }
  return { source, retirement }
}

const log = makeLog()
let proof: AuditProof

beforeAll(() => {
  proof = makeProof(log.source)
})

const edited = (index: number, change: Partial<Record<string, unknown>>) => ({
  ...proof,
  groups: proof.groups.map((group, position) => (position === index ? { ...group, ...change } : group)),
})

describe('a proof', () => {
  it('shows the facts of a call with a public key alone, as text and as a value', () => {
    for (const source of [proof, JSON.stringify(proof), JSON.stringify(proof, undefined, 2)]) {
      expect(verifyProof(source, trusted)).toMatchObject({
        ok: true,
        tenant,
        callId,
        groups: [
          { group: 1, content: 'shown', facts: '[{"phase":"resolve"}]' },
          { group: 2, content: 'shown', facts: '\ufeff["é😀"]' },
          { group: 3, content: 'shown', facts: '[]' },
        ],
        next: undefined,
      })
    }
  })

  it('is nothing to someone who trusts another key', () => {
    expect(verifyProof(proof, [generateSigningKey().publicKey])).toMatchObject({ ok: false, where: '/checkpoint' })
    expect(verifyProof(proof, [])).toMatchObject({ ok: false, where: '/checkpoint' })
  })

  it('shows that content was retired, and says so where it is only left out', () => {
    const gone = log.source.groups.map((group) => (group.leaf.group === 3 ? group : { ...group, content: undefined }))
    const contents = (source: AuditProof) => {
      const check = verifyProof(source, trusted)
      return check.ok && check.groups.map(({ content }) => content)
    }
    const withheld = makeProof({ ...log.source, groups: gone })
    expect(contents(withheld)).toEqual(['withheld', 'withheld', 'shown'])
    const retired = makeProof({ ...log.source, groups: gone, retirements: [log.retirement] })
    expect(contents(retired)).toEqual(['retired', 'retired', 'shown'])
    expect(JSON.stringify(retired)).not.toContain('salt":"01')
    const [shown] = retired.retirements ?? []
    for (const change of [{ to: '0300' }, { leaves: 3 }, { reason: 'none' }, { index: 0 }, { number: 2 }]) {
      const forged = { ...retired, retirements: [{ ...shown, ...change }] }
      expect(verifyProof(forged, trusted)).toMatchObject({ ok: false, where: '/retirements/0' })
    }
  })

  it('fails where facts, salt, order, place or owner were changed, and says where', () => {
    const [first, second, third] = proof.groups as [ProofGroup, ProofGroup, ProofGroup]
    const expectAt = (source: unknown, where: string) =>
      expect(verifyProof(source, trusted)).toMatchObject({ ok: false, where })
    expectAt(edited(0, { facts: '[{"phase":"execute"}]' }), '/groups/0')
    expectAt(edited(2, { facts: '[ ]' }), '/groups/2')
    expectAt(edited(1, { salt: 'ff'.repeat(32) }), '/groups/1')
    expectAt(edited(1, { pass: 2 }), '/groups/1')
    expectAt(edited(1, { index: second.index + 1 }), '/groups/1')
    expectAt(edited(1, { index: first.index }), '/groups/1/index')
    expectAt(edited(1, { previous: third.previous }), '/groups/1/previous')
    expectAt({ ...proof, groups: [second, third] }, '/groups/0/group')
    expectAt({ ...proof, groups: [first, third] }, '/groups/1/group')
    expectAt({ ...proof, groups: [second, first, third] }, '/groups/0/group')
    expectAt({ ...proof, groups: [first, { ...third, group: 2 }] }, '/groups/1/previous')
    expectAt({ ...proof, groups: [] }, '/groups')
    expectAt({ ...proof, call_id: 'another' }, '/groups/0')
    expectAt({ ...proof, tenant: 'another' }, '/tenant')
    expectAt({ ...proof, next: 9 }, '/next')
    expect(verifyProof({ ...proof, next: 4 }, trusted)).toMatchObject({ ok: true, next: 4 })
  })

  it('fails when any byte of any path is changed', () => {
    fc.assert(
      fc.property(fc.nat(2), fc.nat(), fc.nat(31), fc.nat(7), (group, step, byte, bit) => {
        const { path } = proof.groups[group] as ProofGroup
        const changed = path.map((hash, position) => {
          if (position !== step % path.length) return hash
          const bytes = Buffer.from(hash, 'base64')
          bytes[byte] = (bytes[byte] as number) ^ (1 << bit)
          return bytes.toString('base64')
        })
        expect(verifyProof(edited(group, { path: changed }), trusted)).toMatchObject({ where: `/groups/${group}` })
      }),
    )
  })

  it('that is hostile is refused and never throws or works without end', () => {
    const deep = '['.repeat(100_000)
    const cycle: Record<string, unknown> = { ...proof }
    cycle.groups = cycle
    const throwing = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no')
        },
      },
    )
    const getter = {
      ...proof,
      get tenant(): string {
        throw new Error('no')
      },
    }
    const hostile: unknown[] = [
      undefined,
      null,
      1,
      '',
      '{}',
      [],
      deep,
      JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`),
      cycle,
      throwing,
      getter,
      () => proof,
      Symbol('proof'),
      { ...proof, format: 'proviso.audit-proof.v2' },
      { ...proof, extra: true },
      { ...proof, tenant: 1 },
      { ...proof, tenant: 'x'.repeat(100_000) },
      { ...proof, checkpoint: null },
      { ...proof, groups: {} },
      { ...proof, groups: Array(20_000).fill(proof.groups[0]) },
      { ...proof, groups: Array(10_000_000) },
      { ...proof, groups: [null] },
      { ...proof, retirements: [1] },
      { ...proof, retirements: null },
      { ...proof, next: -1 },
      edited(0, { index: -1 }),
      edited(0, { index: 1.5 }),
      edited(0, { index: '5' }),
      edited(0, { index: 2 ** 53 }),
      edited(0, { index: Number.POSITIVE_INFINITY }),
      edited(0, { path: Array(1_000).fill(proof.groups[0]?.path[0]) }),
      edited(0, { path: ['AAAA'] }),
      edited(0, { path: 'AAAA' }),
      edited(0, { salt: 'FF'.repeat(32) }),
      edited(0, { salt: '00' }),
      edited(0, { facts: {} }),
      edited(0, { facts: '\ud800' }),
      edited(0, { facts: undefined }),
      edited(0, { commitment: '00'.repeat(32) }),
      `${JSON.stringify(proof).slice(0, -1)},"tenant":"twice"}`,
    ]
    for (const source of hostile) expect(verifyProof(source, trusted)).toMatchObject({ ok: false })
  })

  it('never throws over any JSON value', () => {
    const value = fc.jsonValue()
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(proof), 'retirements', 'next'), value, (name, replaced) => {
        const check = verifyProof({ ...proof, [name]: replaced }, trusted)
        expect(typeof check.ok).toBe('boolean')
        expect(verifyProof(replaced, trusted).ok).toBe(false)
      }),
    )
    fc.assert(
      fc.property(fc.nat(2), fc.constantFrom(...Object.keys(proof.groups[0] ?? {})), value, (group, name, replaced) => {
        const original = (proof.groups[group] as unknown as Record<string, unknown>)[name]
        fc.pre(JSON.stringify(original) !== JSON.stringify(replaced))
        expect(verifyProof(edited(group, { [name]: replaced }), trusted).ok).toBe(false)
      }),
    )
  })
})
