// What makes one value of a schema different from another: types, branches, presence of properties, edges of ranges.
import type { JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'

const maxGoals = 400
const maxDepth = 4

/** Schemas that a sample may be asked to obey as well; they refer to the definitions of the schema itself. */
export function goalsOf(schema: Preprocessed): readonly NormalSchema[] {
  const goals: NormalSchema[] = []
  collect(schema.root, (goal) => goal, 0)
  return goals.slice(0, maxGoals)

  function collect(node: NormalSchema | undefined, wrap: (goal: NormalSchema) => NormalSchema, depth: number): void {
    if (typeof node !== 'object' || depth > maxDepth || goals.length >= maxGoals) return
    for (const goal of edgeGoals(node)) goals.push(wrap(goal))
    if (node.$ref !== undefined) collect(schema.defs.get(node.$ref), wrap, depth + 1)
    for (const part of node.allOf ?? []) collect(part, wrap, depth)
    for (const part of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) {
      goals.push(wrap(part))
      collect(part, (goal) => wrap({ allOf: [part, goal] }), depth + 1)
    }
    for (const [name, part] of Object.entries(node.properties ?? {})) {
      const inside = (goal: NormalSchema): NormalSchema =>
        wrap({ type: ['object'], required: [name], properties: { [name]: goal } })
      goals.push(inside(true), wrap({ type: ['object'], not: { required: [name] } }))
      collect(part, inside, depth + 1)
    }
    if (node.items !== undefined) {
      collect(node.items, (goal) => wrap({ type: ['array'], contains: goal }), depth + 1)
    }
  }
}

function edgeGoals(node: NormalObject): readonly NormalSchema[] {
  const constants: JsonValue[] = [...(node.enum ?? []).slice(0, 20)]
  for (const bound of [node.minimum, node.maximum]) if (bound !== undefined) constants.push(bound)
  for (const bound of [node.exclusiveMinimum, node.exclusiveMaximum]) {
    if (bound !== undefined) constants.push(bound + 1, bound - 1)
  }
  const goals: NormalSchema[] = constants.map((value) => ({ const: value }))
  for (const type of node.type ?? ['null', 'boolean', 'number', 'string', 'array', 'object'])
    goals.push({ type: [type] })
  goals.push(...lengths(node.minLength, node.maxLength, 'string', (n) => ({ minLength: n, maxLength: n })))
  goals.push(...lengths(node.minItems, node.maxItems, 'array', (n) => ({ minItems: n, maxItems: n })))
  goals.push(
    ...lengths(node.minProperties, node.maxProperties, 'object', (n) => ({ minProperties: n, maxProperties: n })),
  )
  return goals
}

const longest = 64

function lengths(
  min: number | undefined,
  max: number | undefined,
  type: 'string' | 'array' | 'object',
  make: (length: number) => NormalObject,
): readonly NormalSchema[] {
  const wanted = [min, max, (min ?? 0) + 1].filter((length) => length !== undefined && length <= longest)
  return wanted.map((length) => ({ type: [type], ...make(length as number) }))
}
