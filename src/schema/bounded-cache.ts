// A memo that forgets its oldest entries: compiled patterns and validators are kept, but never without a limit.

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
    entries.set(key, made)
    if (entries.size > size) {
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        break
      }
    }
    return made
  }
}
