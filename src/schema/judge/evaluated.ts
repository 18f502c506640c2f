// Which properties and items a schema accounts for, across everything that applies in place (2020-12 annotations).
// The judge keeps the answers per schema and value; every part is asked through it. Parts that must hold count even where
// they fail: their own errors are reported, and no unknown property on top of them.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { isList } from '../json-type.ts'
import type { NormalObject, NormalSchema } from '../normal.ts'
import type { EvaluatedItems, EvaluatedNames, Judge } from './judge.ts'

export function evaluatedNames(judge: Judge, node: NormalObject, value: JsonObject): EvaluatedNames {
  if (node.additionalProperties !== undefined || !judge.effort.spend(1)) return 'all'
  const names = new Set<string>()
  const patterns = Object.keys(node.patternProperties ?? {})
  const declared = Object.keys(node.properties ?? {})
  judge.effort.spend(declared.length / 4)
  for (const name of declared) if (Object.hasOwn(value, name)) names.add(name)
  if (patterns.length > 0) {
    for (const key of judge.rules.keys(value)) {
      if (patterns.some((pattern) => judge.rules.matches(pattern, key))) names.add(key)
    }
  }
  for (const part of appliedInPlace(judge, node, value)) {
    if (part.unevaluatedProperties !== undefined) return 'all'
    const more = judge.names(part, value)
    if (more === 'all' || !judge.effort.spend(more.size)) return 'all'
    for (const name of more) names.add(name)
  }
  return names
}

export function evaluatedItems(judge: Judge, node: NormalObject, value: readonly JsonValue[]): EvaluatedItems {
  if (node.items !== undefined || !judge.effort.spend(1)) return { upTo: value.length, also: new Set() }
  let upTo = node.prefixItems?.length ?? 0
  const also = new Set<number>()
  if (node.contains !== undefined) {
    for (const [index, item] of value.entries()) if (judge.accepts(node.contains, item)) also.add(index)
  }
  for (const part of appliedInPlace(judge, node, value)) {
    if (part.unevaluatedItems !== undefined) return { upTo: value.length, also }
    const more = judge.items(part, value)
    if (!judge.effort.spend(more.also.size)) break
    upTo = Math.max(upTo, more.upTo)
    for (const index of more.also) also.add(index)
  }
  return { upTo, also }
}

/** The parts whose annotations count here. Of a union that no alternative satisfies all count: the union reports the error. */
function appliedInPlace(judge: Judge, node: NormalObject, value: JsonValue): readonly NormalObject[] {
  const parts: NormalSchema[] = []
  if (node.$ref !== undefined) parts.push(judge.target(node.$ref))
  parts.push(...(node.allOf ?? []))
  for (const union of [node.anyOf ?? [], node.oneOf ?? []]) {
    const fitting = union.filter((part) => judge.accepts(part, value))
    parts.push(...(fitting.length > 0 ? fitting : union))
  }
  if (node.if !== undefined) {
    const holds = judge.accepts(node.if, value)
    if (holds) parts.push(node.if)
    const next = holds ? node.then : node.else
    if (next !== undefined) parts.push(next)
  }
  if (isObject(value) && !isList(value)) {
    for (const [name, part] of Object.entries(node.dependentSchemas ?? {})) {
      if (Object.hasOwn(value, name)) parts.push(part)
    }
  }
  return parts.filter((part) => typeof part !== 'boolean')
}
