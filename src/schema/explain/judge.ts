// Decides whether a value fits a schema, without saying why: the question behind every union, condition and negation.
// Invariant: agrees with the compiled validator, until the effort is spent: from then on the answer is no, and means nothing.
// Answers are kept per (schema, value), so recursion through unions is linear.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { equalJson, hasUniqueItems } from '../json-equality.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../normal.ts'
import { failedChecks } from './checks.ts'
import type { Effort } from './effort.ts'
import { type EvaluatedItems, type EvaluatedNames, evaluatedItems, evaluatedNames } from './evaluated.ts'
import { getOrMake } from './get-or-make.ts'
import { isOneOf } from './is-one-of.ts'
import { hasType, isList } from './json-type.ts'
import type { Rules } from './rules.ts'
import {
  createTraits,
  hasChecks,
  hasListRules,
  hasObjectRules,
  hasPartsInPlace,
  hasUnevaluated,
  hasValues,
  meetsAgain,
  type Traits,
} from './traits.ts'
import { createWeigh, type Weigh } from './weight.ts'

export interface Judge {
  readonly rules: Rules
  readonly effort: Effort
  readonly weigh: Weigh
  readonly traits: Traits
  target(reference: string): NormalSchema
  accepts(schema: NormalSchema, value: JsonValue): boolean
  /** Properties that the node and all that applies in place account for, its own unevaluatedProperties left out. */
  names(node: NormalObject, value: JsonObject): EvaluatedNames
  items(node: NormalObject, value: readonly JsonValue[]): EvaluatedItems
}

export function createJudge(schema: Preprocessed, rules: Rules, effort: Effort): Judge {
  const answers = new Map<NormalObject, Map<JsonValue, boolean>>()
  const names = new Map<NormalObject, Map<JsonObject, EvaluatedNames>>()
  const items = new Map<NormalObject, Map<readonly JsonValue[], EvaluatedItems>>()
  const judge: Judge = {
    rules,
    effort,
    weigh: createWeigh(),
    traits: createTraits(),
    target(reference) {
      const found = schema.defs.get(reference)
      if (found === undefined) throw new Error(`The preprocessed schema lacks the definition ${reference}`)
      return found
    },
    accepts(schema, value) {
      if (!effort.spend(1)) return false
      const node = followed(judge, schema)
      if (typeof node === 'boolean') return node
      if ((judge.traits(node) & meetsAgain) === 0) return acceptsNode(judge, node, value) && !effort.isSpent()
      const known = getOrMake(answers, node, () => new Map<JsonValue, boolean>())
      const answer = known.get(value)
      if (answer !== undefined) return answer
      const fresh = acceptsNode(judge, node, value)
      if (effort.isSpent()) return false
      known.set(value, fresh)
      return fresh
    },
    names(node, value) {
      const known = getOrMake(names, node, () => new Map<JsonObject, EvaluatedNames>())
      const found = known.get(value) ?? evaluatedNames(judge, node, value)
      if (!effort.isSpent()) known.set(value, found)
      return found
    },
    items(node, value) {
      const known = getOrMake(items, node, () => new Map<readonly JsonValue[], EvaluatedItems>())
      const found = known.get(value) ?? evaluatedItems(judge, node, value)
      if (!effort.isSpent()) known.set(value, found)
      return found
    },
  }
  return judge
}

/** A reference with nothing beside it is left behind at once, which keeps deep values within the stack. */
export function followed(judge: Judge, schema: NormalSchema): NormalSchema {
  let node = schema
  while (typeof node === 'object' && node.$ref !== undefined && Object.keys(node).length === 1) {
    node = judge.target(node.$ref)
    judge.effort.spend(2)
  }
  return node
}

function acceptsNode(judge: Judge, node: NormalObject, value: JsonValue): boolean {
  if (node.type !== undefined && !hasType(node.type, value)) return false
  const traits = judge.traits(node)
  if (!judge.effort.spend(stepsToAccept)) return false
  if ((traits & hasValues) !== 0) {
    if (!judge.effort.spend(valuesCost(judge, node, value))) return false
    if (node.const !== undefined && !equalJson(node.const, value)) return false
    if (node.enum !== undefined && !isOneOf(value, node.enum)) return false
  }
  if ((traits & hasChecks) !== 0 && failedChecks(node, value, judge.rules, true).length > 0) return false
  if ((traits & hasObjectRules) !== 0 && isObject(value) && !acceptsObject(judge, node, value)) return false
  if ((traits & hasListRules) !== 0 && isList(value) && !acceptsList(judge, node, value)) return false
  if ((traits & hasPartsInPlace) !== 0 && !acceptsInPlace(judge, node, value)) return false
  return (traits & hasUnevaluated) === 0 || acceptsRest(judge, node, value)
}

const stepsToAccept = 2

/** The steps that comparing with const and enum takes. */
export function valuesCost(judge: Judge, node: NormalObject, value: JsonValue): number {
  if (node.const === undefined && node.enum === undefined) return 0
  if (typeof value !== 'object' || value === null) return 1
  return ((node.enum?.length ?? 1) * judge.weigh(value)) / 8
}

const comparisonsPerStep = 16

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
  judge.effort.spend(stepsToAccept + namesCost(node))
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
  for (const key of judgedKeys(judge, node, value)) {
    const item = value[key] as JsonValue
    const parts = declaredSchemas(judge.rules, node, key)
    for (const part of parts) if (!judge.accepts(part, item)) return false
    if (parts.length === 0 && !judge.accepts(additionalProperties, item)) return false
  }
  return true
}

/** The steps that looking for the names in these keywords takes. */
export function namesCost(node: NormalObject): number {
  const dependent = node.dependentRequired === undefined ? 0 : countNames(node.dependentRequired)
  const schemas = node.dependentSchemas === undefined ? 0 : Object.keys(node.dependentSchemas).length
  return (node.required?.length ?? 0) / comparisonsPerStep + dependent + schemas
}

function countNames(lists: Readonly<Record<string, readonly string[]>>): number {
  let count = 0
  for (const names of Object.values(lists)) count += 1 + names.length / comparisonsPerStep
  return count
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
export function judgedKeys({ rules, effort }: Judge, node: NormalObject, value: JsonObject): readonly string[] {
  const { properties = {}, patternProperties, additionalProperties = true } = node
  const keys = rules.keys(value)
  effort.spend(keys.length / 4)
  if (keys.length < 100 || patternProperties !== undefined || typeof additionalProperties === 'object') return keys
  if (additionalProperties === false && keys.some((key) => !Object.hasOwn(properties, key))) return keys
  const names = Object.keys(properties)
  effort.spend(names.length / 4)
  return names.filter((name) => Object.hasOwn(value, name))
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
  if (node.uniqueItems === true && !(judge.effort.spend(uniqueCost(judge, value)) && hasUniqueItems(value)))
    return false
  return containment(judge, node, value) === undefined
}

/** The steps that comparing all items takes: scalars as they are, the others by their canonical text. */
export function uniqueCost(judge: Judge, items: readonly JsonValue[]): number {
  let cost = 0
  for (const item of items) cost += typeof item === 'object' && item !== null ? 2 * judge.weigh(item) : 1 / 8
  return cost
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
