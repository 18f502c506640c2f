// A constraint that a provider does not carry, as a short sentence beside its field: models read descriptions.
import type { JsonValue } from '../../json/value.ts'
import { counted } from '../../schema/explain/bounded-text.ts'
import type { NormalObject } from '../../schema/normal.ts'

type Sentence = (value: never, node: NormalObject) => string

/** One row per keyword that a sentence can replace. */
const sentences = {
  minimum: (least: number) => `At least ${least}.`,
  maximum: (most: number) => `At most ${most}.`,
  exclusiveMinimum: (limit: number) => `Greater than ${limit}.`,
  exclusiveMaximum: (limit: number) => `Less than ${limit}.`,
  multipleOf: (step: number) => `A multiple of ${step}.`,
  minLength: (least: number) => `At least ${counted(least, 'character')}.`,
  maxLength: (most: number) => `At most ${counted(most, 'character')}.`,
  pattern: (pattern: string) => `Matches the pattern ${shortened(pattern)}.`,
  format: (format: string) => `Written as ${format}.`,
  enum: (values: readonly JsonValue[]) =>
    `One of: ${shortened(values.map((value) => JSON.stringify(value)).join(', '))}.`,
  const: (value: JsonValue) => `Always ${shortened(JSON.stringify(value))}.`,
  minItems: (least: number) => `At least ${counted(least, 'item')}.`,
  maxItems: (most: number) => `At most ${counted(most, 'item')}.`,
  uniqueItems: () => 'No item twice.',
  contains: (_schema: unknown, { minContains = 1, maxContains }: NormalObject) =>
    `${minContains === 0 ? 'Any number' : `At least ${minContains}`}${maxContains === undefined ? '' : ` and at most ${maxContains}`} of the items in a form of their own.`,
  prefixItems: (items: readonly unknown[]) =>
    `The first ${counted(items.length, 'item')} each have their own form, in this order.`,
  items: () => 'Further items have a form of their own, or there are none.',
  unevaluatedItems: () => 'No items beyond those described.',
  minProperties: (least: number) => `At least ${counted(least, 'field')}.`,
  maxProperties: (most: number) => `At most ${counted(most, 'field')}.`,
  properties: () => 'Some of the fields it might have are never accepted.',
  propertyNames: () => 'The names of its fields follow rules.',
  patternProperties: (patterns: object) =>
    `Fields whose names match ${shortened(Object.keys(patterns).join(' or '))} have a form of their own.`,
  additionalProperties: (schema: unknown) =>
    schema === false ? 'No other fields.' : 'Other fields have a form of their own.',
  unevaluatedProperties: () => 'No fields beyond those described.',
  dependentRequired: (needs: Readonly<Record<string, readonly string[]>>) =>
    shortened(
      Object.entries(needs)
        .map(([name, others]) => `Where ${name} is given, ${others.join(', ')} must be given too.`)
        .join(' '),
    ),
  dependentSchemas: (needs: object) =>
    `${shortened(Object.keys(needs).join(', '))} may be given only together with what belongs to it.`,
  anyOf: (branches: readonly (boolean | NormalObject)[]) => alternatives('At least one', branches),
  oneOf: (branches: readonly (boolean | NormalObject)[]) => alternatives('Exactly one', branches),
  not: () => 'Some combinations are excluded.',
  if: () => 'What is needed depends on other fields.',
} as const satisfies Readonly<Record<string, Sentence>>

export type WordedKeyword = keyof typeof sentences

export function constraintText(node: NormalObject, keyword: WordedKeyword): string {
  return (sentences[keyword] as (value: unknown, node: NormalObject) => string)(node[keyword], node)
}

export function defaultText(value: JsonValue): string {
  return `Default: ${shortened(JSON.stringify(value))}.`
}

/** Most unions of whole objects say which fields go together. */
function alternatives(many: string, branches: readonly (boolean | NormalObject)[]): string {
  const needs = branches.map((branch) =>
    typeof branch === 'object' && branch.required !== undefined ? branch.required.join(' and ') : undefined,
  )
  if (needs.some((need) => need === undefined)) return `${many} of its ${branches.length} forms.`
  return `${many} of these must be given: ${shortened(needs.join('; '))}.`
}

const longest = 200

function shortened(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`
}
