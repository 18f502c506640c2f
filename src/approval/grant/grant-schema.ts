// The granted set as a schema: a closed object with the named fields and nothing else. The caller fills in `any`: with
// the input's own schema for a proof, with `true` for people.
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema } from '../../schema/normal.ts'
import { nameMap } from '../../schema/normal.ts'
import type { FieldRule } from './grant.ts'
import { isRule, type RuleTree, ruleTree } from './rule-tree.ts'

export interface SchemaChoices {
  /** What an open field, or one in a range, obeys beside its rule. */
  own(pointer: readonly string[]): NormalSchema
  /** Whether the input demands it. */
  isRequired(pointer: readonly string[]): boolean
}

export function schemaOfRules(tree: RuleTree, choices: SchemaChoices, at: readonly string[] = []): NormalObject {
  const properties = nameMap<NormalSchema>()
  const required: string[] = []
  for (const [name, node] of tree) {
    const place = [...at, name]
    const schema = isRule(node) ? ruleSchema(node, choices.own(place)) : schemaOfRules(node, choices, place)
    if (schema === undefined) continue
    properties[name] = schema
    if (!mayBeAbsent(node) || choices.isRequired(place)) required.push(name)
  }
  return { type: ['object'], properties, required, additionalProperties: false }
}

/** A JSON Schema (2020-12) of the set, for people and other tools; free fields are `true`, which means: all that the input allows. */
export function grantSchema(fields: ReadonlyMap<string, FieldRule>): JsonObject {
  const schema = schemaOfRules(ruleTree(fields), { own: () => true, isRequired: () => false })
  // The normal form is a JSON Schema, which its interface types do not show.
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...(schema as unknown as Record<string, JsonValue>),
  }
}

function mayBeAbsent(node: FieldRule | RuleTree): boolean {
  if (isRule(node)) return node.kind === 'any' || node.kind === 'absent'
  return [...node.values()].every(mayBeAbsent)
}

function ruleSchema(rule: FieldRule, own: NormalSchema): NormalSchema | undefined {
  switch (rule.kind) {
    case 'const':
      return { const: rule.value }
    case 'enum':
      return { enum: rule.values }
    case 'range': {
      const range: NormalObject = { type: ['number'], minimum: rule.min, maximum: rule.max }
      return own === true ? range : { allOf: [own, range] }
    }
    case 'any':
      return own
    case 'absent':
      return undefined
  }
}
