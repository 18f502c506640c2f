// What becomes of processes and their sessions, and how time passes: played. What executors and the world do leaves the ledger as it is.

import type { RealProcess } from './real-processes.ts'
import type { Plays, Stage } from './stage.ts'

type ProcessDeed = 'regain' | 'loss' | 'renew' | 'crash' | 'sleep' | 'freeze' | 'wake' | 'tick' | 'step'
type OutsideDeed =
  | 'propose'
  | 'start'
  | 'start again'
  | 'send'
  | 'return'
  | 'fail'
  | 'time out'
  | 'land'
  | 'stalled write'
  | 'refuse'

const nothing = () => undefined

export const playOutside: Plays<OutsideDeed> = {
  propose: nothing,
  start: nothing,
  'start again': nothing,
  send: nothing,
  return: nothing,
  fail: nothing,
  'time out': nothing,
  land: nothing,
  'stalled write': nothing,
  refuse: nothing,
}

/** @param begin Kills a process, and begins another one in its place. */
export function playProcesses(stage: Stage, begin: (at: number) => Promise<void>): Plays<ProcessDeed> {
  const { names, real, processes, frozen, sessionless } = stage
  const { tenant, keyOf, nonceOf } = names
  return {
    async regain({ process }) {
      await real.regain(processes[process] as RealProcess)
      sessionless.delete(process)
      return undefined
    },
    async loss({ process }) {
      await real.endSession(processes[process] as RealProcess)
      sessionless.add(process)
      return undefined
    },
    async renew({ slot, generation, nonce, came }) {
      const rows = await real.renew({ tenant, key: keyOf(slot), generation, nonce: nonceOf(nonce) })
      return rows > 0 === (came === 'renewed') ? undefined : `renewed: ${rows > 0}`
    },
    async crash({ process }) {
      await begin(process)
      sessionless.delete(process)
      return undefined
    },
    sleep: nothing,
    freeze: ({ process }) => void frozen.add(process),
    wake: ({ process }) => void frozen.delete(process),
    async tick() {
      await real.pass(processes.filter((_, index) => !frozen.has(index)))
      return undefined
    },
    async step() {
      await real.pass([])
      return undefined
    },
  }
}
