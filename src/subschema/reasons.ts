// One sentence per keyword of L that refused: what R permits and L does not. The witness shows the rest.
import { readPointer } from '../json/pointer.ts'
import type { JsonValue } from '../json/value.ts'
import type { NormalObject } from '../schema/normal.ts'

export interface Refused {
  readonly keyword: string
  /** The schema of L that refused. */
  readonly node: NormalObject
  /** The place as people write it. */
  readonly field: string
  readonly witness: JsonValue
  readonly instancePath: string
}

type Sentence = (refused: Refused) => string

const allows =
  (says: (node: NormalObject) => string): Sentence =>
  (refused) =>
    `R allows ${shown(refused)} at ${place(refused)}; L ${says(refused.node)}`

const sentences: Readonly<Record<string, Sentence>> = {
  false: (refused) => `R allows ${place(refused)}; L forbids it`,
  required: (refused) => `R leaves ${place(refused)} optional; L requires it`,
  dependentRequired: (refused) => `R leaves ${place(refused)} optional; L requires it beside what else is there`,
  additionalProperties: (refused) => `R allows the property ${place(refused)}; L does not declare it and is closed`,
  unevaluatedProperties: (refused) => `R allows the property ${place(refused)}; L does not declare it and is closed`,
  propertyNames: (refused) => `R allows the property ${place(refused)}; L forbids its name`,
  items: (refused) => `R allows ${place(refused)}; L ends the array before it`,
  unevaluatedItems: (refused) => `R allows ${place(refused)}; L ends the array before it`,
  type: allows(({ type = [] }) =>
    type.length === 0 ? 'has no alternative for it' : `allows only ${type.join(' or ')}`,
  ),
  enum: allows(
    ({ enum: values = [] }) =>
      `allows only ${values.length === 1 ? text(values[0] ?? null) : `${values.length} listed values`}`,
  ),
  const: allows((node) => `allows only ${text(node.const ?? null)}`),
  minimum: allows(({ minimum }) => `asks for at least ${minimum}`),
  exclusiveMinimum: allows(({ exclusiveMinimum }) => `asks for more than ${exclusiveMinimum}`),
  maximum: allows(({ maximum }) => `asks for at most ${maximum}`),
  exclusiveMaximum: allows(({ exclusiveMaximum }) => `asks for less than ${exclusiveMaximum}`),
  multipleOf: allows(({ multipleOf }) => `asks for a multiple of ${multipleOf}`),
  minLength: allows(({ minLength }) => `asks for at least ${minLength} characters`),
  maxLength: allows(({ maxLength }) => `asks for at most ${maxLength} characters`),
  pattern: allows(({ pattern = '' }) => `asks for the pattern ${text(pattern)}`),
  format: allows(({ format = '' }) => `asks for the format ${text(format)}`),
  minItems: allows(({ minItems }) => `asks for at least ${minItems} items`),
  maxItems: allows(({ maxItems }) => `asks for at most ${maxItems} items`),
  uniqueItems: allows(() => 'asks for items that all differ'),
  contains: allows(() => 'asks for an item of a certain form'),
  minContains: allows(({ minContains }) => `asks for at least ${minContains} items of a certain form`),
  maxContains: allows(({ maxContains }) => `asks for at most ${maxContains} items of a certain form`),
  minProperties: allows(({ minProperties }) => `asks for at least ${minProperties} properties`),
  maxProperties: allows(({ maxProperties }) => `asks for at most ${maxProperties} properties`),
  not: allows(() => 'excludes it'),
  oneOf: allows(() => 'asks for exactly one of its alternatives'),
  anyOf: allows(() => 'has no alternative for it'),
}

export function reasonFor(refused: Refused): string {
  const sentence = sentences[refused.keyword] ?? allows(() => `refuses it by ${refused.keyword}`)
  return sentence(refused)
}

function place({ field }: Refused): string {
  return field === '$' ? 'the whole value' : `\`${field}\``
}

function shown({ witness, instancePath }: Refused): string {
  const value = readPointer(witness, instancePath)
  return value === undefined ? 'this' : text(value)
}

function text(value: JsonValue): string {
  const full = JSON.stringify(value)
  return full.length > 60 ? `${full.slice(0, 57)}…` : full
}
