// Plain data as a list of its parts, so that two states of one object can be compared after it was changed in place.

const object = Symbol('object')
const list = Symbol('list')
const end = Symbol('end')

/** Settings are flat; a deeper part is not one of them, or has no end. */
const maxDepth = 8

/**
 * Keys and values in their order; functions stand for themselves. Undefined where some part is neither plain data nor a function: what
 * such an object holds cannot be seen from outside.
 */
export function flattened(value: unknown): readonly unknown[] | undefined {
  const parts: unknown[] = []
  return append(parts, value, 0) ? parts : undefined
}

export function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((part, index) => Object.is(part, b[index]))
}

function append(parts: unknown[], value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) {
    parts.push(value)
    return true
  }
  if (depth > maxDepth || !isPlainObject(value)) return false
  parts.push(Array.isArray(value) ? list : object)
  const fits = Object.entries(value).every(([key, inner]) => {
    parts.push(key)
    return append(parts, inner, depth + 1)
  })
  parts.push(end)
  return fits
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || prototype === Array.prototype
}
