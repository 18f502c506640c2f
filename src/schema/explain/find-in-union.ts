// Errors of a union that no alternative satisfies: those of the alternative that was most likely meant.
// The order of evidence: JSON type, then a discriminating property, then how far each alternative gets.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { distinct, isOneOf } from '../equality.ts'
import { ownValue, typeBit, typeNames } from '../json-type.ts'
import type { NormalObject, NormalSchema } from '../normal.ts'
import type { Findings, Note } from './finding.ts'
import { type Closest, closest, type Discriminator, findDiscriminator } from './meant-alternative.ts'
import { childPlace, type Place } from './place.ts'
import type { AppliedNode, Walk } from './walk.ts'

type UnionKeyword = 'anyOf' | 'oneOf'

interface Union extends AppliedNode {
  readonly keyword: UnionKeyword
  readonly value: JsonValue
}

const maxAlternatives = 256

export function findInUnion(walk: Walk, union: Union): void {
  const { keyword, node, place, value, into } = union
  const branches = node[keyword] ?? []
  const matching = branches.flatMap((branch, index) => (walk.judge.accepts(branch, value) ? [index] : []))
  if (matching.length === 1 || (matching.length > 1 && keyword === 'anyOf')) return
  if (matching.length > 1) {
    into.add('oneOf', place, node, { numbers: matching })
    return
  }

  const alternatives = spread(walk, branches, value, new Set())
  const type = typeBit(value)
  const fitting = alternatives.filter((part) => (walk.facets.types(part) & type) !== 0)
  if (alternatives.length === 0) into.add('false', place, node)
  else if (reportedAsValues(walk, union, alternatives)) return
  else if (fitting.length === 0) into.add('type', place, describedAs(node, { anyOf: alternatives }))
  else if (fitting.length > 1 && isObject(value)) findByDiscriminator(walk, union, fitting, value)
  else report(union, closest(walk, fitting, place), fitting.length)
}

/** Alternatives that are all constants are a list of allowed values in other words. */
function reportedAsValues(walk: Walk, union: Union, alternatives: readonly NormalSchema[]): boolean {
  const { node, place, value, into } = union
  const sets = alternatives.map(walk.facets.values)
  if (sets.includes(undefined)) return false
  if (!walk.judge.effort.spend(sets.reduce((sum, set) => sum + stepsToCompare(set ?? []), 0))) return true
  const allowed = distinct(sets.flatMap((set) => set ?? []))
  if (isOneOf(value, allowed)) return false
  addWrongValue(walk, { node: describedAs(node, { anyOf: alternatives }), place, into }, allowed, value)
  return true
}

function stepsToCompare(values: readonly JsonValue[]): number {
  const [first] = values
  return values.length * (typeof first === 'object' && first !== null ? 16 : 2)
}

/** An error of type where types are declared and the value has another one, otherwise an error of the value. */
function addWrongValue(
  walk: Walk,
  { node, place, into }: AppliedNode,
  allowed: readonly JsonValue[],
  value: JsonValue,
): void {
  const types = walk.facets.types(node)
  const typed = (node.anyOf ?? []).every((part) => walk.facets.of(part).some((facet) => facet.type !== undefined))
  const wrongType = typed && (types & typeBit(value)) === 0
  if (wrongType) into.add('type', place, describedAs(node, { type: typeNames(types), enum: allowed }))
  else into.add('enum', place, describedAs(node, { enum: allowed }))
}

function findByDiscriminator(walk: Walk, union: Union, fitting: readonly NormalSchema[], value: JsonObject): void {
  const { place, into } = union
  const discriminator = findDiscriminator(walk.facets, fitting, value, walk.judge.effort)
  const given = discriminator === undefined ? undefined : ownValue(value, discriminator.name)
  if (discriminator === undefined || given === undefined) {
    const choice = closest(walk, fitting, place)
    if (discriminator?.required !== true) report(union, choice, fitting.length)
    else if (lacksOnly(choice, discriminator.name)) report(union, { ...choice, lacking: undefined }, fitting.length)
    else addMissing(discriminator, place, into)
    return
  }
  const { name, allowed, chosen } = discriminator
  const at = childPlace(place, name, given)
  const property: NormalObject = { anyOf: fitting.flatMap((part) => walk.facets.property(part, name)) }
  if (chosen.length > 0) report(union, closest(walk, chosen, place), chosen.length, at)
  else addWrongValue(walk, { node: property, place: at, into }, allowed, given)
}

/** Everything else fits: then it is clear which alternative was meant, though it was not named. */
function lacksOnly({ findings, tied }: Closest, name: string): boolean {
  return !tied && findings.every(({ keyword, place }) => keyword === 'required' && place.token === name)
}

function addMissing({ name, allowed }: Discriminator, place: Place, into: Findings): void {
  into.add('required', childPlace(place, name, undefined), { properties: { [name]: { enum: allowed } } })
}

function report(union: Union, choice: Closest, count: number, by?: Place): void {
  const { keyword, place, into } = union
  if (choice.lacking !== undefined) {
    const node = describedAs(union.node, {})
    into.add(keyword, place, node, { lacking: choice.lacking, kind: 'structure' })
    return
  }
  const title = typeof choice.schema === 'object' ? choice.schema.title : undefined
  const chosen: Note | undefined = by === undefined ? undefined : { kind: 'chosen', by }
  const note: Note | undefined = count > 1 ? { kind: 'closest', count, title } : chosen
  for (const finding of choice.findings) {
    if (into.isFull()) return
    into.take(note === undefined || finding.note !== undefined ? finding : { ...finding, note })
  }
}

/**
 * Unions inside unions become one list, and references are followed where nothing else stands beside them. A union that
 * is met again adds nothing: unions of references to one union would otherwise double at each level.
 */
function spread(
  walk: Walk,
  branches: readonly NormalSchema[],
  value: JsonValue,
  met: Set<readonly NormalSchema[]>,
): readonly NormalSchema[] {
  const found: NormalSchema[] = []
  if (met.has(branches)) return found
  met.add(branches)
  for (const branch of branches) {
    if (found.length >= maxAlternatives || !walk.judge.effort.spend(2)) break
    const inner = innerUnion(walk, branch, value)
    if (inner === undefined) found.push(branch)
    else found.push(...spread(walk, inner, value, met))
  }
  return found
}

function innerUnion(walk: Walk, outer: NormalSchema, value: JsonValue): readonly NormalSchema[] | undefined {
  let branch = outer
  let keyword = onlyKeyword(branch)
  while (keyword === '$ref' && typeof branch === 'object' && branch.$ref !== undefined && walk.judge.effort.spend(1)) {
    branch = walk.judge.target(branch.$ref)
    keyword = onlyKeyword(branch)
  }
  if (typeof branch === 'boolean') return branch ? undefined : []
  if (keyword === 'anyOf') return branch.anyOf
  if (keyword === 'oneOf' && !branch.oneOf?.some((part) => walk.judge.accepts(part, value))) return branch.oneOf
  return undefined
}

function onlyKeyword(schema: NormalSchema): string | undefined {
  const [keyword, other] = Object.keys(schema).filter((name) => name !== 'title' && name !== 'description')
  return other === undefined ? keyword : undefined
}

function describedAs(node: NormalObject, as: NormalObject): NormalObject {
  return node.description === undefined ? as : { ...as, description: node.description }
}
