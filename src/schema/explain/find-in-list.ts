// Errors of an array: items in order, then what its items are together. Items beyond a closed tuple are structure.
import type { JsonValue } from '../../json/value.ts'
import type { NormalObject } from '../normal.ts'
import type { Findings } from './finding.ts'
import { firstRepeat } from './first-repeat.ts'
import { containment, uniqueCost } from './judge.ts'
import { childPlace, type Place } from './place.ts'
import { enter, type Step, type Walk } from './walk.ts'

type List = readonly JsonValue[]

export function findInList(walk: Walk, node: NormalObject, place: Place, value: List, into: Findings): void {
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
    else enter(walk, prefixItems[index] ?? items, place, stepTo(value, index), into)
  }
}

function stepTo(list: List, index: number): Step {
  return { token: index, value: list[index] as JsonValue, declared: true }
}

/** Runs after everything that applies in place, as for properties. */
export function findUnevaluatedItems(walk: Walk, node: NormalObject, place: Place, value: List, into: Findings): void {
  const part = node.unevaluatedItems
  if (part === undefined || part === true) return
  const done = walk.judge.items(node, value)
  for (let index = done.upTo; index < value.length && !into.isFull(); index++) {
    if (done.also.has(index)) continue
    if (part === false) into.add('unevaluatedItems', childPlace(place, index, value[index]), node)
    else enter(walk, part, place, stepTo(value, index), into)
  }
}
