// The audit of stored logs: one pass over the leaves, in order of index within each tenant, against signed checkpoints.
// Relative to a checkpoint kept elsewhere, no edit, deletion, reordering or truncation below its size goes unfound.
import type { EpochMs } from '../../../json/clock.ts'
import { checkpointOrigin } from '../checkpoint.ts'
import { commit } from '../tree/leaf.ts'
import type { StoredLeaf } from '../tree/stored-leaf.ts'
import { type Hash, hashBytes, sameHash } from '../tree/tree-hash.ts'
import { type BoundRows, checkBound, noteRebuilt } from './audit-calls.ts'
import { type ChainCheck, checkChain, type FindGroup } from './audit-chain.ts'
import { type CheckpointTexts, type HeldCheckpoint, judgeCheckpoints } from './audit-checkpoints.ts'
import { type AuditFinding, type AuditFindings, type FindingKind, gatherFindings } from './audit-finding.ts'
import { checkLeaf, homeFinder } from './audit-leaf.ts'
import {
  checkRetirements,
  type RetirementCheck,
  type RetirementReport,
  type StoredRetirement,
} from './audit-retirements.ts'
import { checkTree, type TreeCheck, type TreeSummary } from './audit-tree.ts'

/** A group of facts, or a retirement, that is committed and has no place in the log yet. */
export interface WaitingGroup {
  readonly tenant: string
  readonly callId: string
  readonly group: number
  /** Undefined where the log has gone past it: it was put there afterwards, under a number from before. */
  readonly committedAt: EpochMs | undefined
}

/** The head that the next leaf will be appended to. It is not signed, but a change of it spoils what follows. */
export interface StoredHead {
  readonly tenant: string
  readonly size: number
  /** Undefined where what is stored cannot be the head of a tree. */
  readonly root: Hash | undefined
}

/** Everything read in one snapshot of the ledger, or what happens meanwhile looks like a fault. */
export interface AuditSource extends CheckpointTexts {
  readonly rows: AsyncIterable<StoredLeaf> | Iterable<StoredLeaf>
  /** Those whose rows are given; a checkpoint of any other is passed over, unless `everyTenant` is said. */
  readonly tenants: readonly string[]
  /** The rows are those of all tenants: a checkpoint of a tenant without rows means that its log is gone. */
  readonly everyTenant: boolean
  readonly retirements: readonly StoredRetirement[]
  readonly heads?: readonly StoredHead[]
  /** What is stored beside the facts; read after the rows. */
  readonly bound?: BoundRows
  /** What differs from what is rebuilt from facts; read last. */
  readonly rebuilt?: () => Promise<readonly AuditFinding[]>
  readonly waiting: AsyncIterable<WaitingGroup> | Iterable<WaitingGroup>
  readonly mergeDelayMs: number
  readonly now: EpochMs
}

export interface AuditOptions {
  /** Lets the audit remember only `callsInFlight` calls at a time; without it, it remembers every call. */
  readonly findGroup?: FindGroup
  readonly callsInFlight?: number
  readonly mostOfAKind?: number
  readonly onProgress?: (progress: { readonly tenant: string; readonly leaves: number }) => void
}

export interface TenantReport extends TreeSummary {
  readonly tenant: string
}

export interface AuditReport {
  readonly ok: boolean
  readonly findings: readonly AuditFinding[]
  readonly counts: ReadonlyMap<FindingKind, number>
  readonly tenants: readonly TenantReport[]
  readonly retirements: readonly RetirementReport[]
  readonly leaves: number
  /** Leaves whose content was there and was checked. */
  readonly contents: number
  /** Leaves whose content is gone and accounted for. */
  readonly retired: number
}

interface TenantCheck {
  readonly tenant: string
  readonly tree: TreeCheck
  readonly chain: ChainCheck
  readonly retirements: RetirementCheck
}

const progressEvery = 8_192

export async function audit(source: AuditSource, options: AuditOptions = {}): Promise<AuditReport> {
  const findings = gatherFindings(options.mostOfAKind ?? 1_000)
  const held = judgeCheckpoints(source, findings)
  const open = (tenant: string): TenantCheck => openTenant({ tenant, source, held, options, findings })
  const checks = new Map(source.tenants.map((tenant) => [tenant, open(tenant)]))
  const findHome = homeFinder(source.tenants)
  const tally = { leaves: 0, contents: 0, retired: 0 }

  for await (const row of source.rows) {
    let check = checks.get(row.tenant)
    if (check === undefined) {
      check = open(row.tenant)
      checks.set(row.tenant, check)
    }
    const hash = checkLeaf(row, findHome, findings)
    if (check.tree.take(row, hash)) {
      const looked = check.chain(row, hash)
      if (looked !== undefined) await looked
      if (row.leaf.kind === 'retirement') check.retirements.meet(row, hash)
      const content = checkContent(row, check, findings)
      if (content !== undefined) tally[content]++
    }
    if (++tally.leaves % progressEvery === 0) options.onProgress?.({ tenant: row.tenant, leaves: tally.leaves })
  }

  const retirements = [...checks.values()].flatMap((check) => check.retirements.finish())
  const tenants = [...checks.values()].map(({ tenant, tree }) => ({ tenant, ...tree.finish() }))
  if (source.heads !== undefined) noteHeads(source.heads, tenants, findings)
  if (source.everyTenant) noteLostLogs(held, checks, findings)
  await noteUnlogged(source, findings)
  if (source.bound !== undefined) await checkBound(source.bound, findings)
  if (source.rebuilt !== undefined) noteRebuilt(await source.rebuilt(), findings)
  const { list, counts } = findings
  return { ok: counts.size === 0, findings: list, counts, tenants, retirements, ...tally }
}

interface TenantInput {
  readonly tenant: string
  readonly source: AuditSource
  readonly held: ReadonlyMap<string, readonly HeldCheckpoint[]>
  readonly options: AuditOptions
  readonly findings: AuditFindings
}

function openTenant({ tenant, source, held, options, findings }: TenantInput): TenantCheck {
  const { findGroup, callsInFlight = 100_000 } = options
  const own = source.retirements.filter(({ leaf }) => leaf.tenant === tenant)
  return {
    tenant,
    tree: checkTree(tenant, held.get(checkpointOrigin(tenant)) ?? [], findings),
    chain: checkChain({ tenant, callsInFlight, findGroup }, findings),
    retirements: checkRetirements(tenant, own, findings),
  }
}

function checkContent(
  row: StoredLeaf,
  check: TenantCheck,
  findings: AuditFindings,
): 'contents' | 'retired' | undefined {
  const { leaf, content, tenant, index } = row
  if (leaf.kind === 'retirement') return undefined
  const { callId } = leaf
  const place = `leaf ${index}, group ${leaf.group} of call ${callId}`
  if (typeof content === 'object') {
    const whose = row.contentOf
    if (whose !== undefined && whose.tenant !== tenant) {
      const message = `The facts are stored as those of the tenant ${JSON.stringify(whose.tenant)}.`
      findings.note({ kind: 'wrong_tenant', tenant, callId, index, place, message })
      return undefined
    }
    const samePass = whose === undefined || whose.pass === leaf.pass
    if (samePass && content.salt.length === hashBytes && sameHash(commit(content), leaf.commitment)) return 'contents'
    const message = 'The stored facts or their salt were edited.'
    findings.note({ kind: 'content_edited', tenant, callId, index, place, message })
    return undefined
  }
  if (check.retirements.accountFor(callId, index)) return 'retired'
  const [kind, message] =
    content === 'retired'
      ? (['retirement_false', 'It is marked as retired, and no retirement in the log covers it.'] as const)
      : (['fact_deleted', 'The facts are gone, and no retirement in the log covers them.'] as const)
  findings.note({ kind, tenant, callId, index, place, message })
  return undefined
}

function noteHeads(heads: readonly StoredHead[], trees: readonly TenantReport[], findings: AuditFindings): void {
  const stored = new Map(heads.map((head) => [head.tenant, head]))
  for (const { tenant, size, root } of trees) {
    const head = stored.get(tenant) ?? { tenant, size: 0, root: undefined }
    const same = head.size === size && head.root !== undefined && (root === undefined || sameHash(head.root, root))
    if (same || (size === 0 && !stored.has(tenant))) continue
    const kind = head.size > size ? 'tree_truncated' : 'root_mismatch'
    const message =
      head.size === size
        ? 'It is not the head of the stored leaves.'
        : `It counts ${head.size} leaves; ${size} are stored.`
    findings.note({ kind, tenant, index: Math.min(head.size, size), place: 'head of the log', message })
  }
}

function noteLostLogs(
  held: ReadonlyMap<string, readonly HeldCheckpoint[]>,
  checks: ReadonlyMap<string, TenantCheck>,
  findings: AuditFindings,
): void {
  const known = new Set([...checks.keys()].map(checkpointOrigin))
  for (const [origin, checkpoints] of held) {
    const size = checkpoints.at(-1)?.size ?? 0
    if (known.has(origin) || size === 0) continue
    const message = `${size} leaves were signed for; the whole log is gone.`
    findings.note({ kind: 'tree_truncated', tenant: origin, index: 0, place: `log ${origin}`, message })
  }
}

async function noteUnlogged(
  { waiting, retirements, mergeDelayMs, now }: AuditSource,
  findings: AuditFindings,
): Promise<void> {
  const since = (at: EpochMs | undefined) =>
    at === undefined
      ? 'The log has gone past it: it was put there afterwards, under a number from before.'
      : `It has waited for ${Math.round((now - at) / 1_000)} s; ${mergeDelayMs / 1_000} s is the limit.`
  for await (const { tenant, callId, group, committedAt } of waiting) {
    if (committedAt !== undefined && now - committedAt <= mergeDelayMs) continue
    const place = `group ${group} of call ${callId}`
    findings.note({ kind: 'unlogged', tenant, callId, place, message: since(committedAt) })
  }
  for (const { index, leaf } of retirements) {
    if (index !== undefined || now - leaf.at <= mergeDelayMs) continue
    findings.note({
      kind: 'unlogged',
      tenant: leaf.tenant,
      place: `retirement ${leaf.number}`,
      message: since(leaf.at),
    })
  }
}
