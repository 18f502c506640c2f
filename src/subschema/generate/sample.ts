// Values that obey a schema, different from each other and at its edges: each goal asks the solver for another kind of value.
// Deterministic for a seed; every value was accepted by the validator.
import { canonicalize } from '../../json/canonical.ts'
import { isObject, type JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'
import { compileValidator } from '../../schema/validator.ts'
import { defaultBudget } from '../is-subschema.ts'
import { oversize } from '../oversize.ts'
import { createEngine } from '../solver/solver.ts'
import { createSeeded, type Seeded } from './seeded.ts'

export function sample(schema: Preprocessed, count: number, seed = 1): readonly JsonValue[] {
  if (oversize(schema, schema) !== undefined) return []
  const seeded = createSeeded(seed)
  const engine = createEngine(schema, schema, defaultBudget)
  const { matches } = compileValidator(schema)
  const root = engine.pool.claimOf(schema.root, schema)
  const texts = new Set<string>()
  const values: JsonValue[] = []
  const keep = (value: JsonValue): void => {
    if (values.length >= count || !matches(value)) return
    const text = canonicalize(value)
    if (texts.has(text)) return
    texts.add(text)
    values.push(value)
  }
  const plain = engine.solve([root])
  if (plain.kind === 'value') keep(plain.value)
  for (const goal of seeded.shuffle(goalsOf(schema))) {
    if (values.length >= count) break
    const outcome = engine.solve([root, engine.pool.claimOf(goal, schema)])
    if (outcome.kind === 'value') keep(outcome.value)
  }
  // Where the goals gave too few values, small changes of these.
  for (let round = 0; round < count * 30 && values.length < count && values.length > 0; round++) {
    keep(varyValue(values[seeded.below(values.length)] as JsonValue, values, seeded))
  }
  return values
}

const maxGoals = 400
const maxDepth = 4

/**
 * What makes one value of a schema different from another: types, branches, presence of properties, edges of ranges.
 * Schemas that a sample may be asked to obey as well; they refer to the definitions of the schema itself.
 */
function goalsOf(schema: Preprocessed): readonly NormalSchema[] {
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

/** Small changes of a value, for finding its neighbours; the validator decides whether a neighbour obeys. */
function varyValue(value: JsonValue, others: readonly JsonValue[], seeded: Seeded): JsonValue {
  if (typeof value === 'number') return value + seeded.pick([1, -1, 0.5, 10, -10, 0.1])
  if (typeof value === 'string') return varyText(value, seeded)
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return varyList(value, others, seeded)
  if (isObject(value)) return varyObject(value, others, seeded)
  return seeded.pick<JsonValue>([0, '', false, [], {}])
}

function varyText(text: string, seeded: Seeded): string {
  const at = seeded.below(text.length + 1)
  const sign = seeded.pick(['a', 'b', 'x', '0', '7', '-', ' ', 'é'])
  return seeded.below(3) === 0 ? text.slice(0, at) + text.slice(at + 1) : text.slice(0, at) + sign + text.slice(at)
}

function varyList(items: readonly JsonValue[], others: readonly JsonValue[], seeded: Seeded): JsonValue {
  const at = seeded.below(items.length + 1)
  const choice = seeded.below(3)
  if (choice === 0 || items.length === 0) {
    const parts = others.flatMap((other) => (Array.isArray(other) ? other : [])) as readonly JsonValue[]
    return items.toSpliced(at, 0, parts[seeded.below(Math.max(1, parts.length))] ?? null)
  }
  const index = Math.min(at, items.length - 1)
  if (choice === 1) return items.toSpliced(index, 1)
  return items.with(index, varyValue(items[index] as JsonValue, others, seeded))
}

function varyObject(
  object: { readonly [key: string]: JsonValue },
  others: readonly JsonValue[],
  seeded: Seeded,
): JsonValue {
  const donors = others.filter((other) => isObject(other))
  const donor = donors[seeded.below(Math.max(1, donors.length))] ?? {}
  const names = Object.keys(object)
  const choice = seeded.below(3)
  const name = names[seeded.below(Math.max(1, names.length))]
  if (choice === 0 || name === undefined) {
    const entries = Object.entries(donor)
    const entry = entries[seeded.below(Math.max(1, entries.length))]
    return entry === undefined ? object : { ...object, [entry[0]]: entry[1] }
  }
  if (choice === 1) return Object.fromEntries(Object.entries(object).filter(([own]) => own !== name))
  return { ...object, [name]: varyValue(object[name] as JsonValue, others, seeded) }
}
