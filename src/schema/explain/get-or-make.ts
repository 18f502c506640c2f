// Looks up a key and fills the gap on the first visit: the one way in which the explainer keeps what it has worked out.

export function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined || map.has(key)) return known as V
  const made = make()
  map.set(key, made)
  return made
}
