// The ledger in memory: for trials, tests and read-only tools in one process. JavaScript runs each method to its end before another
// starts, so every method here is the atomic step that the port asks for.
import { type Escalation, type EscalationKind, sagaQuestions } from '../../contract/approval/approval.ts'
import type { Fact } from '../../contract/call/fact.ts'
import type { SettleRequest } from '../../contract/call/settlement.ts'
import { checkOptions, having, type OptionTable, wholeNumber } from '../../contract/options.ts'
import { type Clock, forwardClock, systemClock } from '../../json/clock.ts'
import { hashFields } from '../../json/hash.ts'
import { systemEntropy, uuidv7 } from '../../json/id.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { closable } from '../closing.ts'
import type { CallKey, CallQuery, CallRecord } from '../ports/calls.ts'
import { defaultPage, type Ledger } from '../ports/ledger.ts'
import type { AdmitRequest, PassEntry, Settlement } from '../ports/operations.ts'
import { fitsQuery, newestCalls } from '../rules/pages.ts'
import {
  joinStatements,
  judgeResolution,
  resolutionEntry,
  resolvedStatus,
  type Statement,
  withoutOperation,
} from '../rules/resolution.ts'
import { consequences, duplicateOf, type Fit, statusConsequences } from '../rules/settle.ts'
import { standingOf } from '../rules/standing.ts'
import { createMemoryApprovals } from './approvals.ts'
import { createCounters } from './counters.ts'
import { createFamilies } from './families.ts'
import { createMemoryPins } from './pins.ts'
import { createMemoryRepairs } from './repairs.ts'
import { createMemorySagas } from './sagas.ts'
import { createSlots, type Slots } from './slots.ts'
import { createMemoryVerifications } from './verifications.ts'
import { createMemoryVersions } from './versions.ts'

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

const memoryOptions: OptionTable<MemoryOptions> = {
  clock: having('a clock', 'now', 'monotonic'),
  maxCalls: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  maxBytes: wholeNumber(1, Number.MAX_SAFE_INTEGER),
}

/** A ledger that lives and dies with this process. */
export function memory(options: MemoryOptions = {}): Ledger {
  checkOptions('memory', memoryOptions, options)
  const clock = forwardClock(options.clock ?? systemClock)
  const maxCalls = options.maxCalls ?? 10_000
  const maxBytes = options.maxBytes ?? 64 * 1_048_576
  let bytes = 0
  const calls = new Map<string, CallRecord>()
  const callIds = new Map<string, string>()
  /** The highest number of a pass that wrote a record of the call: an earlier pass may write later. */
  const lastPasses = new Map<string, number>()
  const facts = new Map<string, readonly Fact[]>()
  /** By slot and generation: calls as they were admitted, until their attempts end. */
  const running = new Map<string, Pick<PassEntry, 'call' | 'facts'>>()
  const slots = createSlots()
  /** By held attempt: the words of people about it so far. */
  const statements = new Map<string, readonly Statement[]>()
  const escalations: Escalation[] = []
  const discovered = new Map<string, Set<string>>()
  const results = new Map<string, JsonValue>()
  const contracts = new Map<string, JsonObject>()
  const counters = createCounters()
  const approvals = createMemoryApprovals(clock, counters.raise)
  const families = createFamilies()
  const denials = new Map<string, number>()

  const dropOldest = () => {
    for (const [id, record] of calls) {
      if (calls.size <= maxCalls && (bytes <= maxBytes || calls.size === 1)) return
      bytes -= record.argumentText.length
      calls.delete(id)
      facts.delete(id)
      lastPasses.delete(id)
      callIds.delete(callKeyText(record.key))
    }
  }

  const lookUpSlot = (tenant: string, key: string, providerCallId: string | undefined) => ({
    record: slots.find(tenant, key, providerCallId),
    at: clock.now(),
  })

  const write = ({ call, facts: added, findAgain }: Pick<PassEntry, 'call' | 'facts' | 'findAgain'>) => {
    bytes += call.argumentText.length - (calls.get(call.id)?.argumentText.length ?? 0)
    calls.set(call.id, call)
    lastPasses.set(call.id, Math.max(call.passes, lastPasses.get(call.id) ?? 0))
    if (findAgain) callIds.set(callKeyText(call.key), call.id)
    const earlier = facts.get(call.id)
    facts.set(call.id, earlier === undefined ? added : [...newestPasses(earlier), ...added])
    if (calls.size > maxCalls || bytes > maxBytes) dropOldest()
  }

  const settle = (request: SettleRequest): Fit => {
    const { fit, record } = slots.settle(request, clock.now())
    const { writes, counts, asks, answers, frees } = consequences[fit]
    const status = statusConsequences[request.status]
    if (asks) escalations.push({ ...duplicateOf(request, uuidv7(clock.now(), systemEntropy)), at: clock.now() })
    if (counts !== undefined && record !== undefined) {
      const { tenant, reserved, admittedAt } = record
      counters[counts === 'back' ? 'giveBack' : 'takeAgain'](tenant, reserved, admittedAt)
    }
    if (writes && request.slotKey !== undefined)
      running.delete(placeText(request.tenant, request.slotKey, request.generation))
    if (answers && status.ends) close(request.callId, 'unknown_effect')
    if (frees && status.frees) approvals.free(request.callId)
    return fit
  }

  const close = (callId: string, ...kinds: readonly EscalationKind[]) => {
    for (let index = escalations.length - 1; index >= 0; index--) {
      const open = escalations[index]
      if (open?.callId === callId && (kinds.length === 0 || kinds.includes(open.kind))) escalations.splice(index, 1)
    }
  }

  /** Why a call cannot be taken for new, although its slot is empty. */
  const isKnown = ({ entry, slot, tenant, unlabelled }: AdmitRequest) =>
    (unlabelled && families.labels(tenant, slot?.run ?? '').length > 0) ||
    (entry !== undefined && callIds.has(callKeyText(entry.call.key)))

  const factsOfCall = (callId: string) => {
    const own = [...running.values()].filter(({ call }) => call.id === callId)
    return [...(facts.get(callId) ?? []), ...own.flatMap((attempt) => attempt.facts)]
  }

  const callOf = (id: string) => [...running.values()].find(({ call }) => call.id === id)?.call ?? calls.get(id)

  const visible = (call: CallRecord | undefined, tenant: string | undefined) =>
    call !== undefined && (tenant === undefined || call.key.tenant === tenant) ? call : undefined

  const sagas = createMemorySagas({
    clock,
    slots,
    escalate: (added) => void escalations.push(...added),
    answer: (callId) => close(callId, ...sagaQuestions),
  })

  /** The record of the call that is kept after this entry. */
  const standing = ({ call, looksOn, yields, settle }: PassEntry, settlement: Settlement): CallRecord => {
    const before = calls.get(call.id)
    if (before === undefined) return call
    const verdict = standingOf({
      // One process writes here: nothing is sent again.
      again: false,
      looks_on: looksOn === true,
      yields: yields === true,
      late: settlement === 'late',
      happened: settle?.effect === 'happened',
      newer: (lastPasses.get(call.id) ?? 0) >= call.passes,
    })
    return verdict === 'stays' ? before : call
  }

  const record = (entry: PassEntry): Settlement => {
    const { tenant } = entry.call.key
    const place =
      entry.settle?.slotKey === undefined ? '' : placeText(tenant, entry.settle.slotKey, entry.settle.generation)
    const kept = running.get(place)?.facts ?? []
    // An entry without an end is never too late.
    const { answer, asksOwn, readsBack } = consequences[entry.settle === undefined ? 'settled' : settle(entry.settle)]
    const added = running.has(place) ? entry.facts : [...kept, ...entry.facts]
    write({ ...entry, facts: added, call: standing(entry, answer) })
    if (entry.amend !== undefined) slots.amend(tenant, entry.amend)
    if (entry.seen !== undefined) slots.see(tenant, entry.seen)
    escalations.push(...(entry.escalations ?? []).filter(({ kind }) => asksOwn || kind !== 'unknown_effect'))
    if (readsBack) verifications.note(entry)
    return answer
  }

  const verifications = createMemoryVerifications({ clock, callOf, record: (entry) => void record(entry) })

  const ledger: Omit<Ledger, 'close'> = {
    durability: 'ephemeral',
    operations: {
      lookUp({ key, slot, labels }) {
        const id = callIds.get(callKeyText(key))
        return {
          call: id === undefined ? undefined : callOf(id),
          slot: slot === undefined ? undefined : lookUpSlot(key.tenant, slot.key, slot.providerCallId),
          ...(labels === true && key.run !== undefined ? { labels: families.labels(key.tenant, key.run) } : {}),
        }
      },
      slot: lookUpSlot,
      admit(request) {
        const now = clock.now()
        // The slot first: the second call gets the answer of the operation, not a word on an approval that the first has used.
        const reservation = slots.reserve(request, now)
        if (reservation.kind !== 'reserved') return reservation
        if (request.unseen && reservation.write !== undefined && isKnown(request)) return { kind: 'known' }
        if (reservation.write !== undefined) {
          const approval = approvals.usable(request, reservation.generation, now)
          if (approval === undefined) return { kind: 'approval' }
          if (!approvals.isGranted(request, now)) return { kind: 'grant' }
          const refusal = counters.claim(request, now)
          if (refusal !== undefined) return refusal
          if (approval !== 'none') approvals.use(approval, request.callId)
          reservation.write()
          if (request.entry !== undefined) {
            const { entry, slot, tenant } = request
            if (entry.findAgain) callIds.set(callKeyText(entry.call.key), entry.call.id)
            if (slot !== undefined) running.set(placeText(tenant, slot.key, reservation.generation), entry)
          }
        }
        const { generation, attempt, starts, idempotencyKey } = reservation
        return { kind: 'admitted', generation, attempt, starts, idempotencyKey }
      },
      mayAct: () => true,
      record,
      // A crash takes the operations along with their owner: no lease is left that could run out.
      claim: () => [],
      restart: () => false,
      fence: () => 'dead',
      postpone() {},
      resolve({ tenant, callId, effect, by: person, why: reason, quorum }) {
        const record = slots.ofCall(callId)
        const call = visible(callOf(callId), tenant)
        if (call === undefined) return { kind: 'not_held', record: undefined }
        const now = clock.now()
        if (record === undefined) {
          // It has no operation; questions about it can be answered all the same.
          const asked = escalations.some((open) => open.callId === callId)
          if (judgeResolution({ ...withoutOperation, asked }) === 'not_held') return { kind: 'not_held', record }
          close(callId)
          write(resolutionEntry(call, { effect: 'none', by: person, why: reason }, now, 'answered'))
          return { kind: 'answered', record }
        }
        const said = joinStatements(statements.get(record.nonce) ?? [], { by: person, effect, why: reason })
        const { by, why } = said
        const asked = escalations.some((open) => open.callId === callId)
        const kind = judgeResolution({ held: record.held, agreed: said.people.length >= quorum, asked })
        if (kind === 'not_held') return { kind, record }
        if (kind === 'stated') {
          statements.set(record.nonce, said.statements)
          return { kind, record, missing: quorum - said.people.length }
        }
        close(callId)
        if (kind === 'answered') {
          write(resolutionEntry(call, { effect, by: person, why: reason }, now, 'answered'))
          return { kind, record }
        }
        const status = resolvedStatus[effect]
        const resolved = { ...record, status, effect, held: false, completedAt: now, answer: undefined } as const
        slots.replace(resolved)
        if (effect === 'none') counters.giveBack(record.tenant, record.reserved, record.admittedAt)
        write(resolutionEntry(call, { effect, by, why }, now))
        return { kind: 'resolved', record: resolved }
      },
    },
    calls: {
      get: (id, tenant) => copyOf(visible(callOf(id), tenant)),
      list: (query) =>
        newestCalls(
          [...running.values()].map(({ call }) => call),
          newestFirst(calls.values(), query, slots),
          query,
        ).map((call) => ({ ...call })),
      facts: (callId, tenant) =>
        visible(callOf(callId), tenant) === undefined ? [] : factsOfCall(callId).map((fact) => ({ ...fact })),
      escalations: (tenant) => escalations.filter((entry) => tenant === undefined || entry.tenant === tenant),
      saveContracts(added) {
        for (const [hash, contract] of added) contracts.set(hash, contract)
      },
      contract: (hash) => contracts.get(hash),
    },
    approvals,
    limits: {
      balances: (tenant, asked) => asked.map((counter) => counters.balance(tenant, counter, clock.now())),
      raise: (raise) => counters.raise(raise, clock.now()),
    },
    runs: {
      labels: (tenant, run) => families.labels(tenant, run),
      addLabels: (tenant, run, added, parent) => families.add(tenant, run, added, parent),
      countDenial(tenant, run, tool) {
        const key = quoted([tenant, run, tool])
        const times = (denials.get(key) ?? 0) + 1
        denials.set(key, times)
        return times
      },

      discover(tenant, run, tools) {
        const key = scoped(tenant, run)
        discovered.set(key, new Set([...(discovered.get(key) ?? []), ...tools]))
      },
      discovered: (tenant, run) => discovered.get(scoped(tenant, run)) ?? new Set(),
    },
    repairs: createMemoryRepairs({
      open: (question) => void escalations.push(question),
      close(id) {
        const index = escalations.findIndex((open) => open.id === id)
        if (index >= 0) escalations.splice(index, 1)
      },
    }),
    results: {
      save(tenant, callId, value) {
        const ref = hashFields('proviso.result.v1', [tenant, callId])
        results.set(scoped(tenant, ref), value)
        if (results.size > maxResults) results.delete(results.keys().next().value ?? '')
        return ref
      },
      get: (tenant, ref) => results.get(scoped(tenant, ref)),
    },
    sagas,
    versions: createMemoryVersions(clock),
    pins: createMemoryPins(),
    verifications,
  }
  // Nothing is under way from one turn to the next.
  return closable(ledger, { patienceMs: 0, end: async () => undefined })
}

const copyOf = (call: CallRecord | undefined) => (call === undefined ? undefined : { ...call })

function newestPasses(facts: readonly Fact[]): readonly Fact[] {
  if (facts.length <= maxFacts) return facts
  const oldest = facts[facts.length - maxFacts / 2]?.pass ?? 0
  return facts.filter((fact) => fact.pass > oldest)
}

function newestFirst(all: Iterable<CallRecord>, query: CallQuery, slots: Slots): readonly CallRecord[] {
  const found = [...all].filter(
    (call) =>
      fitsQuery(call, query) && (query.held === undefined || (slots.ofCall(call.id)?.held ?? false) === query.held),
  )
  return found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, query.limit ?? defaultPage)
}

const quoted = (parts: readonly (string | number | undefined)[]) => JSON.stringify(parts)
const callKeyText = (key: CallKey) => quoted([key.tenant, key.run, key.providerCallId, key.tool, key.inputHash])
const placeText = (tenant: string, slotKey: string, generation: number) => quoted([tenant, slotKey, generation])
const scoped = (tenant: string, key: string) => quoted([tenant, key])
