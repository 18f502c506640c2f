// What becomes of processes and their sessions: killed, standing still, awake again, cut off, and confirmed.

import { attemptAt } from './attempt-steps.ts'
import type { Turn } from './deed.ts'
import * as recoveries from './ledger/recoveries.ts'
import {
  attemptsOf,
  copyOf,
  deadOwner,
  leftOf,
  newProcess,
  noProcess,
  type Process,
  processOf,
  spend,
} from './state.ts'

export function loseSession(process: Process): void {
  process.hasSession = false
  for (const attempt of attemptsOf(process)) attempt.doubted = true
  // What it was given it may not know yet.
  if (process.pass?.stage === 'unanswered') process.pass.doubted = true
}

export function sessionSteps({ state, who, setting: { poolers }, add }: Turn) {
  if (poolers === true) return
  const process = processOf(state, who)
  if (!process.hasSession) {
    const next = copyOf(state)
    processOf(next, who).hasSession = true
    add({ does: 'regain', process: who, came: 'a session' }, next)
    return
  }
  if (leftOf(state, 'loss') > 0) {
    const next = copyOf(state)
    spend(next, 'loss')
    loseSession(processOf(next, who))
    add({ does: 'loss', process: who, came: 'of its session' }, next)
  }
  const attempt = process.pass?.attempt
  if (attempt === undefined || !(attempt.doubted || attempt.leaseAge > 0)) return
  const next = copyOf(state)
  const { slot, generation, nonce, call } = attempt
  const isRenewed = recoveries.renew(next, slot, generation, nonce)
  if (isRenewed) {
    const after = attemptAt(next, who, 'pass')
    after.leaseAge = 0
    after.doubted = false
  }
  add({ does: 'renew', process: who, call, slot, generation, nonce, came: isRenewed ? 'renewed' : 'refused' }, next)
}

export function processMishaps({ state, who, add }: Turn) {
  const isIdle = (process: Process) =>
    process.pass === undefined && process.recovery === undefined && process.late.length === 0
  const owns = state.slots.some((generations) => generations.some(({ owner }) => owner === who))
  if (leftOf(state, 'crash') > 0 && (owns || !isIdle(processOf(state, who)))) {
    const next = copyOf(state)
    spend(next, 'crash')
    for (const generations of next.slots)
      for (const record of generations) {
        if (record.owner === who) record.owner = deadOwner
        if (record.watcher === who) record.watcher = deadOwner
      }
    for (const flight of next.flights) {
      // What has not left by then never does.
      if (flight.by === who && flight.stalled && flight.state === 'away') flight.state = 'refused'
      if (flight.by === who) flight.by = noProcess
    }
    next.processes[who] = newProcess()
    add({ does: 'crash', process: who, came: 'gone' }, next)
  }
  if (isIdle(processOf(state, who))) return
  for (const [mishap, life] of [
    ['sleep', 'asleep'],
    ['freeze', 'frozen'],
  ] as const) {
    if (leftOf(state, mishap) === 0) continue
    const next = copyOf(state)
    spend(next, mishap)
    processOf(next, who).life = life
    for (const flight of next.flights) if (flight.by === who && flight.state === 'away') flight.stalled = true
    add({ does: mishap, process: who, came: 'stands still' }, next)
  }
}

export function wake({ state, who, add }: Turn) {
  const next = copyOf(state)
  processOf(next, who).life = 'up'
  add({ does: 'wake', process: who, came: 'goes on' }, next)
}
