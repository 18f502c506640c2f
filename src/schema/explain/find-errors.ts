// The walk: applies a schema to a place, keyword by keyword, and writes down everything that is wrong.
// Invariant: finds something exactly when the judge refuses, unless the effort is spent before. A value of the wrong type,
// or one that is not in its list, gets this one error and no other.
import { isObject, type JsonValue } from '../../json/value.ts'
import { equalJson, isOneOf } from '../equality.ts'
import { hasType, isList } from '../json-type.ts'
import { createJudge } from '../judge/accept.ts'
import { failedChecks } from '../judge/checks.ts'
import { type Effort, getOrMake } from '../judge/effort.ts'
import { followed, type Judge, valuesCost } from '../judge/judge.ts'
import type { NormalObject, Preprocessed } from '../normal.ts'
import { createFacets } from './facets.ts'
import { findInList, findInObject, findUnevaluatedItems, findUnevaluatedProperties } from './find-in-parts.ts'
import { findInUnion } from './find-in-union.ts'
import { collectFindings, type Finding, type Findings } from './finding.ts'
import { numberPlaces, type Place, type PlaceNumbers } from './place.ts'
import type { AppliedNode, Walk } from './walk.ts'

const stepsToVisit = 10

export interface FoundErrors {
  readonly walk: Walk
  readonly findings: Findings
  readonly numberOf: PlaceNumbers
}

export function findErrors(schema: Preprocessed, root: Place, limit: number, effort: Effort): FoundErrors {
  const judge = createJudge(schema, effort)
  const numberOf = numberPlaces()
  const kept = new Map<NormalObject, Map<number, readonly Finding[]>>()
  const visited = new Map<NormalObject, Set<number>>()
  const findings = collectFindings(limit, numberOf, effort)
  const walk: Walk = {
    judge,
    facets: createFacets(judge),
    scratch: () => collectFindings(limit, numberOf, effort),
    visit(schema, place, into) {
      if (into.isFull() || !effort.spend(stepsToVisit)) return
      const node = followed(judge, schema)
      if (node === true || place.value === undefined) return
      if (node === false) into.add('false', place, {})
      else if (node === schema && node.$ref === undefined) visitNode(walk, { node, place, into })
      else if (into === findings) visitOnce(node, place)
      else for (const finding of findOnce(node, place)) into.take(finding)
    },
  }
  /** What was found goes straight into the list, so that it is there even if the effort ends before the walk does. */
  function visitOnce(node: NormalObject, place: Place): void {
    const numbers = getOrMake(visited, node, () => new Set<number>())
    const number = numberOf(place)
    if (numbers.has(number)) return
    numbers.add(number)
    visitNode(walk, { node, place, into: findings })
  }
  /**
   * Alternatives of a union, and several parts that declare one property, lead to the same definition at the same place:
   * without this and the above, work doubles at each level.
   */
  function findOnce(node: NormalObject, place: Place): readonly Finding[] {
    const places = getOrMake(kept, node, () => new Map<number, readonly Finding[]>())
    const number = numberOf(place)
    const known = places.get(number)
    if (known !== undefined) return known
    const scratch = walk.scratch()
    visitNode(walk, { node, place, into: scratch })
    places.set(number, scratch.all)
    return scratch.all
  }
  walk.visit(schema.root, root, findings)
  return { walk, findings, numberOf }
}

function visitNode(walk: Walk, at: AppliedNode): void {
  const { node, place, into } = at
  const { value } = place
  if (value === undefined) return
  const wrong = wrongAsAWhole(walk.judge, node, value)
  if (wrong !== undefined) {
    into.add(wrong, place, node)
    return
  }
  for (const keyword of failedChecks(node, value, walk.judge.rules, false)) {
    into.add(keyword, place, node)
  }
  if (isObject(value)) findInObject(walk, at, value)
  else if (isList(value)) findInList(walk, at, value)
  findInPlace(walk, at, value)
  if (isObject(value)) findUnevaluatedProperties(walk, at, value)
  else if (isList(value)) findUnevaluatedItems(walk, at, value)
}

function wrongAsAWhole(judge: Judge, node: NormalObject, value: JsonValue): 'type' | 'const' | 'enum' | undefined {
  if (node.type !== undefined && !hasType(node.type, value)) return 'type'
  if (!judge.effort.spend(valuesCost(judge, node, value))) return undefined
  if (node.const !== undefined && !equalJson(node.const, value)) return 'const'
  return node.enum !== undefined && !isOneOf(value, node.enum) ? 'enum' : undefined
}

function findInPlace(walk: Walk, at: AppliedNode, value: JsonValue): void {
  const { node, place, into } = at
  if (into.isFull()) return
  if (node.$ref !== undefined) walk.visit(walk.judge.target(node.$ref), place, into)
  for (const part of node.allOf ?? []) walk.visit(part, place, into)
  if (node.anyOf !== undefined) findInUnion(walk, { ...at, keyword: 'anyOf', value })
  if (node.oneOf !== undefined) findInUnion(walk, { ...at, keyword: 'oneOf', value })
  if (node.not !== undefined && walk.judge.accepts(node.not, value)) into.add('not', place, node)
  if (node.if !== undefined) {
    walk.visit((walk.judge.accepts(node.if, value) ? node.then : node.else) ?? true, place, into)
  }
  if (!isObject(value)) return
  for (const [name, part] of Object.entries(node.dependentSchemas ?? {})) {
    if (Object.hasOwn(value, name)) walk.visit(part, place, into)
  }
}
