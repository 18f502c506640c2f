// A process that finds out what became of an attempt whose owner was not heard of any more.

import { sendAgainMs } from '../../src/execute/attempt/recovery.ts'
import type { EpochMs } from '../../src/json/clock.ts'
import type { Owner } from '../../src/ledger/ports/operations.ts'
import type { Owned } from '../../src/ledger/rules/own-attempt.ts'
import { restartLeaseMs, restartLookMs } from '../../src/ledger/rules/recovery-times.ts'
import { attemptSteps } from './attempt-steps.ts'
import { decisions } from './decisions.ts'
import type { Turn } from './deed.ts'
import * as endings from './ledger/endings.ts'
import { pendingOf } from './ledger/records.ts'
import * as recoveries from './ledger/recoveries.ts'
import { loseSession } from './process-steps.ts'
import { horizonMs, never, type Setting, tickMs, timeoutMs, toolOf, windowOf } from './setting.ts'
import {
  type Attempt,
  copyOf,
  deadOwner,
  leftOf,
  noProcess,
  type Process,
  processOf,
  type Recovery,
  type State,
  spend,
  unseenOwner,
} from './state.ts'

export function recoverySteps(turn: Turn) {
  const { state, who, setting, add } = turn
  const { recovery } = processOf(state, who)
  if (recovery === undefined) return claims(turn)
  const { slot, generation, nonce, attempt, call } = recovery
  const deed = { process: who, slot, generation, nonce, attempt, call }
  const change = (made: Partial<Recovery>): State => {
    const next = copyOf(state)
    Object.assign(processOf(next, who).recovery as Recovery, made)
    return next
  }
  if (recovery.stage === 'running') return attemptSteps(turn, 'recovery', recovery.run as Attempt)
  switch (recovery.way) {
    case 'undone':
      return write(turn, recovery, 'none')
    case 'hold':
      return write(turn, recovery, 'hold')
    case 'send_again':
      return restart(turn, recovery)
    case 'read_back':
      break
  }
  if (recovery.stage === 'found') {
    const next = copyOf(state)
    const after = processOf(next, who).recovery as Recovery
    after.stage = 'fenced'
    after.owner = fence(next, who, recovery, setting)
    return add({ ...deed, does: 'fence', came: after.owner }, next)
  }
  if (recovery.stage === 'fenced') {
    for (const word of wordsOf(state, recovery, setting)) {
      const at = 0 as EpochMs
      const absenceCountsAt = recovery.countsIn as EpochMs
      const verdict = decisions.judgeReadBack({ word, at, absenceCountsAt, horizonMs, owner: recovery.owner })
      const reading = { ...deed, does: 'read back', value: recovery.countsIn, says: recovery.owner } as const
      const came = `${word ?? 'unreadable'}, ${verdict.kind}`
      if (verdict.kind === 'none') add({ ...reading, came }, change({ stage: 'judged' }))
      // What is there stays there, and what is looked at again changes nothing: no one can come in between.
      else write(turn, recovery, verdict.kind, verdict.kind === 'later' ? verdict.ms : 0)
    }
    return
  }
  return write(turn, recovery, 'none')
}

/** From when on nothing more depends on how long absence has counted. */
const longestAbsence = ({ powerless, unreadable, poolers }: Setting): number =>
  powerless === true || unreadable !== undefined ? -never : poolers === true ? -tickMs : 0

function claims({ state, who, setting, add }: Turn) {
  for (const [slot, generations] of state.slots.entries()) {
    for (const [index, record] of generations.entries()) {
      if (!recoveries.isDue(record, who)) continue
      // What it has in hand itself, it brings to its end itself.
      const isOwn = holdsLease(processOf(state, who), record.nonce)
      const next = copyOf(state)
      const after = processOf(next, who)
      const claimed = (next.slots[slot] ?? [])[index] as typeof record
      const last = recoveries.claim(claimed, after, who, setting)
      const { nonce, attempt, call, starts, created } = claimed
      const at = 0 as EpochMs
      const seen = { createdAt: created as EpochMs, idempotencyKey: '' }
      const plan = decisions.planRecovery({ slot: seen, tool: toolOf(setting), lastStart: last as EpochMs, at })
      const deed = { process: who, slot, generation: index + 1, nonce, attempt, call, value: last }
      if (isOwn) {
        add({ ...deed, does: 'claim', came: 'its own' }, next)
        continue
      }
      after.recovery = {
        slot,
        generation: index + 1,
        nonce,
        attempt,
        call,
        starts,
        stage: 'found',
        way: plan.kind,
        countsIn: plan.kind === 'read_back' ? Math.max(plan.absenceCountsAt, longestAbsence(setting)) : 0,
        owner: 'alive',
        run: undefined,
      }
      add({ ...deed, does: 'claim', came: `${plan.kind} ${plan.how}` }, next)
    }
  }
}

/** The lease was begun with the answer of the admission, and ends with the write of the end. */
const holdsLease = ({ pass }: Process, nonce: number): boolean => pass?.attempt?.nonce === nonce

function fence(state: State, who: number, { slot, generation, nonce }: Recovery, { powerless }: Setting): Owner {
  const record = pendingOf(state, slot, generation, nonce)
  const owner = record?.owner ?? noProcess
  const isClaimed = record === undefined || record.watcher === who
  const known = decisions.ownerByRecord({ owner: kindOf(owner, who), isClaimed })
  if (known !== undefined) return known
  const process = owner === deadOwner ? undefined : processOf(state, owner)
  if (process?.hasSession === true) {
    if (powerless === true) return 'alive'
    loseSession(process)
  }
  // Of this attempt it is the owner no more, also once it has another session.
  if (record !== undefined && record.lease <= 0 && record.watcher !== noProcess) {
    record.owner = noProcess
    record.lease = 0
  }
  return 'fenced'
}

function kindOf(owner: number, who: number): Owned['owner'] {
  if (owner === noProcess) return 'none'
  if (owner === who) return 'own'
  return owner === unseenOwner ? 'unseen' : 'another'
}

function wordsOf(state: State, recovery: Recovery, { unreadable }: Setting) {
  if (unreadable === 'always') return [undefined]
  const stands = state.flights.some(
    (flight) => flight.state === 'landed' && flight.slot === recovery.slot && flight.generation === recovery.generation,
  )
  const word = stands ? ('verified' as const) : ('absent' as const)
  return unreadable === 'sometimes' ? [word, undefined] : [word]
}

function write(
  { state, who, setting, add }: Turn,
  recovery: Recovery,
  verdict: 'happened' | 'none' | 'later' | 'hold',
  laterMs = 0,
) {
  const { slot, generation, nonce, attempt, call } = recovery
  const next = copyOf(state)
  processOf(next, who).recovery = undefined
  const deed = { process: who, slot, generation, nonce, attempt, call }
  if (verdict === 'later') {
    const record = pendingOf(next, slot, generation, nonce)
    if (record !== undefined && !record.held) record.look = laterMs
    return add({ ...deed, does: 'postpone', value: laterMs, came: record === undefined ? 'gone' : 'later' }, next)
  }
  const pass = next.calls[call]?.passes ?? 1
  const end: endings.End = {
    call,
    slot,
    generation,
    attempt,
    nonce,
    tries: 0,
    pass,
    again: false,
    vouched: false,
    amends: false,
    ...ends[verdict],
    asks: verdict === 'hold' && decisions.unknownEnd(false).asks,
  }
  const { fit } = endings.settle(next, end, setting)
  const says = `${end.status} ${end.effect}${end.held ? ' held' : ''}`
  add({ ...deed, does: 'conclude', pass, says, asks: end.asks, tries: 0, came: fit }, next)
}

const ends = {
  happened: { status: 'COMPLETED', effect: 'happened', held: false },
  none: { status: 'FAILED_RETRYABLE', effect: 'none', held: false },
  hold: { status: 'PENDING', effect: 'unknown', held: true },
} as const

function restart({ state, who, setting, add }: Turn, recovery: Recovery) {
  const { slot, generation, nonce, attempt, call } = recovery
  const next = copyOf(state)
  const process = processOf(next, who)
  const record = pendingOf(next, slot, generation, nonce)
  const deed = { does: 'restart', process: who, slot, generation, nonce, attempt, call } as const
  const withinMs = sendAgainMs(windowOf(setting), timeoutMs)
  if (record === undefined || record.held || record.look <= 0 || record.created + withinMs <= 0) {
    process.recovery = undefined
    return add({ ...deed, came: 'too late' }, next)
  }
  const name = ++next.nonces
  record.nonce = name
  record.owner = setting.poolers === true ? unseenOwner : who
  record.lease = restartLeaseMs(timeoutMs)
  record.look = restartLookMs(timeoutMs)
  const after = process.recovery as Recovery
  after.stage = 'running'
  after.run = {
    call,
    slot,
    generation,
    attempt,
    nonce: name,
    resent: true,
    stage: 'admitted',
    tries: 0,
    leaseAge: 0,
    doubted: !process.hasSession && setting.poolers !== true,
    startAge: 0,
    createdAge: 0,
    says: 'unknown',
    final: false,
    again: false,
    vouched: false,
  }
  add({ ...deed, next: name, came: 'restarted' }, next)
  if (leftOf(state, 'cut') === 0) return
  const lost = copyOf(next)
  spend(lost, 'cut')
  processOf(lost, who).recovery = undefined
  add({ ...deed, next: name, cut: true, came: 'answer lost' }, lost)
}
