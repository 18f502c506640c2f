// A memo that forgets its oldest entries: compiled patterns and validators are kept, but never without a limit.
import { keepNewest } from '../json/keep-newest.ts'

/** Returns a lookup that makes a missing value and keeps at most `size` of them, least recently used first out. */
export function boundedCache<V>(size: number): (key: string, make: (key: string) => V) => V {
  const entries = new Map<string, V>()
  return (key, make) => {
    const known = entries.get(key)
    if (known !== undefined) {
      entries.delete(key)
      entries.set(key, known)
      return known
    }
    const made = make(key)
    keepNewest(entries, key, made, size)
    return made
  }
}
