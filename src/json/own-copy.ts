// A copy whose arrays and plain objects no other code holds, so that code of the host may do with it what it likes. Anything else inside —
// dates, instances of classes — is shared, because only its own code knows how to copy it.

export function ownCopy<T>(value: T): T {
  return copyContainers(value) as T
}

function copyContainers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyContainers)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key)
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: member, enumerable: true, writable: true, configurable: true })
    else copy[key] = copyContainers(member)
  }
  return copy
}
