// What executors keep open between calls: made at first use, shared by all that ask for the same, closed with the last one that used it.

import type { Awaitable, Executor } from '../../contract/tool/executor.ts'
import type { Binding } from '../../contract/tool/tool.ts'

export interface KeptOpen<T> {
  /** The same value for the same key, for all owners. */
  use(owner: object, key: string, make: () => T): T
  /** The next `use` makes a new one; owners that have this one keep it. */
  drop(key: string, value: T): void
  release(owner: object): Promise<void>
}

/** Credentials change, and with them the key: beyond this many, the ones used longest ago are let go. */
const mostPerOwner = 16

export function keepOpen<T>(close: (value: T) => Awaitable<void>): KeptOpen<T> {
  const open = new Map<string, { readonly value: T; readonly owners: Set<object> }>()
  const used = new WeakMap<object, Set<string>>()

  const letGo = async (owner: object, key: string): Promise<void> => {
    used.get(owner)?.delete(key)
    const kept = open.get(key)
    if (kept === undefined || !kept.owners.delete(owner) || kept.owners.size > 0) return
    open.delete(key)
    await close(kept.value)
  }

  return {
    use(owner, key, make) {
      let kept = open.get(key)
      if (kept === undefined) {
        kept = { value: make(), owners: new Set() }
        open.set(key, kept)
      }
      kept.owners.add(owner)
      const keys = used.get(owner) ?? new Set()
      used.set(owner, keys)
      // The one used last stands last.
      keys.delete(key)
      keys.add(key)
      const [oldest] = keys
      // Calls that still use it end first; a failure to close it is not a failure of this call.
      if (keys.size > mostPerOwner && oldest !== undefined) letGo(owner, oldest).catch(() => undefined)
      return kept.value
    },
    drop(key, value) {
      if (open.get(key)?.value === value) open.delete(key)
    },
    async release(owner) {
      await Promise.all([...(used.get(owner) ?? [])].map((key) => letGo(owner, key)))
    },
  }
}

/** The executors that run tools, and those that read their effects back, each once. */
export function executorsOf(bindings: Iterable<Pick<Binding, 'executor' | 'verifier'>>): ReadonlySet<Executor> {
  const executors = new Set<Executor>()
  for (const { executor, verifier } of bindings) {
    executors.add(executor)
    for (const source of verifier?.sources ?? []) {
      if (typeof source === 'object' && typeof source.read === 'object') executors.add(source.read)
    }
  }
  return executors
}

/** Each is closed, also where another one fails to close. */
export async function closeExecutors(bindings: Iterable<Binding>, report: (fault: unknown) => void): Promise<void> {
  const ends = await Promise.allSettled([...executorsOf(bindings)].map(async (executor) => executor.close?.()))
  for (const end of ends) if (end.status === 'rejected') report(end.reason)
}
