// What the ledger does for a process that finds out what became of lost attempts, and for one that holds its own.
import { isTaken } from '../../../src/ledger/rules/due.ts'
import { claimMs, lastStart, watcherMs } from '../../../src/ledger/rules/recovery-times.ts'
import { isReadable, leaseMs, type Setting } from '../setting.ts'
import { type Generation, noProcess, type Process, type State } from '../state.ts'
import { pendingOf } from './records.ts'

export const isDue = (record: Generation, process: number): boolean =>
  record.status === 'PENDING' &&
  isTaken({
    due: record.look <= 0,
    watched: record.watcher !== noProcess && record.watcher !== process,
    waited: record.look <= -watcherMs,
    known: true,
    orphan: false,
  })

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

export function renew(state: State, slot: number, generation: number, nonce: number): boolean {
  const record = pendingOf(state, slot, generation, nonce)
  if (record === undefined || record.held || record.lease <= 0 || record.watcher !== noProcess) return false
  record.lease = record.look = leaseMs
  return true
}
