// Bounds on waiting for code that is neither the executor nor ours: readers, hooks, policies, verifiers, peers. Code that does not end in
// time counts as failed; a call never hangs on it.
import type { Awaitable } from '../contract/tool/executor.ts'
import { timerMs } from '../json/clock.ts'

/** `onLate` tells the code that its result is not awaited any more. */
export function within<T>(ms: number, work: Awaitable<T>, onLate?: () => void): Awaitable<T> {
  if (!isPromiseLike(work)) return work
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      onLate?.()
      reject(new Error(`not finished within ${ms} ms`))
    }, timerMs(ms))
  })
  return Promise.race([Promise.resolve(work), late]).finally(() => clearTimeout(timer))
}

/** Query builders and the like are awaited too, though they are no promises. */
export function isPromiseLike(work: unknown): work is PromiseLike<unknown> {
  return typeof work === 'object' && work !== null && 'then' in work && typeof work.then === 'function'
}

/** Undefined where the signal comes first. Only the caller leaves: the work goes on, for others that wait for it too. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const leave = () => resolve(undefined)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
