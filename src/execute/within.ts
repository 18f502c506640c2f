// Bounds code of the host that is neither the executor nor ours: readers, hooks, policies, verifiers. What does not end in time counts
// as failed; nothing that a call waits for may hang it.
import type { Awaitable } from '../contract/tool/tool.ts'
import { timerMs } from '../json/clock.ts'

/** `onLate` tells whoever works that nobody waits any more. */
export function within<T>(ms: number, work: Awaitable<T>, onLate?: () => void): Awaitable<T> {
  if (!isThenable(work)) return work
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
export function isThenable(work: unknown): boolean {
  return typeof work === 'object' && work !== null && 'then' in work && typeof work.then === 'function'
}
