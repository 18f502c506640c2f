// The ledger in memory: for trials, tests and read-only tools in one process. JavaScript runs each method to its end before another
// starts, so every method here is the atomic step that the port asks for.
import {
  type Approval,
  type ApprovalSubject,
  approvalStatus,
  type Decision,
  type Escalation,
} from '../../contract/approval.ts'
import type { Fact } from '../../contract/fact.ts'
import { type Clock, systemClock } from '../../json/clock.ts'
import { hashFields } from '../../json/hash.ts'
import type { JsonValue } from '../../json/value.ts'
import type { CallKey, CallQuery, CallRecord, Ledger, PassEntry } from '../ledger.ts'
import { createCounters } from './counters.ts'
import { createSlots } from './slots.ts'

export interface MemoryOptions {
  readonly clock?: Clock
  /** Calls kept with their facts, 10,000 by default (about 50 MB); the oldest go first. Slots are never dropped. */
  readonly maxCalls?: number
  /** Bytes of arguments kept with those calls, 64 MiB by default. */
  readonly maxBytes?: number
}

/** Stored results may be large; the oldest go first. */
const maxResults = 100
/** Facts kept of one call; one that is proposed again and again loses its oldest passes. */
const maxFacts = 1_000

/** A ledger that lives and dies with this process. */
export function memory(options: MemoryOptions = {}): Ledger {
  const clock = options.clock ?? systemClock
  const maxCalls = options.maxCalls ?? 10_000
  const maxBytes = options.maxBytes ?? 64 * 1_048_576
  let bytes = 0
  const calls = new Map<string, CallRecord>()
  const callIds = new Map<string, string>()
  const facts = new Map<string, readonly Fact[]>()
  const slots = createSlots()
  const approvals = new Map<string, Approval>()
  const approvalIds = new Map<string, string>()
  const waitingByRun = new Map<string, readonly string[]>()
  const escalations: Escalation[] = []
  const discovered = new Map<string, Set<string>>()
  const results = new Map<string, JsonValue>()
  const counters = createCounters()

  const dropOldest = () => {
    for (const [id, record] of calls) {
      if (calls.size <= maxCalls && (bytes <= maxBytes || calls.size === 1)) return
      bytes -= record.argumentText.length
      calls.delete(id)
      facts.delete(id)
      callIds.delete(callKeyText(record.key))
    }
  }

  return {
    durability: 'ephemeral',

    findCall(key) {
      const id = callIds.get(callKeyText(key))
      return id === undefined ? undefined : calls.get(id)
    },
    record({ call, facts: added, findAgain }: PassEntry) {
      bytes += call.argumentText.length - (calls.get(call.id)?.argumentText.length ?? 0)
      calls.set(call.id, call)
      if (findAgain) callIds.set(callKeyText(call.key), call.id)
      const earlier = facts.get(call.id)
      facts.set(call.id, earlier === undefined ? added : [...newestPasses(earlier), ...added])
      if (calls.size > maxCalls || bytes > maxBytes) dropOldest()
    },
    appendFact(fact) {
      facts.set(fact.callId, [...(facts.get(fact.callId) ?? []), fact])
    },
    call: (id) => copyOf(calls.get(id)),
    calls: (query) => newestFirst(calls.values(), query).map((call) => ({ ...call })),
    facts: (callId) => (facts.get(callId) ?? []).map((fact) => ({ ...fact })),

    slot: slots.find,
    seeSlot: slots.see,
    amend: slots.amend,
    admit(request) {
      const now = clock.now()
      // The slot first: whoever comes second is told of the operation, not of an approval that the first has used.
      const reservation = slots.reserve(request, now)
      if (reservation.kind === 'slot') return reservation
      const approval = request.approval === undefined ? undefined : approvals.get(request.approval.id)
      if (request.approval !== undefined) {
        const fits = approval !== undefined && approval.subject.payloadHash === request.approval.payloadHash
        if (!fits || approvalStatus(approval, now) !== 'approved') return { kind: 'approval' }
      }
      const refusal = counters.claim(request, now)
      if (refusal !== undefined) return refusal
      if (approval !== undefined) approvals.set(approval.id, { ...approval, usedBy: request.callId })
      reservation.write()
      const { generation, attempt, starts, idempotencyKey } = reservation
      return { kind: 'admitted', generation, attempt, starts, idempotencyKey }
    },
    settle(request) {
      const settlement = slots.settle(request, clock.now())
      if (settlement === 'late') return settlement
      if (request.effect === 'none') {
        counters.giveBack(request)
        const approval = request.approvalId === undefined ? undefined : approvals.get(request.approvalId)
        if (approval !== undefined && request.status === 'FAILED_RETRYABLE') {
          approvals.set(approval.id, { ...approval, usedBy: undefined })
        }
      }
      return settlement
    },

    openApproval(approval, maxOpen) {
      const subject = subjectText(approval.subject)
      const open = approvals.get(approvalIds.get(subject) ?? '')
      if (open !== undefined && ['pending', 'approved'].includes(approvalStatus(open, clock.now()))) return open
      const run = scoped(approval.subject.tenant, approval.run ?? '')
      const waiting = (waitingByRun.get(run) ?? []).filter((id) => {
        const other = approvals.get(id)
        return other !== undefined && approvalStatus(other, clock.now()) === 'pending'
      })
      if (waiting.length >= maxOpen) return undefined
      waitingByRun.set(run, [...waiting, approval.id])
      approvals.set(approval.id, approval)
      approvalIds.set(subject, approval.id)
      return approval
    },
    findApproval: (subject) => approvals.get(approvalIds.get(subjectText(subject)) ?? ''),
    approval: (id) => approvals.get(id),
    approvals: (tenant) =>
      [...approvals.values()].filter((approval) => tenant === undefined || approval.subject.tenant === tenant),
    decide(id, decision: Decision) {
      const approval = approvals.get(id)
      if (approval === undefined) return undefined
      const status = approvalStatus(approval, clock.now())
      // An approval may be withdrawn as long as nothing has used it.
      if (status !== 'pending' && !(status === 'approved' && decision.verdict === 'rejected')) return approval
      const decided = { ...approval, decisions: [...approval.decisions, decision] }
      approvals.set(id, decided)
      return decided
    },

    escalate(escalation) {
      escalations.push(escalation)
    },
    escalations: (tenant) => escalations.filter((entry) => tenant === undefined || entry.tenant === tenant),

    discover(tenant, run, tools) {
      const key = scoped(tenant, run)
      discovered.set(key, new Set([...(discovered.get(key) ?? []), ...tools]))
    },
    discovered: (tenant, run) => discovered.get(scoped(tenant, run)) ?? new Set(),

    saveResult(tenant, callId, value) {
      const ref = hashFields('proviso.result.v1', [tenant, callId])
      results.set(scoped(tenant, ref), value)
      if (results.size > maxResults) results.delete(results.keys().next().value ?? '')
      return ref
    },
    result: (tenant, ref) => results.get(scoped(tenant, ref)),

    close() {},
  }
}

const copyOf = (call: CallRecord | undefined) => (call === undefined ? undefined : { ...call })

function newestPasses(facts: readonly Fact[]): readonly Fact[] {
  if (facts.length <= maxFacts) return facts
  const oldest = facts[facts.length - maxFacts / 2]?.pass ?? 0
  return facts.filter((fact) => fact.pass > oldest)
}

function newestFirst(all: Iterable<CallRecord>, query: CallQuery): readonly CallRecord[] {
  const found = [...all].filter(
    (call) =>
      (query.tenant === undefined || call.key.tenant === query.tenant) &&
      (query.run === undefined || call.key.run === query.run) &&
      (query.tool === undefined || call.key.tool === query.tool),
  )
  return found.reverse().slice(0, query.limit ?? 100)
}

const quoted = (parts: readonly (string | number | undefined)[]) => JSON.stringify(parts)
const callKeyText = (key: CallKey) => quoted([key.tenant, key.run, key.providerCallId, key.tool, key.inputHash])
const scoped = (tenant: string, key: string) => quoted([tenant, key])
const subjectText = (subject: ApprovalSubject) =>
  quoted([subject.tenant, subject.slotKey, subject.generation, subject.payloadHash])
