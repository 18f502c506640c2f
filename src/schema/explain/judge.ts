// Decides whether a value fits a schema, without saying why: the question behind every union, condition and negation.
// Invariant: agrees with the compiled validator. Answers are kept per (schema, value), so recursion through unions is linear.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { equalJson, hasUniqueItems } from '../json-equality.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../normal.ts'
import { failedChecks } from './checks.ts'
import { type EvaluatedItems, type EvaluatedNames, evaluatedItems, evaluatedNames } from './evaluated.ts'
import { getOrMake } from './get-or-make.ts'
import { isOneOf } from './is-one-of.ts'
import { hasType, isList } from './json-type.ts'
import type { Rules } from './rules.ts'

export interface Judge {
  readonly rules: Rules
  target(reference: string): NormalSchema
  accepts(schema: NormalSchema, value: JsonValue): boolean
  /** Properties that the node and all that applies in place account for, its own unevaluatedProperties left out. */
  names(node: NormalObject, value: JsonObject): EvaluatedNames
  items(node: NormalObject, value: readonly JsonValue[]): EvaluatedItems
}

export function createJudge(schema: Preprocessed, rules: Rules): Judge {
  const answers = new Map<NormalObject, Map<JsonValue, boolean>>()
  const judge: Judge = {
    rules,
    target(reference) {
      const found = schema.defs.get(reference)
      if (found === undefined) throw new Error(`The preprocessed schema lacks the definition ${reference}`)
      return found
    },
    accepts(schema, value) {
      const node = followed(judge, schema)
      if (typeof node === 'boolean') return node
      if (!worthKeeping(node)) return acceptsNode(judge, node, value)
      const known = getOrMake(answers, node, () => new Map<JsonValue, boolean>())
      const answer = known.get(value)
      if (answer !== undefined) return answer
      const fresh = acceptsNode(judge, node, value)
      known.set(value, fresh)
      return fresh
    },
    names: (node, value) => evaluatedNames(judge, node, value),
    items: (node, value) => evaluatedItems(judge, node, value),
  }
  return judge
}

/** A reference with nothing beside it is left behind at once, which keeps deep values within the stack. */
export function followed(judge: Judge, schema: NormalSchema): NormalSchema {
  let node = schema
  while (typeof node === 'object' && node.$ref !== undefined && Object.keys(node).length === 1) {
    node = judge.target(node.$ref)
  }
  return node
}

/** Only what applies in place can bring the same schema to the same value twice; plain nodes are cheaper to redo. */
function worthKeeping(node: NormalObject): boolean {
  return (
    node.$ref !== undefined ||
    node.anyOf !== undefined ||
    node.oneOf !== undefined ||
    node.allOf !== undefined ||
    node.if !== undefined ||
    node.not !== undefined ||
    node.dependentSchemas !== undefined
  )
}

function acceptsNode(judge: Judge, node: NormalObject, value: JsonValue): boolean {
  if (node.type !== undefined && !hasType(node.type, value)) return false
  if (node.const !== undefined && !equalJson(node.const, value)) return false
  if (node.enum !== undefined && !isOneOf(value, node.enum)) return false
  if (failedChecks(node, value, judge.rules, true).length > 0) return false
  if (isObject(value) && !acceptsObject(judge, node, value)) return false
  if (isList(value) && !acceptsList(judge, node, value)) return false
  return acceptsInPlace(judge, node, value) && acceptsRest(judge, node, value)
}

/** Plain loops: a callback per part would halve the depth of recursion that the stack allows. */
function acceptsInPlace(judge: Judge, node: NormalObject, value: JsonValue): boolean {
  if (node.$ref !== undefined && !judge.accepts(judge.target(node.$ref), value)) return false
  for (const part of node.allOf ?? none) if (!judge.accepts(part, value)) return false
  if (node.anyOf !== undefined && countAccepting(judge, node.anyOf, value, 1) === 0) return false
  if (node.oneOf !== undefined && countAccepting(judge, node.oneOf, value, 2) !== 1) return false
  if (node.not !== undefined && judge.accepts(node.not, value)) return false
  if (node.if === undefined) return true
  const next = judge.accepts(node.if, value) ? node.then : node.else
  return next === undefined || judge.accepts(next, value)
}

const none: readonly NormalSchema[] = []

function countAccepting(judge: Judge, parts: readonly NormalSchema[], value: JsonValue, enough: number): number {
  let accepting = 0
  for (const part of parts) {
    if (judge.accepts(part, value) && ++accepting === enough) break
  }
  return accepting
}

function acceptsObject(judge: Judge, node: NormalObject, value: JsonObject): boolean {
  if (node.required?.some((name) => !Object.hasOwn(value, name))) return false
  for (const [name, needed] of Object.entries(node.dependentRequired ?? {})) {
    if (Object.hasOwn(value, name) && needed.some((other) => !Object.hasOwn(value, other))) return false
  }
  for (const [name, part] of Object.entries(node.dependentSchemas ?? {})) {
    if (Object.hasOwn(value, name) && !judge.accepts(part, value)) return false
  }
  if (!looksAtProperties(node)) return true
  const { additionalProperties = true } = node
  if (node.propertyNames !== undefined) {
    for (const key of judge.rules.keys(value)) if (!judge.accepts(node.propertyNames, key)) return false
  }
  for (const key of judgedKeys(judge.rules, node, value)) {
    const item = value[key] as JsonValue
    const parts = declaredSchemas(judge.rules, node, key)
    for (const part of parts) if (!judge.accepts(part, item)) return false
    if (parts.length === 0 && !judge.accepts(additionalProperties, item)) return false
  }
  return true
}

function looksAtProperties(node: NormalObject): boolean {
  return (
    node.properties !== undefined ||
    node.patternProperties !== undefined ||
    node.additionalProperties !== undefined ||
    node.propertyNames !== undefined
  )
}

/** The keys that this node has a schema for; of a large object that is open, only those that it declares. */
export function judgedKeys(rules: Rules, node: NormalObject, value: JsonObject): readonly string[] {
  const { properties = {}, patternProperties, additionalProperties = true } = node
  const keys = rules.keys(value)
  if (keys.length < 100 || patternProperties !== undefined || typeof additionalProperties === 'object') return keys
  if (additionalProperties === false && keys.some((key) => !Object.hasOwn(properties, key))) return keys
  return Object.keys(properties).filter((name) => Object.hasOwn(value, name))
}

/** The schemas that `properties` and `patternProperties` of this node give to one property; none means additional. */
export function declaredSchemas(rules: Rules, node: NormalObject, key: string): readonly NormalSchema[] {
  const own = ownProperty(node, key)
  const found = own === undefined ? [] : [own]
  if (node.patternProperties === undefined) return found
  for (const [pattern, part] of Object.entries(node.patternProperties)) {
    if (rules.matches(pattern, key)) found.push(part)
  }
  return found
}

/** What `properties` says about a name; never a prototype's member. */
export function ownProperty(node: NormalObject, key: string): NormalSchema | undefined {
  return node.properties !== undefined && Object.hasOwn(node.properties, key) ? node.properties[key] : undefined
}

function acceptsList(judge: Judge, node: NormalObject, value: readonly JsonValue[]): boolean {
  const { prefixItems = [], items } = node
  for (const [index, part] of prefixItems.entries()) {
    if (index >= value.length) break
    if (!judge.accepts(part, value[index] as JsonValue)) return false
  }
  if (items !== undefined && items !== true) {
    for (let index = prefixItems.length; index < value.length; index++) {
      if (!judge.accepts(items, value[index] as JsonValue)) return false
    }
  }
  if (node.uniqueItems === true && !hasUniqueItems(value)) return false
  return containment(judge, node, value) === undefined
}

/** Which bound on contained items the array breaks, and how many it has. */
export function containment(
  judge: Judge,
  node: NormalObject,
  value: readonly JsonValue[],
): { readonly bound: 'least' | 'most'; readonly count: number } | undefined {
  const { contains, minContains: least = 1, maxContains: most = Number.POSITIVE_INFINITY } = node
  if (contains === undefined) return undefined
  let count = 0
  for (const item of value) {
    if (judge.accepts(contains, item)) count++
    if (count >= least && most === Number.POSITIVE_INFINITY) return undefined
  }
  if (count < least) return { bound: 'least', count }
  return count > most ? { bound: 'most', count } : undefined
}

/** The unevaluated keywords come last: they depend on what everything else has accounted for. */
function acceptsRest(judge: Judge, node: NormalObject, value: JsonValue): boolean {
  const { unevaluatedProperties, unevaluatedItems } = node
  if (unevaluatedProperties !== undefined && isObject(value)) {
    const names = judge.names(node, value)
    if (names !== 'all') {
      for (const key of judge.rules.keys(value)) {
        if (!names.has(key) && !judge.accepts(unevaluatedProperties, value[key] as JsonValue)) return false
      }
    }
  }
  if (unevaluatedItems !== undefined && isList(value)) {
    const items = judge.items(node, value)
    for (let index = items.upTo; index < value.length; index++) {
      if (!items.also.has(index) && !judge.accepts(unevaluatedItems, value[index] as JsonValue)) return false
    }
  }
  return true
}
