// What a process looks after besides its calls, at intervals and on demand: effects to read back, operations and sagas that others
// left, approvals to go on with. One sweep of a kind at a time; a caller that asks meanwhile gets its outcome.
import type { VerificationState } from '../../contract/verification/verification.ts'
import { whenReadBack } from '../../contract/verification/verification-depth.ts'
import { type Recovered, type RecoverInput, sweep } from './recover.ts'
import { verifyDue } from './verify-later.ts'

export interface SweepsInput extends RecoverInput {
  readonly everyMs: number
  /** Left behind only where the ledger outlives its processes. */
  readonly resumeApproved: () => Promise<void>
  readonly sweepSagas: () => Promise<unknown>
}

export interface Sweeps {
  verify(): Promise<readonly VerificationState[]>
  recover(): Promise<readonly Recovered[]>
  /** Begins the intervals once there is something to look after; call it again when tools have come. */
  start(): void
  /** No interval from here on. */
  stop(): void
  /** When the sweeps have ended that are under way, however they end. */
  ended(): Promise<void>
}

export function createSweeps(input: SweepsInput): Sweeps {
  const { deps, byHash, everyMs, resumeApproved, sweepSagas } = input
  const isDurable = deps.ledger.durability === 'durable'
  const verifying = oneAtATime(() => verifyDue(input))
  const recovering = oneAtATime(() => sweep(input))
  let interval: ReturnType<typeof setInterval> | undefined
  let latest: Promise<unknown> | undefined
  // A sweep that fails is reported, and followed by the next: the ledger may have come back by then.
  const sweepAll = () =>
    Promise.all([verifying.run(), ...(isDurable ? [recovering.run(), resumeApproved(), sweepSagas()] : [])]).catch(
      deps.report,
    )
  return {
    verify: verifying.run,
    async recover() {
      const outcomes = await recovering.run()
      await sweepSagas()
      return outcomes
    },
    start() {
      // In memory only effects that are read back later have to be looked after.
      if (interval !== undefined || !(isDurable || [...byHash.values()].some((tool) => whenReadBack(tool) === 'later')))
        return
      interval = setInterval(() => {
        latest = sweepAll()
      }, everyMs).unref()
    },
    stop() {
      clearInterval(interval)
    },
    async ended() {
      await Promise.allSettled([recovering.current(), verifying.current(), latest])
    },
  }
}

function oneAtATime<T>(work: () => Promise<T>) {
  let current: Promise<T> | undefined
  return {
    current: () => current,
    run(): Promise<T> {
      current ??= work().finally(() => {
        current = undefined
      })
      return current
    },
  }
}
