// Errors of an object: what is missing first, then what is too much, then what is wrong inside, in the order it was sent.
// Errors of an array: what its items are together, then its items in order. Items beyond a closed tuple are structure.
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { firstRepeat } from '../equality.ts'
import { containment, declaredProperty, declaredSchemas, judgedKeys, namesCost, uniqueCost } from '../judge/judge.ts'
import { childPlace } from './place.ts'
import { type AppliedNode, enter, type Step, type Walk } from './walk.ts'

export function findInObject(walk: Walk, at: AppliedNode, value: JsonObject): void {
  const { node, place, into } = at
  place.applied ??= []
  place.applied.push(node)
  walk.judge.effort.spend(namesCost(node))
  findMissing(at, value)
  const { properties, patternProperties, propertyNames = true, additionalProperties = true } = node
  if (propertyNames !== true) {
    for (const key of walk.judge.rules.keys(value)) {
      if (into.isFull()) return
      if (walk.judge.accepts(propertyNames, key)) continue
      into.add('propertyNames', childPlace(place, key, value[key], false), node)
    }
  }
  if (additionalProperties === false) findUnknown(walk, at, value)
  if (properties === undefined && patternProperties === undefined && typeof additionalProperties === 'boolean') return
  if (into.isFull()) return
  for (const key of judgedKeys(walk.judge, node, value)) {
    if (into.isFull()) return
    const parts = declaredSchemas(walk.judge.rules, node, key)
    const step = { token: key, value: value[key] as JsonValue, declared: declaredProperty(node, key) !== undefined }
    for (const part of parts) enter(walk, part, at, step)
    if (parts.length === 0 && additionalProperties !== false) enter(walk, additionalProperties, at, step)
  }
}

function findMissing({ node, place, into }: AppliedNode, value: JsonObject): void {
  for (const name of node.required ?? []) {
    if (into.isFull()) return
    if (!Object.hasOwn(value, name)) into.add('required', childPlace(place, name, undefined), node)
  }
  for (const [because, needed] of Object.entries(node.dependentRequired ?? {})) {
    if (!Object.hasOwn(value, because)) continue
    for (const name of needed) {
      if (into.isFull()) return
      if (Object.hasOwn(value, name)) continue
      into.add('dependentRequired', childPlace(place, name, undefined), node, { because })
    }
  }
}

function findUnknown(walk: Walk, { node, place, into }: AppliedNode, value: JsonObject): void {
  for (const key of walk.judge.rules.keys(value)) {
    if (into.isFull() || !walk.judge.effort.spend(1)) return
    if (declaredSchemas(walk.judge.rules, node, key).length > 0) continue
    into.add('additionalProperties', childPlace(place, key, value[key], false), node)
  }
}

/** Runs after everything that applies in place: a property counts as unknown only if no part accounts for it. */
export function findUnevaluatedProperties(walk: Walk, at: AppliedNode, value: JsonObject): void {
  const { node, place, into } = at
  const part = node.unevaluatedProperties
  if (part === undefined || part === true) return
  const names = walk.judge.names(node, value)
  if (names === 'all') return
  for (const key of walk.judge.rules.keys(value)) {
    if (into.isFull()) return
    if (names.has(key)) continue
    const item = value[key] as JsonValue
    if (part === false) into.add('unevaluatedProperties', childPlace(place, key, item, false), node)
    else enter(walk, part, at, { token: key, value: item, declared: false })
  }
}

type List = readonly JsonValue[]

export function findInList(walk: Walk, at: AppliedNode, value: List): void {
  const { node, place, into } = at
  const broken = containment(walk.judge, node, value)
  if (broken !== undefined) {
    const least = node.minContains === undefined ? 'contains' : 'minContains'
    into.add(broken.bound === 'most' ? 'maxContains' : least, place, node, { numbers: [broken.count] })
  }
  const numbers =
    node.uniqueItems === true && walk.judge.effort.spend(uniqueCost(walk.judge, value)) ? firstRepeat(value) : undefined
  if (numbers !== undefined) into.add('uniqueItems', place, node, { numbers })
  const { prefixItems = [], items = true } = node
  for (let index = 0; index < value.length && !into.isFull(); index++) {
    const beyond = index >= prefixItems.length
    if (beyond && items === true) return
    if (beyond && items === false) into.add('items', childPlace(place, index, value[index]), node)
    else enter(walk, prefixItems[index] ?? items, at, stepTo(value, index))
  }
}

function stepTo(list: List, index: number): Step {
  return { token: index, value: list[index] as JsonValue, declared: true }
}

/** Runs after everything that applies in place, as for properties. */
export function findUnevaluatedItems(walk: Walk, at: AppliedNode, value: List): void {
  const { node, place, into } = at
  const part = node.unevaluatedItems
  if (part === undefined || part === true) return
  const done = walk.judge.items(node, value)
  for (let index = done.upTo; index < value.length && !into.isFull(); index++) {
    if (done.also.has(index)) continue
    if (part === false) into.add('unevaluatedItems', childPlace(place, index, value[index]), node)
    else enter(walk, part, at, stepTo(value, index))
  }
}
