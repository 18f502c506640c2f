// Decides whether a value fits a schema, without saying why: the question behind every union, condition and negation.
// Invariant: agrees with the compiled validator until the effort is spent. From then on the answer is no, and means
// nothing. Answers are kept per schema and value, so recursion through unions is linear.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { equalJson, hasUniqueItems, isOneOf } from '../equality.ts'
import { hasType, isList } from '../json-type.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../normal.ts'
import { definitionOf } from '../subschemas.ts'
import { failedChecks } from './checks.ts'
import { createWeigh, type Effort, endlessEffort, getOrMake } from './effort.ts'
import { evaluatedItems, evaluatedNames } from './evaluated.ts'
import {
  containment,
  declaredSchemas,
  type EvaluatedItems,
  type EvaluatedNames,
  followed,
  type Judge,
  judgedKeys,
  namesCost,
  uniqueCost,
  valuesCost,
} from './judge.ts'
import { createRules } from './rules.ts'
import {
  createTraits,
  hasChecks,
  hasListRules,
  hasObjectRules,
  hasPartsInPlace,
  hasUnevaluated,
  hasValues,
  meetsAgain,
} from './traits.ts'

export function createJudge(schema: Preprocessed, effort: Effort = endlessEffort()): Judge {
  const answers = new Map<NormalObject, Map<JsonValue, boolean>>()
  const names = new Map<NormalObject, Map<JsonObject, EvaluatedNames>>()
  const items = new Map<NormalObject, Map<readonly JsonValue[], EvaluatedItems>>()
  const judge: Judge = {
    rules: createRules(schema.formats, effort),
    effort,
    weigh: createWeigh(),
    traits: createTraits(),
    target: (reference) => definitionOf(schema, reference),
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

function looksAtProperties(node: NormalObject): boolean {
  return (
    node.properties !== undefined ||
    node.patternProperties !== undefined ||
    node.additionalProperties !== undefined ||
    node.propertyNames !== undefined
  )
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
