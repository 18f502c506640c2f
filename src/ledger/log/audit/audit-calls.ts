// Holds the rows that are written beside facts, calls and answers, against what the facts bind. The facts themselves are held against the
// log before: a call whose facts were tampered with is a finding already, and nothing can be said of its rows.

import type { Binds } from '../binds.ts'
import type { AuditFinding, AuditFindings } from './audit-finding.ts'

export interface BoundGroup {
  /** Greater where it was written later. */
  readonly order: number
  readonly binds: Binds | undefined
}

/** A call that there are facts of, or a row, or answers. */
export interface BoundCall {
  readonly tenant: string
  readonly callId: string
  readonly groups: readonly BoundGroup[]
  readonly stored: StoredCall | undefined
  /** By which it is found again. */
  readonly keys: readonly BoundKey[]
  /** Of the slots that it holds. */
  readonly answers: readonly BoundAnswer[]
}

export interface StoredCall {
  /** The hash of its bytes. */
  readonly body: string
  /** By which it is found again, in hex; undefined where its bytes cannot be read. */
  readonly key: string | undefined
  /** Whether tenant, run, tool, status and effect, which are stored beside them, are those that the bytes name. */
  readonly agrees: boolean
  /** Whether the log has anything of it. */
  readonly logged: boolean
}

export interface BoundKey {
  /** In hex. */
  readonly key: string
  readonly tenant: string
  /** It is being written; its record is in its slot until then. */
  readonly runs: boolean
}

export interface BoundAnswer {
  readonly tenant: string
  readonly callId: string
  readonly place: string
  readonly slot: string
  readonly digest: string
  /** Those of the call, where it is the same tenant's. */
  readonly groups: readonly BoundGroup[]
  /** Whether the log has anything of that call. */
  readonly logged: boolean
}

/** Which of these answers another call than the slot's has bound. */
export type FindBound = (answers: readonly BoundAnswer[]) => Promise<ReadonlySet<BoundAnswer>>

export interface BoundRows {
  readonly calls: AsyncIterable<BoundCall>
  readonly findBound: FindBound
}

/** Answers that their own calls do not bind are few; so many are looked for at once. */
const soughtAtOnce = 10_000

export async function checkBound(rows: BoundRows, findings: AuditFindings): Promise<void> {
  const tampered = tamperedCalls(findings)
  let sought: BoundAnswer[] = []
  const look = async () => {
    if (sought.length === 0) return
    const found = await rows.findBound(sought)
    for (const answer of sought) {
      if (found.has(answer)) continue
      const { tenant, callId, place } = answer
      const message = 'The stored answer is none that was recorded for this operation.'
      findings.note({ kind: 'answer_edited', tenant, callId, place, message })
    }
    sought = []
  }
  for await (const call of rows.calls) {
    const { tenant, callId } = call
    if (tampered.has(callId)) continue
    const fault = faultOf(call)
    if (fault !== undefined) findings.note({ ...fault, tenant, callId, place: `call ${callId}` })
    for (const { key, runs, tenant: owner } of call.keys) {
      // Of a record that is gone nothing can be said, but that.
      const isOwn =
        call.stored === undefined ? runs || call.groups.length > 0 : call.stored.key === key && tenant === owner
      const message = 'Calls are found again by it, and this one is not the one that it names.'
      if (!isOwn) findings.note({ kind: 'row_edited', tenant: owner, callId, place: `call key ${key}`, message })
    }
    for (const answer of call.answers) if (!isBound(answer)) sought.push(answer)
    if (sought.length >= soughtAtOnce) await look()
  }
  await look()
}

/** Calls whose facts were tampered with: nothing can be said of their rows. */
const tamperedCalls = ({ list }: AuditFindings): ReadonlySet<string> =>
  new Set(list.flatMap(({ kind, callId }) => (aboutFacts.has(kind) && callId !== undefined ? [callId] : [])))

/** What differs from what was rebuilt, but for what is known already. */
export function noteRebuilt(rebuilt: readonly AuditFinding[], findings: AuditFindings): void {
  const tampered = tamperedCalls(findings)
  const known = new Set(findings.list.map(({ kind, place }) => `${kind} ${place}`))
  for (const finding of rebuilt) {
    if (finding.callId !== undefined && tampered.has(finding.callId)) continue
    if (!known.has(`${finding.kind} ${finding.place}`)) findings.note(finding)
  }
}

const aboutFacts: ReadonlySet<string> = new Set(['content_edited', 'fact_deleted', 'wrong_tenant'])

interface CallFault {
  readonly kind: 'call_edited' | 'call_missing'
  readonly message: string
}

const edited = (message: string): CallFault => ({ kind: 'call_edited', message })

function faultOf({ groups, stored }: BoundCall): CallFault | undefined {
  if (groups.length === 0)
    return stored?.logged === false ? edited('It has no facts: no such call was ever recorded.') : undefined
  const bound = lastBound(groups)
  if (stored === undefined)
    return bound === undefined
      ? undefined
      : { kind: 'call_missing', message: 'Its record is gone, and its facts are still there.' }
  if (bound === undefined) return undefined
  if (stored.body !== bound) return edited('Its record is not the one that was written.')
  if (stored.agrees) return undefined
  return edited('Tenant, run, tool, status or effect, as it is listed by, is not what its record says.')
}

/** What the call's row must have been left as: each record replaces the one before. */
function lastBound(groups: readonly BoundGroup[]): string | undefined {
  return inOrder(groups).findLast(({ binds }) => binds?.call !== undefined)?.binds?.call
}

/** A settle that came late stored nothing, so an earlier one may count; an amended answer always counts. */
function isBound({ groups, slot, digest, logged }: BoundAnswer): boolean {
  // The answers of calls that were retired stay until their time is over.
  if (groups.length === 0) return logged
  if (groups.every(({ binds }) => binds === undefined)) return true
  for (const { binds } of inOrder(groups).reverse()) {
    if (binds?.slot !== slot) continue
    if (binds.answer === digest || binds.amended === digest) return true
    if (binds.amended !== undefined) return false
  }
  return false
}

const inOrder = (groups: readonly BoundGroup[]): BoundGroup[] => [...groups].sort((a, b) => a.order - b.order)
