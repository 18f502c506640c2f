// Logs in memory as an honest sequencer stores them, with keys and checkpoints, for tests that then tamper with them.
import { expect } from 'vitest'
import { epochMs } from '../../src/json/clock.ts'
import { type AuditOptions, type AuditSource, audit } from '../../src/ledger/log/audit/audit.ts'
import { checkpointOrigin, signCheckpoint } from '../../src/ledger/log/checkpoint.ts'
import { generateSigningKey } from '../../src/ledger/log/keys/signing-key.ts'
import { append, emptyFrontier, frontierRoot, type TreeFrontier } from '../../src/ledger/log/tree/frontier.ts'
import { commit, type FactsLeaf, hashOfLeaf, type Leaf, type RetirementLeaf } from '../../src/ledger/log/tree/leaf.ts'
import type { StoredLeaf } from '../../src/ledger/log/tree/stored-leaf.ts'
import { type Hash, noHash } from '../../src/ledger/log/tree/tree-hash.ts'

export const key = generateSigningKey()
export const now = epochMs(Date.UTC(2026, 5, 1))
export const callId = (number: number) => `0199-${String(number).padStart(8, '0')}`

/** A log as an honest sequencer stores it, which the tests then tamper with. */
export class Log {
  readonly tenant: string
  rows: StoredLeaf[] = []
  readonly own: string[] = []
  #frontier: TreeFrontier = emptyFrontier
  readonly #last = new Map<string, { readonly group: number; readonly hash: Hash }>()

  constructor(tenant: string) {
    this.tenant = tenant
  }

  add(leaf: Leaf, content: StoredLeaf['content']): Hash {
    const leafHash = hashOfLeaf(leaf)
    const { frontier, completed } = append(this.#frontier, leafHash)
    this.rows.push({ tenant: this.tenant, index: this.#frontier.size, leafHash, leaf, content, nodes: completed })
    this.#frontier = frontier
    return leafHash
  }

  group(call: string, facts = `[${this.rows.length}]`): void {
    const last = this.#last.get(call)
    const group = (last?.group ?? 0) + 1
    const content = { salt: Buffer.alloc(32, this.rows.length), bytes: Buffer.from(facts) }
    const previous = last?.hash ?? noHash
    const leaf: FactsLeaf = {
      kind: 'facts',
      tenant: this.tenant,
      callId: call,
      pass: 1,
      group,
      commitment: commit(content),
      previous,
    }
    this.#last.set(call, { group, hash: this.add(leaf, content) })
  }

  retire(from: string, to: string): RetirementLeaf {
    const isIn = ({ leaf }: StoredLeaf) => leaf.kind === 'facts' && leaf.callId >= from && leaf.callId < to
    const leaves = this.rows.filter((row) => isIn(row) && typeof row.content === 'object').length
    this.rows = this.rows.map((row) => (isIn(row) ? { ...row, content: 'retired' } : row))
    const last = this.#last.get('')
    const leaf: RetirementLeaf = {
      kind: 'retirement',
      tenant: this.tenant,
      number: (last?.group ?? 0) + 1,
      from,
      to,
      leaves,
      reason: 'kept for 90 days',
      at: now,
      previous: last?.hash ?? noHash,
    }
    this.#last.set('', { group: leaf.number, hash: this.add(leaf, undefined) })
    return leaf
  }

  sign(): string {
    const { size } = this.#frontier
    const root = frontierRoot(this.#frontier)
    const text = signCheckpoint({ origin: checkpointOrigin(this.tenant), size, root, at: now }, key)
    this.own.push(text)
    return text
  }
}

/** Twenty calls of two groups each, the second some leaves after the first. */
export function makeLog(tenant = 'acme', calls = 20): { readonly log: Log; readonly kept: string } {
  const log = new Log(tenant)
  for (let number = 0; number < calls + 3; number++) {
    if (number < calls) log.group(callId(number))
    if (number >= 3) log.group(callId(number - 3))
    if (number === 10) log.sign()
  }
  return { log, kept: log.sign() }
}

export function sourceOf(
  logs: readonly Log[],
  kept: readonly string[],
  changes: Partial<AuditSource> = {},
): AuditSource {
  const rows = logs.flatMap(({ rows }) => rows)
  return {
    rows,
    tenants: logs.map(({ tenant }) => tenant),
    everyTenant: true,
    retirements: rows.flatMap(({ index, leaf }) => (leaf.kind === 'retirement' ? [{ index, leaf }] : [])),
    own: logs.flatMap(({ own }) => own),
    kept,
    keys: [key.publicKey],
    waiting: [],
    mergeDelayMs: 60_000,
    now,
    ...changes,
  }
}

/** What an audit finds, by kind. */
export async function kinds(source: AuditSource, options?: AuditOptions): Promise<readonly string[]> {
  const { findings, ok } = await audit(source, options)
  expect(ok).toBe(findings.length === 0)
  return findings.map(({ kind }) => kind)
}

/** Puts another row in the place of one. */
export const change = (log: Log, index: number, make: (row: StoredLeaf) => StoredLeaf): void => {
  log.rows = log.rows.map((row) => (row.index === index ? make(row) : row))
}

export const factsOf = ({ leaf }: StoredLeaf): FactsLeaf => {
  if (leaf.kind !== 'facts') throw new Error('Not a leaf of facts')
  return leaf
}
