// A schema as a choice of conjunctions: references and allOf are followed, anyOf, oneOf and if/then/else become the choice.
// Invariant: every valid value satisfies all nodes of at least one alternative.
import type { NormalObject, NormalSchema, Preprocessed } from '../../../schema/normal.ts'

/** Schemas that all apply. */
export type Alternative = readonly NormalObject[]

/** Beyond this many, a choice is not told apart any more. */
const maxAlternatives = 32

export function alternativesOf(schema: Preprocessed, nodes: readonly NormalSchema[]): readonly Alternative[] {
  return conjunction(schema, nodes, new Set())
}

function conjunction(
  schema: Preprocessed,
  nodes: readonly NormalSchema[],
  seen: ReadonlySet<string>,
): readonly Alternative[] {
  return nodes.reduce<readonly Alternative[]>((all, node) => product(all, expand(schema, node, seen)), [[]])
}

function expand(schema: Preprocessed, node: NormalSchema, seen: ReadonlySet<string>): readonly Alternative[] {
  if (typeof node === 'boolean') return node ? [[]] : []
  let all: readonly Alternative[] = [[node]]
  if (node.$ref !== undefined && !seen.has(node.$ref)) {
    const target = schema.defs.get(node.$ref) ?? true
    all = product(all, expand(schema, target, new Set([...seen, node.$ref])))
  }
  if (node.allOf !== undefined) all = product(all, conjunction(schema, node.allOf, seen))
  for (const choice of [node.anyOf, node.oneOf]) {
    if (choice !== undefined)
      all = product(
        all,
        choice.flatMap((branch) => expand(schema, branch, seen)),
      )
  }
  if (node.if === undefined) return all
  const met = conjunction(schema, [node.if, node.then ?? true], seen)
  return product(all, [...met, ...expand(schema, node.else ?? true, seen)])
}

function product(left: readonly Alternative[], right: readonly Alternative[]): readonly Alternative[] {
  if (left.length * right.length > maxAlternatives) return left
  return left.flatMap((one) => right.map((other) => (other.length === 0 ? one : [...one, ...other])))
}
