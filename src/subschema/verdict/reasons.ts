// One sentence per keyword of L that refused: what R permits and L does not. The witness shows the rest.
import { readPointer, tokensOf } from '../../json/pointer.ts'
import type { JsonValue } from '../../json/value.ts'
import { counted } from '../../schema/explain/bounded-text.ts'
import type { NormalObject } from '../../schema/normal.ts'

export interface RefusedPlace {
  readonly keyword: string
  /** The schema of L that refused. */
  readonly node: NormalObject
  /** The place as people write it. */
  readonly field: string
  readonly witness: JsonValue
  readonly instancePath: string
}

/** What the two schemas are called, the first one at the beginning of a sentence. */
export interface Sides {
  readonly r: string
  readonly l: string
}

const letters: Sides = { r: 'R', l: 'L' }

type Sentence = (refused: RefusedPlace, sides: Sides) => string

const allows =
  (says: (node: NormalObject) => string): Sentence =>
  (refused, { r, l }) =>
    `${r} allows ${shown(refused)} at ${place(refused)}; ${l} ${says(refused.node)}`

const sentences: Readonly<Record<string, Sentence>> = {
  false: (refused, { r, l }) =>
    `${r} allows ${refused.field === '$' ? shown(refused) : place(refused)}; ${l} forbids it`,
  required: (refused, { r, l }) => `${r} leaves ${place(refused)} optional; ${l} requires it`,
  dependentRequired: (refused, { r, l }) =>
    `${r} leaves ${place(refused)} optional; ${l} requires it ${beside(refused)}`,
  additionalProperties: (refused, { r, l }) =>
    `${r} allows the property ${place(refused)}; ${l} does not declare it and is closed`,
  unevaluatedProperties: (refused, { r, l }) =>
    `${r} allows the property ${place(refused)}; ${l} does not declare it and is closed`,
  propertyNames: (refused, { r, l }) => `${r} allows the property ${place(refused)}; ${l} forbids its name`,
  items: (refused, { r, l }) => `${r} allows ${place(refused)}; ${l} ends the array before it`,
  unevaluatedItems: (refused, { r, l }) => `${r} allows ${place(refused)}; ${l} ends the array before it`,
  type: allows(({ type = [] }) =>
    type.length === 0 ? 'has no alternative for it' : `allows only ${type.join(' or ')}`,
  ),
  enum: allows(({ enum: values = [] }) => `allows only ${choices(values)}`),
  const: allows((node) => `allows only ${shortJson(node.const ?? null)}`),
  minimum: allows(({ minimum }) => `asks for at least ${minimum}`),
  exclusiveMinimum: allows(({ exclusiveMinimum }) => `asks for more than ${exclusiveMinimum}`),
  maximum: allows(({ maximum }) => `asks for at most ${maximum}`),
  exclusiveMaximum: allows(({ exclusiveMaximum }) => `asks for less than ${exclusiveMaximum}`),
  multipleOf: allows(({ multipleOf }) => `asks for a multiple of ${multipleOf}`),
  minLength: allows(({ minLength = 0 }) => `asks for at least ${counted(minLength, 'character')}`),
  maxLength: allows(({ maxLength = 0 }) => `asks for at most ${counted(maxLength, 'character')}`),
  pattern: allows(({ pattern = '' }) => `asks for the pattern ${shortJson(pattern)}`),
  format: allows(({ format = '' }) => `asks for the format ${shortJson(format)}`),
  minItems: allows(({ minItems = 0 }) => `asks for at least ${counted(minItems, 'item')}`),
  maxItems: allows(({ maxItems = 0 }) => `asks for at most ${counted(maxItems, 'item')}`),
  uniqueItems: allows(() => 'asks for items that all differ'),
  contains: allows(() => 'asks for an item that `contains` describes'),
  minContains: allows(
    ({ minContains = 0 }) => `asks for at least ${counted(minContains, 'item')} that \`contains\` describes`,
  ),
  maxContains: allows(
    ({ maxContains = 0 }) => `asks for at most ${counted(maxContains, 'item')} that \`contains\` describes`,
  ),
  minProperties: allows(
    ({ minProperties = 0 }) => `asks for at least ${counted(minProperties, 'property', 'properties')}`,
  ),
  maxProperties: allows(
    ({ maxProperties = 0 }) => `asks for at most ${counted(maxProperties, 'property', 'properties')}`,
  ),
  not: allows(() => 'excludes it'),
  oneOf: allows(() => 'asks for exactly one of its alternatives'),
  anyOf: allows(() => 'has no alternative for it'),
}

export function reasonFor(refused: RefusedPlace, sides: Sides = letters): string {
  const sentence = sentences[refused.keyword] ?? allows(() => `refuses it by ${refused.keyword}`)
  return sentence(refused, sides)
}

function place({ field }: RefusedPlace): string {
  return field === '$' ? 'the whole value' : `\`${field}\``
}

function shown({ witness, instancePath }: RefusedPlace): string {
  const value = readPointer(witness, instancePath)
  return value === undefined ? 'this' : shortJson(value)
}

/** As many of the values as fit into a sentence. */
function choices(values: readonly JsonValue[]): string {
  const shown: string[] = []
  for (const value of values) {
    shown.push(shortJson(value))
    if (shown.join(', ').length > 60) break
  }
  const hidden = values.length - shown.length
  if (hidden > 0) return `${shown.join(', ')} and ${hidden} more values`
  return shown.length === 1 ? String(shown[0]) : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`
}

/** The property that is there and asks for the absent one. */
function beside({ node, witness, instancePath }: RefusedPlace): string {
  const object = readPointer(witness, instancePath.slice(0, instancePath.lastIndexOf('/'))) ?? null
  const missing = tokensOf(instancePath).at(-1) ?? ''
  const there = Object.entries(node.dependentRequired ?? {}).find(
    ([name, needed]) => needed.includes(missing) && object !== null && Object.hasOwn(object as object, name),
  )
  return there === undefined ? 'beside what else is there' : `beside \`${there[0]}\``
}

function shortJson(value: JsonValue): string {
  const full = JSON.stringify(value)
  return full.length > 60 ? `${full.slice(0, 57)}…` : full
}
