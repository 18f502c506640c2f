// When this process is to stop itself, and what is known of it afterwards. Invariant: one stop for each plan, and none once it was called off.
import { Worker } from 'node:worker_threads'

export const idle = 0
const going = 1
export const slots = { due: 0, stopped: 1, woken: 2 } as const

/** What both threads see. */
export interface Agreed {
  readonly state: Int32Array
  /** Of the system's monotonic clock, in nanoseconds. */
  readonly times: BigInt64Array
}

/** Milliseconds of the system's monotonic clock. */
export interface Stop {
  readonly stoppedAt: number
  readonly wokenAt: number
}

export interface StopPlan {
  /** Stops this process so long from now. */
  start(delayMs: number): void
  callOff(): void
  /** Calls off what was planned, and forgets what has been. */
  reset(): void
  /** Since the last reset. */
  readonly stop: Stop | undefined
}

export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1_000_000

export function createStopPlan(): StopPlan {
  const agreed: Agreed = {
    state: new Int32Array(new SharedArrayBuffer(4)),
    times: new BigInt64Array(new SharedArrayBuffer(8 * Object.keys(slots).length)),
  }
  const { state, times } = agreed
  const worker = new Worker(new URL('./stopper.ts', import.meta.url), { workerData: agreed })
  worker.unref()
  const at = (slot: number) => Number(Atomics.load(times, slot)) / 1_000_000
  const callOff = () => {
    Atomics.store(state, 0, idle)
    Atomics.notify(state, 0)
  }
  return {
    start(delayMs) {
      Atomics.store(times, slots.due, process.hrtime.bigint() + BigInt(Math.round(delayMs * 1_000_000)))
      Atomics.store(state, 0, going)
      Atomics.notify(state, 0)
    },
    callOff,
    reset() {
      callOff()
      Atomics.store(times, slots.stopped, 0n)
      Atomics.store(times, slots.woken, 0n)
    },
    get stop() {
      const stoppedAt = at(slots.stopped)
      return stoppedAt === 0 ? undefined : { stoppedAt, wokenAt: at(slots.woken) }
    },
  }
}
