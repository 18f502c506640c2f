// Whether running code may still act. Its signal compares the time itself when it is read: a timer fires late where this process stood
// still, or where its own work kept the event loop, and code that reads `aborted` just before an effect needs the present answer. It stays
// the platform's own signal: listeners fire, and all that takes an AbortSignal takes it. Signals derived from it are aborted when it is
// read or when its timer fires.
import { Withheld } from '../../contract/fault.ts'
import type { ExecutionContext } from '../../contract/tool/executor.ts'

const compare = Symbol('compare')

interface TimedSignal extends AbortSignal {
  /** Aborts the signal where it is time. */
  [compare](): void
}

const isAborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted')?.get ?? (() => false)

// Between a signal and its prototype, because two properties on each signal would cost four times as much: 1 µs.
const timed: object = Object.create(AbortSignal.prototype, {
  aborted: {
    get(this: TimedSignal): boolean {
      if (isAborted.call(this)) return true
      this[compare]()
      return isAborted.call(this)
    },
    enumerable: true,
    configurable: true,
  },
  throwIfAborted: {
    value(this: TimedSignal): void {
      if (this.aborted) throw this.reason
    },
    writable: true,
    enumerable: true,
    configurable: true,
  },
})

export function compareWhenRead(signal: AbortSignal, abortIfTime: () => void): void {
  Object.setPrototypeOf(signal, timed)
  ;(signal as TimedSignal)[compare] = abortIfTime
}

/**
 * What every executor does at the last moment before its effect: throws where it may not act any more. Only a pause between this and the
 * effect is not noticed, so there is as little as possible between the two.
 */
export function lastLook({ mayAct }: Pick<ExecutionContext, 'mayAct'>): void {
  if (!mayAct()) throw new Withheld()
}
