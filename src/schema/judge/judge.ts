// The judge's interface, and the questions that judge and explainer put to one node in the same way: so they cannot
// differ in what they look at, nor in what it costs.
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { ownValue } from '../json-type.ts'
import type { NormalObject, NormalSchema } from '../normal.ts'
import type { Effort, Weigh } from './effort.ts'
import type { Rules } from './rules.ts'
import type { Traits } from './traits.ts'

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

export type EvaluatedNames = ReadonlySet<string> | 'all'

/** All items before `upTo`, and single ones behind it. */
export interface EvaluatedItems {
  readonly upTo: number
  readonly also: ReadonlySet<number>
}

/** Follows references that stand alone without a call for each, which keeps deep values within the stack. */
export function followed(judge: Judge, schema: NormalSchema): NormalSchema {
  let node = schema
  while (typeof node === 'object' && node.$ref !== undefined && Object.keys(node).length === 1) {
    node = judge.target(node.$ref)
    judge.effort.spend(2)
  }
  return node
}

/** The steps that comparing with const and enum takes. */
export function valuesCost(judge: Judge, node: NormalObject, value: JsonValue): number {
  if (node.const === undefined && node.enum === undefined) return 0
  if (typeof value !== 'object' || value === null) return 1
  return ((node.enum?.length ?? 1) * judge.weigh(value)) / 8
}

const comparisonsPerStep = 16

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

/** The schemas that `properties` and `patternProperties` declare for one property; without any it is additional. */
export function declaredSchemas(rules: Rules, node: NormalObject, key: string): readonly NormalSchema[] {
  const own = declaredProperty(node, key)
  const found = own === undefined ? [] : [own]
  if (node.patternProperties === undefined) return found
  for (const [pattern, part] of Object.entries(node.patternProperties)) {
    if (rules.matches(pattern, key)) found.push(part)
  }
  return found
}

/** The schema that `properties` declares for a name; never a prototype's member. */
export function declaredProperty(node: NormalObject, key: string): NormalSchema | undefined {
  return node.properties === undefined ? undefined : ownValue(node.properties, key)
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
