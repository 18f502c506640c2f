// Locks within this process, held from schedule to the end of the call. All keys of a call are taken together and in order of arrival
// per key, so two calls never wait for each other.

export interface Locks {
  /** Resolves with `release` once every key is free; `waited` says whether anything else ran in between. */
  acquire(keys: readonly string[], signal: AbortSignal | undefined): Held | Promise<Held | undefined>
}

export interface Held {
  readonly waited: boolean
  release(): void
}

interface Waiter {
  readonly keys: readonly string[]
  readonly grant: () => void
}

export function createLocks(): Locks {
  const held = new Set<string>()
  const queue: Waiter[] = []

  const take = (keys: readonly string[], waited: boolean): Held => {
    for (const key of keys) held.add(key)
    let released = false
    return {
      waited,
      release() {
        if (released) return
        released = true
        for (const key of keys) held.delete(key)
        wake()
      },
    }
  }

  /** Grants in order of arrival; a waiter keeps its keys from those behind it, so none starves. */
  const wake = () => {
    const claimed = new Set<string>()
    for (const waiter of [...queue]) {
      const free = waiter.keys.every((key) => !held.has(key) && !claimed.has(key))
      if (free) {
        queue.splice(queue.indexOf(waiter), 1)
        waiter.grant()
      } else for (const key of waiter.keys) claimed.add(key)
    }
  }

  return {
    acquire(keys, signal) {
      const wanted = [...new Set(keys)]
      const contended = wanted.some((key) => held.has(key) || queue.some((waiter) => waiter.keys.includes(key)))
      if (!contended) return take(wanted, false)
      return new Promise((resolve) => {
        const onAbort = () => {
          queue.splice(queue.indexOf(waiter), 1)
          resolve(undefined)
          wake()
        }
        const waiter: Waiter = {
          keys: wanted,
          grant: () => {
            signal?.removeEventListener('abort', onAbort)
            resolve(take(wanted, true))
          },
        }
        queue.push(waiter)
        if (signal?.aborted) onAbort()
        else signal?.addEventListener('abort', onAbort, { once: true })
      })
    },
  }
}
