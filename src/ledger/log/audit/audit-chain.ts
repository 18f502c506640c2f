// Follows the groups of each call, and the retirements of each tenant, through the log: each names the hash of the one
// before it. Remembers so many calls; a call that comes back after longer is looked up where it is stored.

import type { Leaf } from '../tree/leaf.ts'
import { leafCall, type StoredLeaf } from '../tree/stored-leaf.ts'
import { type Hash, noHash, sameHash } from '../tree/tree-hash.ts'
import type { AuditFindings } from './audit-finding.ts'

/** Finds the leaf of a group of a call in the tenant's log. */
export type FindGroup = (
  tenant: string,
  callId: string,
  group: number,
) => Promise<{ readonly index: number; readonly leafHash: Hash } | undefined>

interface Link {
  readonly group: number
  readonly hash: Hash
}

export interface ChainOptions {
  readonly tenant: string
  /** How many calls are remembered where others can be looked up. */
  readonly callsInFlight: number
  readonly findGroup: FindGroup | undefined
}

/** The check returns a promise only where it had to look something up: most rows cost no turn of the event loop. */
export type ChainCheck = (row: StoredLeaf, hash: Hash) => Promise<void> | undefined

export function checkChain({ tenant, callsInFlight, findGroup }: ChainOptions, findings: AuditFindings): ChainCheck {
  const calls = new Map<string, Link>()
  let retirement: Link | undefined

  const remember = (leaf: Leaf, link: Link): void => {
    if (leaf.kind === 'retirement') {
      retirement = link
      return
    }
    // Taken out first, so that the map stays in order of last use.
    calls.delete(leaf.callId)
    calls.set(leaf.callId, link)
    if (findGroup === undefined || calls.size <= callsInFlight) return
    for (const oldest of calls.keys()) {
      calls.delete(oldest)
      return
    }
  }

  const judge = (row: StoredLeaf, before: Link | undefined): void => {
    const fault = faultOf(row.leaf, before)
    if (fault === undefined) return
    const place = `leaf ${row.index}, ${nameOf(row.leaf)}`
    findings.note({ ...fault, tenant, ...leafCall(row.leaf), index: row.index, place })
  }

  return (row, hash) => {
    const { leaf } = row
    const before = leaf.kind === 'retirement' ? retirement : calls.get(leaf.callId)
    const group = numberOf(leaf)
    // A group that comes too late is a finding of its own; the next group does not continue it.
    remember(leaf, before !== undefined && group <= before.group ? before : { group, hash })
    if (leaf.kind === 'facts' && before === undefined && group > 1 && findGroup !== undefined)
      return lookUp(row, leaf.callId, group, findGroup)
    judge(row, before)
    return undefined
  }

  async function lookUp(row: StoredLeaf, callId: string, group: number, find: FindGroup): Promise<void> {
    const found = await find(tenant, callId, group - 1)
    if (found === undefined || found.index < row.index)
      return judge(row, found === undefined ? undefined : { group: group - 1, hash: found.leafHash })
    const place = `leaf ${row.index}, ${nameOf(row.leaf)}`
    const message = `Group ${group - 1}, which it continues, comes later: it is leaf ${found.index}.`
    findings.note({ kind: 'leaf_reordered', tenant, callId, index: row.index, place, message })
  }
}

function faultOf(
  leaf: Leaf,
  before: Link | undefined,
): { readonly kind: 'chain_broken' | 'leaf_reordered'; readonly message: string } | undefined {
  const group = numberOf(leaf)
  const last = before?.group ?? 0
  if (group <= last) return { kind: 'leaf_reordered', message: `Number ${last} came before it.` }
  if (group > last + 1) {
    const missing = group === last + 2 ? `Number ${last + 1} is` : `Numbers ${last + 1} to ${group - 1} are`
    return { kind: 'chain_broken', message: `${missing} missing before it.` }
  }
  if (sameHash(leaf.previous, before?.hash ?? noHash)) return undefined
  const message =
    before === undefined
      ? 'It is the first and yet names one before it.'
      : `It does not name the hash of number ${last}: one of the two was replaced.`
  return { kind: 'chain_broken', message }
}

const numberOf = (leaf: Leaf): number => (leaf.kind === 'facts' ? leaf.group : leaf.number)

const nameOf = (leaf: Leaf): string =>
  leaf.kind === 'facts' ? `group ${leaf.group} of call ${leaf.callId}` : `retirement ${leaf.number}`
