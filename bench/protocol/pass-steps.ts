// A pass of a call: proposed, looked up, admitted, and answered from the record where there is one.

import { attemptSteps } from './attempt-steps.ts'
import type { DeedOf, Turn } from './deed.ts'
import * as admissions from './ledger/admissions.ts'
import * as endings from './ledger/endings.ts'
import { slotOfCall } from './ledger/records.ts'
import type { Setting } from './setting.ts'
import { type Attempt, copyOf, leftOf, type Pass, processOf, type State, spend } from './state.ts'

export function passSteps(turn: Turn) {
  const { state, who } = turn
  const { pass } = processOf(state, who)
  if (pass === undefined) return propose(turn)
  switch (pass.stage) {
    case 'opened':
      return lookUp(turn, pass)
    case 'judged':
      if (turn.setting.gates === true) turnAway(turn, pass)
      return admit(turn, pass)
    case 'unanswered':
      return admit(turn, pass)
    case 'running': {
      const attempt = pass.attempt as Attempt
      return attemptSteps(turn, 'pass', attempt)
    }
  }
}

/** Calls are equal but for their numbers: the first is proposed first. */
function propose({ state, who, setting, add }: Turn) {
  for (const [call, known] of state.calls.entries()) {
    if (known.passes >= setting.passes) continue
    if (call > 0 && sameKind(setting, call) && (state.calls[call - 1]?.passes ?? 0) === 0) continue
    if (setting.doubled !== true && state.processes.some(({ pass }) => pass?.call === call)) continue
    for (const unseen of setting.guesses ?? [false]) {
      const next = copyOf(state)
      const after = next.calls[call] as State['calls'][number]
      after.passes++
      processOf(next, who).pass = {
        call,
        pass: after.passes,
        stage: unseen ? 'judged' : 'opened',
        unseen,
        generation: 1,
        nonce: 0,
        createdAge: 0,
        sentAge: 0,
        doubted: false,
        attempt: undefined,
      }
      add({ does: 'propose', process: who, call, came: unseen ? 'taken for new' : 'looked up first' }, next)
    }
  }
}

const sameKind = ({ calls }: Setting, call: number): boolean =>
  calls[call]?.slot === calls[call - 1]?.slot && calls[call]?.arguments === calls[call - 1]?.arguments

function lookUp({ state, who, setting, add }: Turn, { call }: Pass) {
  const next = copyOf(state)
  const pass = processOf(next, who).pass as Pass
  const found = admissions.lookUp(next, call, setting)
  const deed = { process: who, call, generation: found.generation, came: found.verdict }
  pass.unseen = false
  pass.createdAge = found.record === undefined ? 0 : -found.record.created
  switch (found.verdict) {
    case 'absent':
      pass.generation = 1
      pass.stage = 'judged'
      break
    case 'retry':
      pass.generation = found.generation
      pass.stage = 'judged'
      break
    case 'generation':
      pass.generation = found.generation + 1
      pass.createdAge = 0
      pass.stage = 'judged'
      break
    default:
      answered(next, who, found, setting)
  }
  add({ ...deed, does: 'look up', pass: pass.pass }, next)
}

/** The pass ends with what the record says, and its provider's id belongs to that generation from now on. */
function answered(
  state: State,
  who: number,
  { verdict, record, generation }: admissions.LookedUp,
  setting: Setting,
): void {
  const process = processOf(state, who)
  const { call, pass } = process.pass as Pass
  process.pass = undefined
  const slot = slotOfCall(call, setting)
  // Of an operation with other arguments nothing is said that a caller could take for their own.
  if (verdict === 'mismatch' || record === undefined) return
  const { effect } = record
  const looksOn = pass > 1 && (verdict === 'busy' || verdict === 'held')
  endings.note(state, { call, pass, effect, looksOn, yields: pass > 1, slot, generation })
  tell(state, call, generation, effect)
  const known = state.calls[call]
  if (known !== undefined && effect === 'none' && verdict === 'replay') known.toldNone |= 1 << generation
}

/** By a gate before its admission: for want of an approval, of a budget, of a right. */
function turnAway({ state, who, add }: Turn, { call, pass }: Pass) {
  const next = copyOf(state)
  processOf(next, who).pass = undefined
  endings.turnAway(next, { call, pass, effect: 'none', yields: pass > 1 })
  add({ does: 'turn away', process: who, call, pass, came: 'recorded' }, next)
}

function admit(turn: Turn, pass: Pass) {
  const { state, who, setting, add } = turn
  const { call, generation, unseen } = pass
  const isAgain = pass.stage === 'unanswered'
  const next = copyOf(state)
  const nonce = isAgain ? pass.nonce : ++next.nonces
  const asked = { call, process: who, nonce, generation, unseen }
  const came = admissions.admit(next, asked, setting)
  const after = processOf(next, who).pass as Pass
  const deed = { does: 'admit', process: who, call, pass: pass.pass, nonce, generation, unseen } as const
  switch (came.kind) {
    case 'admitted': {
      after.stage = 'running'
      after.attempt = newAttempt(after, came, {
        slot: slotOfCall(call, setting),
        nonce,
        leaseAge: isAgain ? pass.sentAge : 0,
      })
      // Without a session others take this process for dead: once there is one again, it has to be confirmed as well.
      after.attempt.doubted = pass.doubted || (!processOf(next, who).hasSession && setting.poolers !== true)
      after.doubted = false
      add(
        { ...deed, attempt: came.attempt, came: came.again ? 'again' : came.attempt > 1 ? 'retried' : 'admitted' },
        next,
      )
      if (!came.again && leftOf(state, 'cut') > 0) lostAdmission(turn, next, deed, came.attempt)
      return
    }
    case 'stale':
      after.generation = came.generation
      after.stage = 'judged'
      if (!isAgain) next.nonces--
      return add({ ...deed, came: 'stale' }, next)
    case 'known':
      after.stage = 'opened'
      after.unseen = false
      return add({ ...deed, came: 'known' }, next)
    case 'approval':
    case 'grant':
      processOf(next, who).pass = undefined
      return add({ ...deed, came: came.kind }, next)
    case 'slot': {
      const found = admissions.lookUp(next, call, setting)
      answered(next, who, found, setting)
      return add({ ...deed, came: `slot ${found.verdict}` }, next)
    }
  }
}

/** It was admitted, and does not know it. */
function lostAdmission({ who, add }: Turn, admitted: State, deed: Omit<DeedOf<'admit'>, 'came'>, attempt: number) {
  const lost = copyOf(admitted)
  spend(lost, 'cut')
  const after = processOf(lost, who).pass as Pass
  after.stage = 'unanswered'
  after.nonce = deed.nonce
  after.attempt = undefined
  add({ ...deed, attempt, cut: true, came: 'answer lost' }, lost)
  const gaveUp = copyOf(lost)
  processOf(gaveUp, who).pass = undefined
  add({ ...deed, attempt, cut: true, came: 'answer lost, given up' }, gaveUp)
}

function newAttempt(
  { call, createdAge }: Pass,
  { generation, attempt }: Extract<admissions.Admitted, { kind: 'admitted' }>,
  { slot, nonce, leaseAge }: Pick<Attempt, 'slot' | 'nonce' | 'leaseAge'>,
): Attempt {
  return {
    call,
    slot,
    generation,
    attempt,
    nonce,
    resent: false,
    stage: 'admitted',
    tries: 0,
    // Counted from when it was asked for first.
    leaseAge,
    doubted: false,
    startAge: 0,
    createdAge: attempt > 1 ? createdAge : 0,
    says: 'unknown',
    final: false,
    again: false,
    vouched: false,
  }
}

/** What a caller was told has to stay true. */
export function tell(state: State, call: number, generation: number, effect: Attempt['says']) {
  const known = state.calls[call]
  if (known !== undefined && effect === 'happened') known.toldHappened |= 1 << generation
}
