// Masks values at given pointers in a copy. `*` stands for any key or index; what no pointer reaches is shared, not copied.
import { tokensOf } from './pointer.ts'
import { isObject, type JsonObject, type JsonValue } from './value.ts'

const masked = '[masked]'

export function maskPointers(value: JsonObject, pointers: readonly string[]): JsonObject {
  const result = maskValue(value, pointers)
  return isObject(result) ? result : {}
}

/** Masks one more place; for results, whose root may be any value. */
export function maskValue(value: JsonValue, pointers: readonly string[]): JsonValue {
  let result = value
  for (const pointer of pointers) result = maskTokens(result, tokensOf(pointer), 0)
  return result
}

/** Whether a place lies at, below or above one of the pointers. */
export function touches(place: readonly (string | number)[], pointers: readonly string[]): boolean {
  return pointers.some((pointer) =>
    tokensOf(pointer).every((token, index) => {
      const own = place[index]
      return own === undefined || token === '*' || token === String(own)
    }),
  )
}

function maskTokens(value: JsonValue, tokens: readonly string[], at: number): JsonValue {
  const token = tokens[at]
  if (token === undefined) return masked
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value
    return items.map((item, index) =>
      token === '*' || token === String(index) ? maskTokens(item, tokens, at + 1) : item,
    )
  }
  if (!isObject(value)) return value
  const copy: Record<string, JsonValue> = { ...value }
  for (const key of token === '*' ? Object.keys(value) : [token]) {
    const inner = Object.hasOwn(value, key) ? value[key] : undefined
    if (inner !== undefined) copy[key] = maskTokens(inner, tokens, at + 1)
  }
  return copy
}
