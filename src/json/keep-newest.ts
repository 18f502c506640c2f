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
