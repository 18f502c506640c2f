// How an attempt ends, and what a pass leaves of its call: by the rules, with all that follows from them.
import type { AttemptEnd } from '../../../src/contract/call/settlement.ts'
import type { SlotRecord } from '../../../src/contract/call/slot.ts'
import type { Settlement } from '../../../src/ledger/ports/operations.ts'
import { lookAgainMs } from '../../../src/ledger/rules/recovery-times.ts'
import { consequences, type Fit, fitOf, statusConsequences } from '../../../src/ledger/rules/settle.ts'
import { amendingRule, overtakingRule } from '../../../src/ledger/rules/slot.ts'
import { standingOf } from '../../../src/ledger/rules/standing.ts'
import { decide } from '../../../src/ledger/rules/table.ts'
import { never, type Setting, ttlMs } from '../setting.ts'
import { duplicateEffect, type Generation, noProcess, type State, unknownEffect } from '../state.ts'
import { over, viewOf } from './records.ts'

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
  if (end.amends && !end.again && record !== undefined) amend(state, end, record)
  if (known !== undefined) known.known = true
  return { settlement: answer, fit, vouches }
}

function fitOfEnd(state: State, end: End, record: Generation | undefined, setting: Setting): Fit {
  const { attempt, effect, nonce, again, vouched } = end
  const later = (state.slots[end.slot] ?? []).slice(end.generation).map((each) => viewOf(each, setting))
  const view = record === undefined ? undefined : viewOf(record, setting)
  const sent = again ? (vouched ? 'again' : 'again_late') : 'first'
  return fitOf(view, { attempt, effect, nonce: String(nonce) }, later, sent)
}

/** What comes after the end has made something else of the answer, and leaves what it says of the call. */
function amend(state: State, { call, pass, effect }: End, record: Generation): void {
  if (decide(amendingRule, record) === 'amended') record.answer = 'amended'
  standing(state, { call, pass, effect }, 'settled', false)
}

function write(record: Generation, end: End, setting: Setting): void {
  const { ends } = statusConsequences[end.status]
  record.status = end.status
  record.effect = end.effect
  record.held = end.held
  record.answer = ends ? `of attempt ${end.attempt}` : ''
  record.starts += end.tries
  // From now on its owner sends nothing.
  record.owner = noProcess
  record.watcher = noProcess
  record.lease = ends ? over : 0
  record.look = end.held ? never : lookAgainMs(record.starts)
  if (ends) record.look = over
  record.expires = ends && setting.expires === true ? ttlMs : never
}

/** What was said of an attempt that is not held any more decides nothing. */
export function forget(state: State, nonce: number): void {
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

/** Whether what a pass says of its call becomes the record of the call. */
export function standing(
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
  known.recorded = pass
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
