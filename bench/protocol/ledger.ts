// The ledger as functions on a state: what each of its steps decides and writes, by the rules that the real engines ask. It is the third
// telling of what an engine does around the rules; paths of the exploration are played on Postgres to show that it tells the same.

import type { AttemptEnd } from '../../src/contract/settlement.ts'
import type { SlotRecord, SlotRef } from '../../src/contract/slot.ts'
import type { StandingGrant } from '../../src/contract/standing-grant.ts'
import type { EpochMs } from '../../src/json/clock.ts'
import type { Resolved, Settlement } from '../../src/ledger/ports/operations.ts'
import { lastStart } from '../../src/ledger/rules/last-start.ts'
import { approvalStatusRule, isInForce, isUsable } from '../../src/ledger/rules/permit.ts'
import { watcherMs } from '../../src/ledger/rules/recovery-times.ts'
import { joinStatements, judgeResolution, resolvedStatus, type Statement } from '../../src/ledger/rules/resolution.ts'
import { consequences, type Fit, fitOf, settleRule, statusConsequences } from '../../src/ledger/rules/settle.ts'
import {
  amendingRule,
  closingRule,
  expiryRule,
  judgeSlot,
  overtakingRule,
  slotVerdict,
  undoingRule,
} from '../../src/ledger/rules/slot.ts'
import { standingOf } from '../../src/ledger/rules/standing.ts'
import { decide } from '../../src/ledger/rules/table.ts'
import { isReadable, leaseMs, never, type Setting, ttlMs } from './setting.ts'
import {
  duplicateEffect,
  type Generation,
  noProcess,
  type Process,
  type State,
  unknownEffect,
  unseenOwner,
} from './state.ts'

const now = 0 as EpochMs
const idLists: readonly string[][] = Array.from({ length: 256 }, (_, bits) =>
  [0, 1, 2, 3, 4, 5, 6, 7].filter((call) => (bits & (1 << call)) !== 0).map(String),
)

/** What rules look at of a record. */
function viewOf(record: Generation, { kind }: Setting): SlotRecord {
  const view: Partial<SlotRecord> = {
    kind,
    status: record.status,
    effect: record.effect,
    held: record.held,
    overtaken: record.overtaken,
    providerCallIds: idLists[record.seen] ?? [],
    requestHash: String(record.arguments),
    expiresAt: record.expires === never ? undefined : (record.expires as EpochMs),
    nonce: String(record.nonce),
    attempt: record.attempt,
  }
  return view as SlotRecord
}

function refOf(call: number, setting: Setting): SlotRef {
  return { requestHash: String(setting.calls[call]?.arguments), providerCallId: String(call) } as SlotRef
}

export const slotOfCall = (call: number, setting: Setting): number => setting.calls[call]?.slot ?? 0

function newest(state: State, slot: number, call: number | undefined): Generation | undefined {
  const generations = state.slots[slot] ?? []
  if (call !== undefined)
    for (let at = generations.length - 1; at >= 0; at--) {
      const record = generations[at]
      if (record !== undefined && (record.seen & (1 << call)) !== 0) return record
    }
  return generations.at(-1)
}

export const numberOf = (state: State, slot: number, record: Generation): number =>
  (state.slots[slot] ?? []).indexOf(record) + 1

export interface LookedUp {
  readonly verdict: 'absent' | Exclude<ReturnType<typeof slotVerdict>, 'again' | 'known'>
  readonly record: Generation | undefined
  readonly generation: number
}

export function lookUp(state: State, call: number, setting: Setting): LookedUp {
  const slot = slotOfCall(call, setting)
  const record = newest(state, slot, call)
  const judged = judgeSlot(record === undefined ? undefined : viewOf(record, setting), refOf(call, setting), now)
  return { verdict: judged.kind, record, generation: record === undefined ? 0 : numberOf(state, slot, record) }
}

export interface Asked {
  readonly call: number
  readonly process: number
  readonly nonce: number
  readonly generation: number
  readonly unseen: boolean
}

export type Admitted =
  | { readonly kind: 'admitted'; readonly generation: number; readonly attempt: number; readonly again: boolean }
  | { readonly kind: 'stale'; readonly generation: number }
  | { readonly kind: 'known' }
  | { readonly kind: 'approval' | 'grant' }
  | { readonly kind: 'slot'; readonly generation: number; readonly record: Generation }

export function admit(state: State, { call, process, nonce, generation, unseen }: Asked, setting: Setting): Admitted {
  const slot = slotOfCall(call, setting)
  const known = state.calls[call]
  const record = newest(state, slot, call)
  const generations = state.slots[slot] ?? []
  if (record === undefined) {
    if (unseen && known?.known === true) return { kind: 'known' }
    if (generation !== 1) return { kind: 'stale', generation: 1 }
    return open(state, { call, process, nonce, generation, unseen }, setting, 1, undefined)
  }
  const verdict = slotVerdict(viewOf(record, setting), refOf(call, setting), now, { nonce: String(nonce), unseen })
  const number = generations.indexOf(record) + 1
  switch (verdict) {
    case 'again':
      return { kind: 'admitted', generation: number, attempt: record.attempt, again: true }
    case 'known':
      return { kind: 'known' }
    case 'generation':
      if (generation !== number + 1) return { kind: 'stale', generation: number + 1 }
      return open(state, { call, process, nonce, generation, unseen }, setting, 1, undefined)
    case 'retry':
      return open(state, { call, process, nonce, generation: number, unseen }, setting, record.attempt + 1, record)
    default:
      return { kind: 'slot', generation: number, record }
  }
}

function open(
  state: State,
  { call, process, nonce, generation }: Asked,
  setting: Setting,
  attempt: number,
  retried: Generation | undefined,
): Admitted {
  const { approval } = state
  if (approval !== undefined && setting.consent === 'grant') {
    const expiresAt = approval.expires as EpochMs
    const revoked = approval.revoked ? { by: '', at: now } : undefined
    // Whether it was granted is not asked here: one that was not is not there.
    const isGranted = approval.verdict === 'approved' && isInForce({ revoked, expiresAt } as StandingGrant, now)
    if (!isGranted) return { kind: 'grant' }
  }
  if (approval !== undefined && setting.consent === 'approval') {
    const usable = isUsable({
      verdict: approval.verdict !== 'rejected' && approval.superseded ? 'superseded' : approval.verdict,
      over: approval.expires <= 0,
      used_by: approval.usedBy === noProcess ? 'none' : approval.usedNonce === nonce ? 'this_admission' : 'another',
      same_payload: (setting.calls[call]?.arguments ?? 0) === 0,
      same_operation: generation === 1,
    })
    if (!usable) return { kind: 'approval' }
    approval.usedBy = call
    approval.usedNonce = nonce
  }
  const record: Generation = {
    status: 'PENDING',
    effect: 'unknown',
    held: false,
    attempt,
    starts: retried?.starts ?? 0,
    nonce,
    overtaken: false,
    seen: (retried?.seen ?? 0) | (1 << call),
    arguments: setting.calls[call]?.arguments ?? 0,
    call,
    owner: setting.poolers === true ? unseenOwner : process,
    lease: leaseMs,
    look: leaseMs,
    watcher: noProcess,
    created: retried?.created ?? 0,
    expires: never,
  }
  const generations = state.slots[slotOfCall(call, setting)] ?? []
  generations[generation - 1] = record
  const known = state.calls[call]
  if (known !== undefined) known.known = true
  return { kind: 'admitted', generation, attempt, again: false }
}

/** How an approval is listed. */
export function listed(state: State, { consent }: Setting): void {
  const { approval } = state
  if (approval === undefined) return
  decide(approvalStatusRule, {
    verdict: approval.verdict !== 'rejected' && approval.superseded ? 'superseded' : approval.verdict,
    used: approval.usedBy !== noProcess,
    lasting: consent === 'grant' && approval.verdict === 'approved',
    over: approval.expires <= 0,
  })
}

export interface End extends AttemptEnd {
  readonly call: number
  readonly slot: number
  readonly generation: number
  readonly attempt: number
  readonly nonce: number
  readonly tries: number
  readonly pass: number
  /** Whether an unknown end asks people. */
  readonly asks: boolean
  /** This very end was written before; and whether its facts vouched for a record of the call then. */
  readonly again: boolean
  readonly vouched: boolean
  readonly amends: boolean
}

export interface Settled {
  readonly settlement: Settlement
  readonly fit: Fit
  /** Its facts vouch for a record of the call. */
  readonly vouches: boolean
}

/** The longest time after which others look. */
const longestLookMs = 60_000

export function settle(state: State, end: End, setting: Setting): Settled {
  const record = (state.slots[end.slot] ?? [])[end.generation - 1]
  const known = state.calls[end.call]
  const fit = fitOfEnd(state, end, record, setting)
  const { writes, asks, answers, asksOwn, frees, answer } = consequences[fit]
  const status = statusConsequences[end.status]
  if (asks) state.asked |= duplicateEffect(end.call)
  if (writes && record !== undefined) write(record, end, setting)
  if (writes && status.ends) forget(state, end.nonce)
  if (writes && end.effect === 'happened' && setting.resource === true) overtake(state, end.slot)
  if (answers && status.ends) state.asked &= ~unknownEffect(end.call)
  if (frees && status.frees && state.approval?.usedBy === end.call) {
    state.approval.usedBy = noProcess
    state.approval.usedNonce = 0
  }
  if (end.asks && asksOwn) state.asked |= unknownEffect(end.call)
  const vouches = standing(state, end, answer, end.again)
  if (end.amends && record !== undefined) decide(amendingRule, record)
  if (known !== undefined) known.known = true
  return { settlement: answer, fit, vouches }
}

function fitOfEnd(state: State, end: End, record: Generation | undefined, setting: Setting): Fit {
  const { attempt, effect, nonce } = end
  if (end.again)
    return decide(settleRule, {
      sent: end.vouched ? 'again' : 'again_late',
      slot: 'there',
      pending: record?.status === 'PENDING',
      attempt: 'same',
      stands: record?.effect ?? 'none',
      says: effect,
      own: true,
      started_over: false,
    })
  const later = (state.slots[end.slot] ?? []).slice(end.generation).map((each) => viewOf(each, setting))
  const view = record === undefined ? undefined : viewOf(record, setting)
  return fitOf(view, { attempt, effect, nonce: String(nonce) }, later)
}

function write(record: Generation, end: End, setting: Setting): void {
  const { ends } = statusConsequences[end.status]
  record.status = end.status
  record.effect = end.effect
  record.held = end.held
  record.starts += end.tries
  // From now on its owner sends nothing.
  record.owner = noProcess
  record.watcher = noProcess
  record.lease = ends ? -tickBehind : 0
  record.look = end.held ? never : Math.min(longestLookMs, 500 * 2 ** Math.min(record.starts, 10))
  if (ends) record.look = -tickBehind
  record.expires = ends && setting.expires === true ? ttlMs : never
}

const tickBehind = leaseMs

/** What was said of an attempt that is not held any more decides nothing. */
function forget(state: State, nonce: number): void {
  state.said = state.said.filter((said) => said.nonce !== nonce)
}

function overtake(state: State, by: number): void {
  for (const [slot, generations] of state.slots.entries()) {
    if (slot === by) continue
    for (const record of generations) if (decide(overtakingRule, record) === 'overtaken') record.overtaken = true
  }
}

interface Written {
  readonly call: number
  readonly pass: number
  readonly effect?: SlotRecord['effect']
  readonly looksOn?: boolean
  readonly yields?: boolean
}

function standing(
  state: State,
  { call, pass, effect, looksOn, yields }: Written,
  settlement: Settlement,
  again: boolean,
): boolean {
  const known = state.calls[call]
  if (known === undefined) return false
  const verdict = standingOf({
    again,
    looks_on: looksOn === true,
    yields: yields === true,
    late: settlement === 'late',
    happened: effect === 'happened',
    newer: known.written >= pass,
  })
  if (verdict === 'stays') return false
  known.written = Math.max(known.written, pass)
  known.known = true
  if (effect !== undefined) known.effect = effect
  return true
}

/** A pass that was answered from the record: from now on its provider's id belongs to that generation. */
export function note(
  state: State,
  { slot, generation, ...written }: Written & { readonly slot: number; readonly generation: number },
): void {
  standing(state, written, 'settled', false)
  const record = (state.slots[slot] ?? [])[generation - 1]
  if (record !== undefined) record.seen |= 1 << written.call
}

/** A pass that was never admitted leaves what it says of its call. */
export function turnAway(state: State, written: Written): void {
  standing(state, written, 'settled', false)
  const known = state.calls[written.call]
  if (known !== undefined) known.known = true
}

export const isDue = (record: Generation, process: number): boolean =>
  record.status === 'PENDING' &&
  record.look <= 0 &&
  (record.watcher === noProcess || record.watcher === process || record.look <= -watcherMs)

const claimMs = 60_000

/** Gives the operation to this process, and says until when its owner may have started its executor. */
export function claim(record: Generation, process: Process, who: number, setting: Setting): number {
  record.look = claimMs
  record.watcher = who
  // Only absence is counted from there.
  if (!isReadable(setting)) return 0
  let sight = process.seen.find(({ nonce }) => nonce === record.nonce)
  if (sight === undefined) {
    sight = { nonce: record.nonce, age: 0 }
    process.seen.push(sight)
  }
  return lastStart({ leaseUntil: record.lease, at: 0, seenForMs: sight.age, aliveForMs: process.age, leaseMs })
}

/** As in the database: only an attempt that still has this name is meant. */
export const pendingOf = (state: State, slot: number, generation: number, nonce: number): Generation | undefined => {
  const record = (state.slots[slot] ?? [])[generation - 1]
  return record?.status === 'PENDING' && record.nonce === nonce ? record : undefined
}

export function renew(state: State, slot: number, generation: number, nonce: number): boolean {
  const record = pendingOf(state, slot, generation, nonce)
  if (record === undefined || record.held || record.lease <= 0 || record.watcher !== noProcess) return false
  record.lease = record.look = leaseMs
  return true
}

export interface Word {
  readonly call: number
  readonly person: number
  readonly happened: boolean
}

/** The operation that the call runs, or ran last. */
export function recordOfCall(state: State, call: number, setting: Setting): Generation | undefined {
  const generations = (state.slots[slotOfCall(call, setting)] ?? []).filter((record) => record.call === call)
  return generations.findLast(({ held }) => held) ?? generations.at(-1)
}

export function resolve(state: State, { call, person, happened }: Word, setting: Setting): Resolved['kind'] {
  const record = recordOfCall(state, call, setting)
  const questions = unknownEffect(call) | duplicateEffect(call)
  const asked = (state.asked & questions) !== 0
  if (record === undefined) {
    // It never came to an operation, or another call has taken that over: what is asked about it can be answered all the same.
    state.asked &= ~questions
    return judgeResolution({ held: false, agreed: false, asked })
  }
  const statementOf = (by: number, said: boolean): Statement => ({
    by: `person-${by}`,
    effect: said ? 'happened' : 'none',
    why: '',
  })
  const before = state.said.filter(({ nonce }) => nonce === record.nonce)
  const { statements, people } = joinStatements(
    before.map((each) => statementOf(each.person, each.happened)),
    statementOf(person, happened),
  )
  const kind = judgeResolution({ held: record.held, agreed: people.length >= (setting.quorum ?? 1), asked })
  switch (kind) {
    case 'not_held':
      return kind
    case 'stated':
      forget(state, record.nonce)
      for (const { by, effect } of statements)
        state.said.push({
          nonce: record.nonce,
          person: Number(by.slice('person-'.length)),
          happened: effect === 'happened',
        })
      return kind
    case 'answered':
      state.asked &= ~questions
      return kind
    case 'resolved': {
      state.asked &= ~questions
      const effect = happened ? 'happened' : 'none'
      record.status = resolvedStatus[effect]
      record.effect = effect
      record.held = false
      record.look = record.lease = -tickBehind
      forget(state, record.nonce)
      return kind
    }
  }
}

export function expire(record: Generation): void {
  if (record.expires <= 0 && decide(expiryRule, record) === 'expires') record.status = 'EXPIRED'
}

/** By the saga whose step the slot is. */
export function close(state: State, slot: number, call: number): 'closed' | 'open' {
  const generations = state.slots[slot] ?? []
  const record = generations[0]
  if (record === undefined) {
    generations[0] = {
      status: 'FAILED_FINAL',
      effect: 'none',
      held: false,
      attempt: 0,
      starts: 0,
      nonce: 0,
      overtaken: false,
      seen: 0,
      arguments: 0,
      call,
      owner: noProcess,
      lease: -tickBehind,
      look: -tickBehind,
      watcher: noProcess,
      created: 0,
      expires: never,
    }
    return 'closed'
  }
  const verdict = decide(closingRule, record)
  if (verdict === 'close') record.status = 'FAILED_FINAL'
  return verdict === 'open' ? 'open' : 'closed'
}

export function undo(state: State, slot: number): boolean {
  const record = (state.slots[slot] ?? [])[0]
  if (record === undefined || decide(undoingRule, record) !== 'undone') return false
  record.status = 'COMPENSATED'
  return true
}
