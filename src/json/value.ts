// The JSON data model as types. Everything that travels between rooms as data is a JsonValue: no undefined, no
// functions, no class instances, and numbers that are finite.

export type JsonPrimitive = string | number | boolean | null

export type JsonValue = JsonPrimitive | readonly JsonValue[] | JsonObject

export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** True for anything that is an object but neither null nor an array; it does not look inside. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
