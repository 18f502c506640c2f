// A memory that is kept for speed never grows without a limit: the oldest entry is forgotten first.

/** Puts the value into the map, and the oldest one out where there are more than `size`. */
export function keepNewest<K, V>(map: Map<K, V>, key: K, value: V, size: number): void {
  map.set(key, value)
  if (map.size <= size) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}

/** A lookup that makes a missing value and keeps at most `size` of them; the least recently used one goes first. */
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
