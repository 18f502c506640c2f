// The calls that a schema describes: objects that are open only because nothing closes them take just the keys they declare. It separates a
// change that hurts callers who send declared keys from one that hurts only callers who send undeclared keys.
// Invariant: what it makes is never wider than what it was given.
import { readPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'

const maxNodes = 100_000
/** Words by which several schemas speak about one value: closing one of them would refuse the keys of the others. */
const together = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'] as const
const closing = ['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'minProperties', '$dynamicRef']

/** Undefined where there is nothing to close. */
export function declaredOnly(schema: JsonValue): JsonValue | undefined {
  if (!isObject(schema)) return undefined
  const roles = rolesOf(schema)
  if (roles === undefined) return undefined
  const { whole, parts } = roles
  const closable = new Set([...whole].filter((node) => !parts.has(node) && isClosable(node, node === schema)))
  return closable.size === 0 ? undefined : rewrite(schema, closable)
}

interface Roles {
  /** Schemas that alone speak about a value. */
  readonly whole: ReadonlySet<JsonObject>
  /** Schemas beside which others speak about the same value. */
  readonly parts: ReadonlySet<JsonObject>
}

function rolesOf(root: JsonObject): Roles | undefined {
  const whole = new Set<JsonObject>()
  const parts = new Set<JsonObject>()
  const queue: (readonly [JsonValue | undefined, boolean])[] = [[root, true]]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [node, isWhole] = next
    if (!isObject(node)) continue
    const seen = isWhole ? whole : parts
    if (seen.has(node)) continue
    seen.add(node)
    if (whole.size + parts.size > maxNodes) return undefined
    if (typeof node.$ref === 'string') {
      const isAlone = isWhole && Object.keys(node).every((word) => !speaking.has(word))
      queue.push([localTarget(root, node.$ref), isAlone])
    }
    for (const word of together) for (const child of schemasIn(node[word])) queue.push([child, false])
    for (const word of ['properties', 'patternProperties'] as const)
      for (const child of isObject(node[word]) ? Object.values(node[word]) : []) queue.push([child, true])
    for (const word of ['items', 'prefixItems', 'additionalItems', 'contains', 'additionalProperties'] as const)
      for (const child of schemasIn(node[word])) queue.push([child, true])
  }
  return { whole, parts }
}

const speaking: ReadonlySet<string> = new Set([...together, ...closing, 'properties', 'required', 'items', 'type'])

function localTarget(root: JsonObject, reference: string): JsonValue | undefined {
  try {
    return reference.startsWith('#') ? readPointer(root, decodeURIComponent(reference.slice(1))) : undefined
  } catch {
    return undefined
  }
}

function schemasIn(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return value
  return value === undefined ? [] : [value]
}

function isClosable(node: JsonObject, isRoot: boolean): boolean {
  if (node.$ref !== undefined || [...together, ...closing].some((word) => Object.hasOwn(node, word))) return false
  return isObject(node.properties) ? isRoot || Object.keys(node.properties).length > 0 : isRoot
}

function rewrite(node: JsonValue, closable: ReadonlySet<JsonObject>): JsonValue {
  if (Array.isArray(node)) return node.map((item: JsonValue) => rewrite(item, closable))
  if (!isObject(node)) return node
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, rewrite(value, closable)]))
  if (!closable.has(node)) return copy
  const declared = isObject(copy.properties) ? copy.properties : {}
  // A name that is demanded without being described is declared as well.
  const demanded = (Array.isArray(node.required) ? node.required : []).filter(
    (name): name is string => typeof name === 'string' && !Object.hasOwn(declared, name),
  )
  const properties = { ...declared, ...Object.fromEntries(demanded.map((name) => [name, true])) }
  return { ...copy, properties, additionalProperties: false }
}
