// What people say of held operations and of approvals, and what sagas do to the operations of their steps.

import type { Add } from './deed.ts'
import * as admissions from './ledger/admissions.ts'
import { numberOf, slotOfCall } from './ledger/records.ts'
import { close, expire, recordOfCall, resolve, undo } from './ledger/words.ts'
import type { Setting } from './setting.ts'
import {
  type Approval,
  attemptsOf,
  copyOf,
  duplicateEffect,
  generationBit,
  leftOf,
  type State,
  spend,
  unknownEffect,
} from './state.ts'

export function peopleSteps(state: State, setting: Setting, add: Add) {
  for (const mishap of ['word', 'mistake'] as const) {
    if (leftOf(state, mishap) === 0) continue
    const person = leftOf(state, 'word') + leftOf(state, 'mistake')
    for (const call of state.calls.keys()) {
      const isAsked = (state.asked & (unknownEffect(call) | duplicateEffect(call))) !== 0
      const record = recordOfCall(state, call, setting)
      // A word on what no person is asked about is one more that is heard.
      if (!isAsked && record?.held !== true && mishap === 'mistake') continue
      const slot = slotOfCall(call, setting)
      const generation = record === undefined ? 0 : numberOf(state, slot, record)
      const own = state.flights.filter((flight) => flight.slot === slot && flight.generation === generation)
      const truth = own.some((flight) => flight.state === 'landed')
      // As long as something may still come, it is not known that nothing was done.
      const mayCome = own.some((flight) => flight.state === 'away') || isAtWork(state, slot, generation)
      if (mishap === 'word' && !truth && mayCome) continue
      const next = copyOf(state)
      spend(next, mishap)
      const happened = mishap === 'word' ? truth : !truth
      if (mishap === 'mistake') next.mistaken |= generationBit(slot, generation)
      const came = resolve(next, { call, person, happened }, setting)
      add({ does: mishap, call, slot, generation, person, says: happened ? 'happened' : 'none', came }, next)
    }
  }
}

const isAtWork = (state: State, slot: number, generation: number): boolean =>
  state.processes.some((process) =>
    attemptsOf(process).some(
      (attempt) => attempt.slot === slot && attempt.generation === generation && attempt.stage !== 'ended',
    ),
  )

export function sagaSteps(state: State, setting: Setting, add: Add) {
  if (leftOf(state, 'undoing') > 0) {
    const next = copyOf(state)
    if (undo(next, 0)) {
      spend(next, 'undoing')
      for (const flight of next.flights) if (flight.slot === 0 && flight.generation === 1) flight.counts = false
      add({ does: 'undoing', slot: 0, generation: 1, came: 'undone' }, next)
    }
  }
  // What was never asked for is closed as the operation of a caller.
  if (leftOf(state, 'closing') > 0 && (setting.kind === 'caller' || (state.slots[0] ?? []).length > 0)) {
    const next = copyOf(state)
    spend(next, 'closing')
    const came = close(next, 0, 0)
    add({ does: 'closing', slot: 0, generation: 1, came }, next)
  }
  if (setting.expires !== true) return
  for (const [slot, generations] of state.slots.entries()) {
    for (const [index, record] of generations.entries()) {
      if (record.expires > 0) continue
      const next = copyOf(state)
      const after = (next.slots[slot] ?? [])[index] as typeof record
      const before = after.status
      expire(after)
      if (after.status !== before) add({ does: 'expire', slot, generation: index + 1, came: 'forgotten' }, next)
    }
  }
}

/** What people do with an approval, besides its use. */
export function consentSteps(state: State, setting: Setting, add: Add) {
  const { approval } = state
  if (approval === undefined) return
  const status = admissions.listed(approval, setting)
  const change = (does: 'approve' | 'reject' | 'replace' | 'revoke', came: string, made: Partial<Approval>) => {
    const next = copyOf(state)
    next.approval = { ...approval, ...made }
    add({ does, came }, next)
  }
  if (status !== 'pending' && status !== 'approved') return
  if (setting.consent === 'grant' && status === 'approved') {
    if (!approval.revoked && approval.expires > 0) change('revoke', 'revoked', { revoked: true })
    return
  }
  change('reject', 'rejected', { verdict: 'rejected' })
  if (status === 'approved') return
  change('approve', 'approved', { verdict: 'approved' })
  change('replace', 'superseded', { superseded: true })
}
