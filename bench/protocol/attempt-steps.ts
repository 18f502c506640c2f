// An attempt: its executor looks, sends, is answered or not, and its end is written; or it ends after its call was answered without it.

import type { EpochMs } from '../../src/json/clock.ts'
import { restartLeaseMs } from '../../src/ledger/rules/recovery-times.ts'
import { consequences } from '../../src/ledger/rules/settle.ts'
import { decisions } from './decisions.ts'
import type { OfAttempt, Turn } from './deed.ts'
import * as endings from './ledger/endings.ts'
import { tell } from './pass-steps.ts'
import { leaseMs, type Setting, timeoutMs, toolOf } from './setting.ts'
import {
  type Attempt,
  copyOf,
  type Flight,
  leftOf,
  noProcess,
  type Process,
  processOf,
  type State,
  spend,
} from './state.ts'

export type Holder = 'pass' | 'recovery'

export const attemptAt = (state: State, who: number, holder: Holder): Attempt => {
  const process = processOf(state, who)
  return (holder === 'pass' ? process.pass?.attempt : process.recovery?.run) as Attempt
}

const mayAct = (process: Process, attempt: Attempt, { poolers }: Setting): boolean =>
  decisions.mayActFor({
    hasSession: process.hasSession || poolers === true,
    isDoubted: attempt.doubted,
    // At the last moment of the tick that is over: what comes then may still meet what others do in this one.
    heldForMs: Math.max(0, attempt.leaseAge - 1),
    leaseMs: attempt.resent ? restartLeaseMs(timeoutMs) : leaseMs,
  })

export function attemptSteps(turn: Turn, holder: Holder, attempt: Attempt) {
  const { state, who, setting, add } = turn
  const process = processOf(state, who)
  const { call, slot, generation, nonce } = attempt
  const deed = { process: who, call, slot, generation, attempt: attempt.attempt, nonce }
  const change = (work: (after: Attempt, next: State) => void): State => {
    const next = copyOf(state)
    work(attemptAt(next, who, holder), next)
    return next
  }
  const ends = (says: Attempt['says'], final = false) =>
    change((after) => {
      after.stage = 'ended'
      after.says = says
      after.final = final
    })
  switch (attempt.stage) {
    case 'admitted': {
      const may = mayAct(process, attempt, setting)
      // Between the start and the last look nothing counts but time, which may pass before both.
      if (may && setting.looks) return send(turn, holder, attempt, deed)
      if (!may) return add({ ...deed, does: 'start', came: 'may not' }, ends(effectOf(state, attempt, 'none')))
      return add(
        { ...deed, does: 'start', came: 'may' },
        change((after) => {
          after.stage = 'started'
          after.tries++
          after.startAge = 0
        }),
      )
    }
    case 'started':
      if (attempt.startAge <= timeoutMs) return send(turn, holder, attempt, deed)
      return add({ ...deed, does: 'send', came: 'may not' }, ends(effectOf(state, attempt, 'none')))
    case 'sent':
      return replies(turn, attempt, { deed, ends, change })
    case 'ended':
      return settle(turn, holder, attempt)
  }
}

function send(turn: Turn, holder: Holder, attempt: Attempt, deed: OfAttempt) {
  const { state, who, setting, add } = turn
  const next = copyOf(state)
  const after = attemptAt(next, who, holder)
  if (after.stage === 'admitted') after.tries++
  if (setting.tool === 'ledger') {
    commit(turn, holder, attempt)
    after.stage = 'ended'
    after.says = 'none'
    add({ ...deed, does: 'fail', came: 'rolled back' }, next)
    if (setting.finals !== true) return
    const final = copyOf(next)
    attemptAt(final, who, holder).final = true
    return add({ ...deed, does: 'fail', came: 'rolled back for good' }, final)
  }
  after.stage = 'sent'
  const { slot, generation, nonce } = attempt
  next.flights.push({ slot, generation, nonce, by: who, age: 0, ...away })
  return add({ ...deed, does: 'send', came: 'sent' }, next)
}

const away = { state: 'away', stalled: false, counts: false, stated: false } as const

const flightsOf = (state: State, nonce: number) => state.flights.filter((flight) => flight.nonce === nonce)

/** What an executor knows of all its starts together. */
function effectOf(state: State, { nonce }: Attempt, last: 'none' | 'happened' | 'unknown') {
  const own = flightsOf(state, nonce)
  if (last === 'unknown') return last
  return last === 'none' && own.some((flight) => flight.state !== 'refused') ? 'unknown' : last
}

interface Changes {
  readonly deed: OfAttempt
  readonly ends: (says: Attempt['says'], final?: boolean) => State
  readonly change: (work: (after: Attempt, next: State) => void) => State
}

function replies({ state, setting, add }: Turn, attempt: Attempt, { deed, ends, change }: Changes) {
  const last = flightsOf(state, attempt.nonce).at(-1) as Flight
  const again = (came: string) => {
    if (attempt.tries >= setting.starts) return
    const next = change((after) => {
      after.stage = 'admitted'
    })
    add({ ...deed, does: 'start again', came }, next)
  }
  if (last.state === 'landed') add({ ...deed, does: 'return', came: 'happened' }, ends('happened'))
  if (last.state === 'refused') {
    const says = effectOf(state, attempt, 'none')
    add({ ...deed, does: 'fail', came: says }, ends(says))
    if (setting.finals === true) add({ ...deed, does: 'fail', came: `${says} for good` }, ends(says, true))
    if (says === 'none') again('after none')
  }
  add({ ...deed, does: 'time out', came: 'unknown' }, ends('unknown'))
  if (!attempt.resent && planned(state, attempt, setting) === 'send_again') again('with its key')
}

function planned(state: State, { slot, generation }: Attempt, setting: Setting) {
  const record = (state.slots[slot] ?? [])[generation - 1]
  const at = -(record?.created ?? 0) as EpochMs
  return decisions.planRecovery({ slot: seenSlot, tool: toolOf(setting), lastStart: at, at }).kind
}

const seenSlot = { createdAt: 0 as EpochMs, idempotencyKey: '' }

/** In one transaction: the effect is there exactly when its record says so. */
function commit(turn: Turn, holder: Holder, attempt: Attempt) {
  const { state, who, setting, add } = turn
  const next = copyOf(state)
  const after = attemptAt(next, who, holder)
  if (after.stage === 'admitted') after.tries++
  const before = copyOf(next)
  const end = endOf(turn, after, holder, 'happened')
  const { fit } = endings.settle(next, end, setting)
  const { call, slot, generation, nonce } = attempt
  const deed = {
    process: who,
    call,
    slot,
    generation,
    attempt: attempt.attempt,
    nonce,
    pass: end.pass,
    tries: end.tries,
    says: 'happened',
  } as const
  if (!consequences[fit].commits) {
    const undone = attemptAt(before, who, holder)
    undone.stage = 'ended'
    undone.says = 'none'
    return add({ ...deed, does: 'commit', came: fit }, before)
  }
  if (leftOf(state, 'cut') > 0) {
    add({ ...deed, does: 'commit', cut: true, came: 'not written, answer lost' }, lostCommit(before, who, holder))
    const lost = lostCommit(next, who, holder)
    lost.flights.push({ ...committed, slot, generation, nonce, by: noProcess })
    add({ ...deed, does: 'commit', cut: true, came: `${fit}, answer lost` }, lost)
  }
  next.flights.push({ ...committed, slot, generation, nonce, by: who })
  conclude(next, { who, holder, effect: 'happened', isWritten: true })
  add({ ...deed, does: 'commit', came: fit }, next)
}

const committed = { age: 0, state: 'landed', stalled: false, counts: true, stated: false } as const

/** It cannot tell whether it was committed, and says so; nothing of it is under way any more. */
function lostCommit(state: State, who: number, holder: Holder): State {
  const lost = copyOf(state)
  spend(lost, 'cut')
  const attempt = attemptAt(lost, who, holder)
  attempt.stage = 'ended'
  attempt.says = 'unknown'
  return lost
}

function endOf(
  { state, who, setting }: Turn,
  attempt: Attempt,
  holder: Holder | 'late',
  says: Attempt['says'],
): endings.End {
  const { call, slot, generation, attempt: number, nonce, tries, resent, again, vouched } = attempt
  const effect = decisions.effectOfStart(says, resent)
  const common = {
    call,
    slot,
    generation,
    attempt: number,
    nonce,
    tries,
    again,
    vouched,
    // What ends late has been answered: nothing comes after it.
    amends: setting.amends === true && holder !== 'late',
  }
  const process = processOf(state, who)
  const pass = holder === 'pass' ? (process.pass?.pass ?? 1) : (state.calls[call]?.passes ?? 1)
  switch (effect) {
    case 'happened':
      return { ...common, pass, status: 'COMPLETED', effect, held: false, asks: false }
    case 'none':
      return {
        ...common,
        pass,
        status: attempt.final ? 'FAILED_FINAL' : 'FAILED_RETRYABLE',
        effect,
        held: false,
        asks: false,
      }
    case 'unknown': {
      // By when the slot was read; what went by since is for recovery to count.
      const at = attempt.createdAge as EpochMs
      const becomesKnown = decisions.canBeRecovered({ slot: seenSlot, tool: toolOf(setting), lastStart: at, at })
      const { end, asks } = decisions.unknownEnd(becomesKnown)
      return { ...common, pass, ...end, asks }
    }
  }
}

function settle(turn: Turn, holder: Holder, attempt: Attempt) {
  const { state, who, setting, add } = turn
  const next = copyOf(state)
  const after = attemptAt(next, who, holder)
  const end = endOf(turn, after, holder, attempt.says)
  const { fit, vouches } = endings.settle(next, end, setting)
  const { call, slot, generation, nonce } = attempt
  const deed = {
    process: who,
    call,
    slot,
    generation,
    attempt: attempt.attempt,
    nonce,
    pass: end.pass,
    says: `${end.status} ${end.effect}${end.held ? ' held' : ''}`,
    tries: end.tries,
    asks: end.asks,
    again: end.again,
  }
  const settled = copyOf(next)
  conclude(settled, { who, holder, effect: end.effect, isWritten: true })
  add({ ...deed, does: 'settle', came: fit }, settled)
  if (leftOf(state, 'cut') === 0 || end.again) return
  const lost = copyOf(next)
  spend(lost, 'cut')
  Object.assign(attemptAt(lost, who, holder), { again: true, vouched: vouches })
  add({ ...deed, does: 'settle', cut: true, came: `${fit}, answer lost` }, lost)
  const gaveUp = copyOf(state)
  spend(gaveUp, 'cut')
  conclude(gaveUp, { who, holder, effect: end.effect, isWritten: false })
  add({ ...deed, does: 'give up', came: 'not written' }, gaveUp)
}

interface Conclusion {
  readonly who: number
  readonly holder: Holder
  readonly effect: Attempt['says']
  readonly isWritten: boolean
}

/** The answer is given; an executor of which nothing is known may still end. */
function conclude(state: State, { who, holder, effect, isWritten }: Conclusion): void {
  const process = processOf(state, who)
  const attempt = attemptAt(state, who, holder)
  const { call, nonce, generation } = attempt
  if (holder === 'pass') {
    if (isWritten) tell(state, call, generation, effect)
    if (effect === 'none' && !state.toldNone.includes(nonce)) state.toldNone.push(nonce)
    process.pass = undefined
  } else process.recovery = undefined
  const isOpen = flightsOf(state, nonce).some((flight) => flight.by === who)
  if (attempt.says === 'unknown' && isOpen) process.late.push({ ...attempt, again: false, vouched: false })
}

/** An executor ends after its call was answered without it. */
export function lateSteps(turn: Turn) {
  const { state, who, setting, add } = turn
  for (const [at, attempt] of processOf(state, who).late.entries()) {
    const own = flightsOf(state, attempt.nonce)
    const says = own.some(({ state: is }) => is === 'landed')
      ? 'happened'
      : own.every(({ state: is }) => is === 'refused')
        ? 'none'
        : undefined
    if (says === undefined || decisions.effectOfStart(says, attempt.resent) === 'unknown') continue
    const next = copyOf(state)
    const process = processOf(next, who)
    process.late.splice(at, 1)
    const end = endOf(turn, attempt, 'late', says)
    const { fit } = endings.settle(next, end, setting)
    const { call, slot, generation, nonce } = attempt
    const deed = { process: who, call, slot, generation, attempt: attempt.attempt, nonce, pass: end.pass }
    add({ ...deed, does: 'end late', says: `${end.status} ${end.effect}`, tries: end.tries, came: fit }, next)
  }
}
