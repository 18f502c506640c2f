import { describe, expect, it } from 'vitest'
import {
  callId,
  change,
  factsOf,
  key,
  kinds,
  type Log,
  makeLog,
  now,
  sourceOf,
} from '../../../../test/audit/honest-log.ts'
import { epochMs } from '../../../json/clock.ts'
import { checkpointOrigin, signCheckpoint } from '../checkpoint.ts'
import { generateSigningKey } from '../keys/signing-key.ts'
import { commit, hashOfLeaf } from '../tree/leaf.ts'
import type { StoredLeaf } from '../tree/stored-leaf.ts'
import { noHash } from '../tree/tree-hash.ts'
import { type AuditOptions, audit } from './audit.ts'
import { findingKinds } from './audit-finding.ts'

const withoutNodes = (log: Log): void => {
  log.rows = log.rows.map(({ nodes, ...row }) => row)
}
/** What a thorough intruder does: new content, new commitment, new hash. */
const forge = (row: StoredLeaf): StoredLeaf => {
  const content = { salt: Buffer.alloc(32, 99), bytes: Buffer.from('["forged"]') }
  const leaf = { ...factsOf(row), commitment: commit(content) }
  return { ...row, content, leaf, leafHash: hashOfLeaf(leaf) }
}
const swap = (log: Log, one: number, other: number): void => {
  const [first, second] = [log.rows[one], log.rows[other]] as [StoredLeaf, StoredLeaf]
  const at = (row: StoredLeaf, place: StoredLeaf): StoredLeaf => ({
    ...row,
    index: place.index,
    ...(place.nodes && { nodes: place.nodes }),
  })
  log.rows = log.rows.with(one, at(second, first)).with(other, at(first, second))
}

describe('an audit', () => {
  it('finds nothing in untouched logs, and says what they agree with', async () => {
    const one = makeLog('acme')
    const other = makeLog('a/b\n', 7)
    one.log.group(callId(99))
    const report = await audit(sourceOf([one.log, other.log], [one.kept, other.kept]))
    expect(report.findings).toEqual([])
    expect(report).toMatchObject({ ok: true, leaves: 55, contents: 55, retired: 0 })
    expect(report.tenants).toMatchObject([
      { tenant: 'acme', size: 41, agreesWithOwn: 40, agreesWithKept: 40 },
      { tenant: 'a/b\n', size: 14, agreesWithOwn: 14, agreesWithKept: 14 },
    ])
    async function* interleaved() {
      for (let at = 0; at < 41; at++)
        for (const { log } of [one, other]) if (log.rows[at]) yield log.rows[at] as StoredLeaf
    }
    expect(await kinds(sourceOf([one.log, other.log], [], { rows: interleaved() }))).toEqual([])
  })

  it('finds facts that were edited, and a salt that was', async () => {
    const { log, kept } = makeLog()
    change(log, 7, (row) => ({ ...row, content: { salt: Buffer.alloc(32, 7), bytes: Buffer.from('["edited"]') } }))
    change(log, 9, (row) => ({ ...row, content: { salt: Buffer.alloc(5), bytes: Buffer.from('[9]') } }))
    const { findings } = await audit(sourceOf([log], [kept]))
    expect(findings).toMatchObject([
      { kind: 'content_edited', tenant: 'acme', callId: factsOf(log.rows[7] as StoredLeaf).callId, index: 7 },
      { kind: 'content_edited', index: 9 },
    ])
  })

  it('finds facts that were deleted, and a mark of retirement without one', async () => {
    const { log, kept } = makeLog()
    change(log, 7, (row) => ({ ...row, content: 'missing' }))
    change(log, 8, (row) => ({ ...row, content: 'retired' }))
    expect(await kinds(sourceOf([log], [kept]))).toEqual(['fact_deleted', 'retirement_false'])
  })

  it('finds fields of a leaf that were edited, and a hash that was', async () => {
    for (const make of [
      (row: StoredLeaf) => ({ ...row, leaf: { ...row.leaf, pass: 9 } }) as StoredLeaf,
      (row: StoredLeaf) => ({ ...row, leaf: { ...row.leaf, pass: Number.NaN } }) as StoredLeaf,
    ]) {
      const { log, kept } = makeLog()
      change(log, 7, make)
      expect(await kinds(sourceOf([log], [kept]))).toEqual(['leaf_edited'])
    }
    const { log, kept } = makeLog()
    change(log, 7, (row) => ({ ...row, leafHash: Buffer.alloc(3) }))
    expect(await kinds(sourceOf([log], [kept]))).toContain('leaf_edited')
  })

  it('finds an edit that covers its tracks: by chain, by node, and by root', async () => {
    for (let index = 0; index < 40; index++) {
      const { log, kept } = makeLog()
      change(log, index, forge)
      const found = await kinds(sourceOf([log], [kept]))
      expect(found).toContain('root_mismatch')
      expect(found).toContain('node_edited')
      expect(found.includes('chain_broken')).toBe(factsOf(log.rows[index] as StoredLeaf).group === 1)
      expect(found).not.toContain('leaf_edited')
    }
  })

  it('says between which checkpoints the tree was changed, once', async () => {
    const { log, kept } = makeLog()
    change(log, 30, forge)
    withoutNodes(log)
    const { findings } = await audit(sourceOf([log], [kept]))
    const roots = findings.filter(({ kind }) => kind === 'root_mismatch')
    expect(roots).toHaveLength(1)
    expect(roots[0]?.message).toMatch(/leaves 19 to 39/)
  })

  it('finds a deleted leaf as a gap, and as a shorter tree when the rest is moved up', async () => {
    const { log, kept } = makeLog()
    const deleted = log.rows.splice(12, 1)
    const gap = await audit(sourceOf([log], [kept]))
    expect(gap.findings).toContainEqual(expect.objectContaining({ kind: 'leaf_missing', index: 12 }))
    expect(gap.counts.has('root_mismatch')).toBe(false)
    expect(gap.tenants).toMatchObject([{ size: 40, root: undefined, agreesWithKept: 0 }])
    log.rows = log.rows.map((row, index) => ({ ...row, index }))
    withoutNodes(log)
    const found = await kinds(sourceOf([log], [kept]))
    expect(deleted).toHaveLength(1)
    expect(found).toContain('tree_truncated')
    expect(found).toContain('root_mismatch')
  })

  it('finds any two leaves that were exchanged, and where each belongs', async () => {
    for (const [one, other] of [
      [4, 5],
      [4, 22],
      [5, 22],
      [0, 39],
    ] as const) {
      const { log, kept } = makeLog()
      swap(log, one, other)
      const found = await kinds(sourceOf([log], [kept]))
      expect(found).toContain('leaf_reordered')
      expect(found).toContain('root_mismatch')
      expect(found).not.toContain('node_edited')
      withoutNodes(log)
      expect(await kinds(sourceOf([log], [kept]))).toContain('root_mismatch')
    }
  })

  it('finds groups of one call in the wrong order, and a place taken twice', async () => {
    const { log, kept } = makeLog()
    const ofCall = log.rows.filter((row) => factsOf(row).callId === callId(5)).map(({ index }) => index)
    swap(log, ofCall[0] as number, ofCall[1] as number)
    withoutNodes(log)
    const findGroup: AuditOptions['findGroup'] = async (_tenant, call, group) =>
      log.rows.find(({ leaf }) => leaf.kind === 'facts' && leaf.callId === call && leaf.group === group)
    const moved = await audit(sourceOf([log], [kept]), { findGroup })
    expect(moved.findings).toContainEqual(expect.objectContaining({ kind: 'leaf_reordered', callId: callId(5) }))
    expect(await kinds(sourceOf([log], [kept]))).toEqual(expect.arrayContaining(['chain_broken', 'leaf_reordered']))
    const late = makeLog()
    late.log.group(callId(5))
    late.log.group(callId(5))
    const first = late.log.rows.find(({ leaf }) => leaf.kind === 'facts' && leaf.callId === callId(5)) as StoredLeaf
    late.log.rows.splice(41, 0, { ...first, index: 41 })
    late.log.rows = late.log.rows.map((row, index) => ({ ...row, index }))
    withoutNodes(late.log)
    const again = await audit(sourceOf([late.log], [late.kept]))
    expect(again.findings).toMatchObject([{ kind: 'leaf_reordered', callId: callId(5), index: 41 }])
    const twice = makeLog()
    twice.log.rows.splice(3, 0, twice.log.rows[2] as StoredLeaf)
    expect(await kinds(sourceOf([twice.log], [twice.kept]))).toEqual(['leaf_reordered'])
  })

  it('finds a tail that was cut off, also together with the checkpoints over it', async () => {
    const { log, kept } = makeLog()
    log.rows = log.rows.slice(0, 25)
    expect(await kinds(sourceOf([log], []))).toEqual(['tree_truncated'])
    log.own.pop()
    expect(await kinds(sourceOf([log], []))).toEqual([])
    expect(await kinds(sourceOf([log], [kept]))).toEqual(['checkpoint_rolled_back', 'tree_truncated'])
  })

  it('finds a log that is gone altogether', async () => {
    const { log, kept } = makeLog()
    const gone = makeLog('gone')
    expect(await kinds(sourceOf([log], [kept, gone.kept]))).toEqual(['checkpoint_rolled_back', 'tree_truncated'])
    gone.log.rows = []
    expect(await kinds(sourceOf([log, gone.log], [kept]))).toEqual(['tree_truncated'])
  })

  it('passes over checkpoints of tenants it was not asked about', async () => {
    const { log, kept } = makeLog()
    const other = makeLog('other')
    const source = { everyTenant: false, own: [...log.own, ...other.log.own] }
    expect(await kinds(sourceOf([log], [kept, other.kept], source))).toEqual([])
  })

  it('finds a leaf that was moved to another tenant', async () => {
    const here = makeLog('acme')
    const there = makeLog('other', 5)
    const moved = here.log.rows[6] as StoredLeaf
    change(there.log, 6, (row) => ({
      ...moved,
      tenant: 'other',
      leaf: { ...moved.leaf, tenant: 'other' },
      nodes: row.nodes ?? [],
    }))
    const { findings } = await audit(sourceOf([here.log, there.log], [here.kept, there.kept]))
    expect(findings).toContainEqual(
      expect.objectContaining({
        kind: 'wrong_tenant',
        tenant: 'other',
        index: 6,
        message: expect.stringContaining('acme'),
      }),
    )
    change(there.log, 6, (row) => ({ ...row, leaf: moved.leaf }))
    expect(await kinds(sourceOf([here.log, there.log], [here.kept, there.kept]))).toContain('wrong_tenant')
  })

  it('finds checkpoints that are forged, and those that contradict each other', async () => {
    const { log, kept } = makeLog()
    const stranger = generateSigningKey()
    const head = { origin: checkpointOrigin('acme'), size: 40, root: noHash, at: now }
    expect(await kinds(sourceOf([log], [signCheckpoint(head, stranger)]))).toEqual(['checkpoint_forged'])
    expect(await kinds(sourceOf([log], [kept.replace('40', '41')]))).toEqual(['checkpoint_forged'])
    expect(await kinds(sourceOf([log], ['rubbish']))).toEqual(['checkpoint_forged'])
    expect(await kinds(sourceOf([log], [signCheckpoint(head, key)]))).toEqual([
      'checkpoint_rolled_back',
      'root_mismatch',
    ])
    expect(await kinds(sourceOf([log], [], { own: log.own.toReversed() }))).toEqual(['checkpoint_rolled_back'])
  })

  it('finds a hash of the tree that was edited or never stored', async () => {
    const { log, kept } = makeLog()
    change(log, 31, (row) => ({
      ...row,
      nodes: (row.nodes ?? []).map((node) => (node.level === 3 ? { ...node, hash: noHash } : node)),
    }))
    change(log, 35, (row) => ({ ...row, nodes: [] }))
    const { findings } = await audit(sourceOf([log], [kept]))
    expect(findings.map(({ kind, place }) => [kind, place])).toEqual([
      ['node_edited', 'node 3 of level 3'],
      ['node_edited', 'node 17 of level 1'],
    ])
  })

  it('finds groups that have waited for longer than the log allows', async () => {
    const { log, kept } = makeLog()
    const waiting = [59_000, 61_000].map((age, at) => ({
      tenant: 'acme',
      callId: callId(at),
      group: 3,
      committedAt: epochMs(now - age),
    }))
    const { findings } = await audit(sourceOf([log], [kept], { waiting }))
    expect(findings).toMatchObject([{ kind: 'unlogged', callId: callId(1) }])
  })

  it('finds facts that the log has gone past, whenever they were put there', async () => {
    const { log, kept } = makeLog()
    const waiting = [{ tenant: 'acme', callId: callId(1), group: 3, committedAt: undefined }]
    const { findings } = await audit(sourceOf([log], [kept], { waiting }))
    expect(findings).toMatchObject([{ kind: 'unlogged', message: expect.stringContaining('gone past') }])
  })

  it('finds facts that are stored as those of another tenant or pass', async () => {
    const { log, kept } = makeLog()
    change(log, 7, (row) => ({ ...row, contentOf: { tenant: 'other', pass: 1 } }))
    change(log, 9, (row) => ({ ...row, contentOf: { tenant: 'acme', pass: 2 } }))
    change(log, 11, (row) => ({ ...row, contentOf: { tenant: 'acme', pass: 1 } }))
    const { findings } = await audit(sourceOf([log], [kept]))
    expect(findings).toMatchObject([
      { kind: 'wrong_tenant', index: 7 },
      { kind: 'content_edited', index: 9 },
    ])
  })

  it('finds a head that is not that of the leaves', async () => {
    const { log, kept } = makeLog()
    const report = await audit(sourceOf([log], [kept]))
    const head = { tenant: 'acme', size: 40, root: report.tenants[0]?.root }
    const withHead = (change: Partial<typeof head>) =>
      kinds(sourceOf([log], [kept], { heads: [{ ...head, ...change }] }))
    expect(await withHead({})).toEqual([])
    expect(await withHead({ root: noHash })).toEqual(['root_mismatch'])
    expect(await withHead({ root: undefined })).toEqual(['root_mismatch'])
    expect(await withHead({ size: 41 })).toEqual(['tree_truncated'])
    expect(await withHead({ size: 39 })).toEqual(['root_mismatch'])
    expect(await kinds(sourceOf([log], [kept], { heads: [] }))).toEqual(['root_mismatch'])
  })

  it('forgets a bounded number of calls and looks up those that come back', async () => {
    const { log, kept } = makeLog()
    let lookups = 0
    const findGroup: AuditOptions['findGroup'] = async (_tenant, call, group) => {
      lookups++
      return log.rows.find(({ leaf }) => leaf.kind === 'facts' && leaf.callId === call && leaf.group === group)
    }
    expect(await kinds(sourceOf([log], [kept]), { findGroup, callsInFlight: 2 })).toEqual([])
    expect(lookups).toBeGreaterThan(10)
    change(log, 0, forge)
    expect(await kinds(sourceOf([log], [kept]), { findGroup, callsInFlight: 2 })).toContain('chain_broken')
    expect(await kinds(sourceOf([log], [kept]), { findGroup: async () => undefined, callsInFlight: 2 })).toContain(
      'chain_broken',
    )
  })

  it('lists so many findings of a kind and counts the rest, and tells how far it is', async () => {
    const { log, kept } = makeLog('acme', 5_000)
    log.rows = log.rows.map((row) => ({ ...row, content: 'missing' }))
    const steps: number[] = []
    const report = await audit(sourceOf([log], [kept]), {
      mostOfAKind: 3,
      onProgress: ({ leaves }) => steps.push(leaves),
    })
    expect(report.findings).toHaveLength(3)
    expect(report.counts.get('fact_deleted')).toBe(10_000)
    expect(steps).toEqual([8_192])
  })
})

describe('the kinds of findings', () => {
  it('each say what they mean in one sentence', () => {
    for (const sentence of Object.values(findingKinds)) expect(sentence).toMatch(/^[A-Z][^.]+\.$/)
  })
})
