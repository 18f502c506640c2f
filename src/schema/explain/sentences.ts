// The sentences: one row per keyword. Each says what was expected, what was given, and what to do about it.
// Invariant: values appear only through `actualText` and only where the place is not hidden.
import type { JsonValue } from '../../json/value.ts'
import type { Keyword } from '../field-error.ts'
import { anyNumber, typeBit, typeNameOf } from '../json-type.ts'
import type { NormalObject } from '../normal.ts'
import { actualText } from './actual-text.ts'
import { counted, quoteDeclared, quoteName, quoteShort } from './bounded-text.ts'
import { allowedValues, withArticle } from './expected-text.ts'
import type { Finding } from './finding.ts'
import { excludedText, lackingText, matchingText } from './logic-text.ts'
import { missingText, nameText, unknownText } from './property-text.ts'
import type { ErrorTexts, SentenceContext } from './sentence-context.ts'
import { typeHint } from './type-hints.ts'

type Sentence = (finding: Finding, context: SentenceContext) => ErrorTexts

export const sentences: Readonly<Record<Keyword, Sentence>> = {
  false: (finding, context) => ({
    expected: 'nothing',
    actual: actual(finding, context),
    message: `${context.subject(finding.place)} must be left out: no value is allowed here.`,
  }),
  required: missingText,
  dependentRequired: missingText,
  additionalProperties: unknownText,
  unevaluatedProperties: unknownText,
  propertyNames: nameText,
  items: tooManyItems,
  unevaluatedItems: tooManyItems,
  type: wrongType,
  enum: wrongValue,
  const: wrongValue,
  minimum: bounded((node) => `be at least ${node.minimum}`),
  exclusiveMinimum: bounded((node) => `be greater than ${node.exclusiveMinimum}`),
  maximum: bounded((node) => `be at most ${node.maximum}`),
  exclusiveMaximum: bounded((node) => `be less than ${node.exclusiveMaximum}`),
  multipleOf: bounded((node) => `be a multiple of ${node.multipleOf}`),
  minLength: bounded((node) => `have at least ${counted(node.minLength ?? 0, 'character')}`),
  maxLength: bounded((node) => `have at most ${counted(node.maxLength ?? 0, 'character')}`),
  pattern: bounded((_, phrase) => `be ${withArticle(phrase)}`),
  format: bounded((_, phrase) => `be ${withArticle(phrase)}`),
  minItems: bounded((node) => `have at least ${counted(node.minItems ?? 0, 'item')}`),
  maxItems: bounded((node) => `have at most ${counted(node.maxItems ?? 0, 'item')}`),
  uniqueItems: repeatedItem,
  contains: contained((_, what) => `have an item that is ${what}`),
  minContains: contained(
    (node, what) => `have at least ${counted(node.minContains ?? 1, 'item')} of this form: ${what}`,
  ),
  maxContains: contained(
    (node, what) => `have at most ${counted(node.maxContains ?? 0, 'item')} of this form: ${what}`,
  ),
  minProperties: bounded((node) => `have at least ${counted(node.minProperties ?? 0, 'property', 'properties')}`),
  maxProperties: bounded((node) => `have at most ${counted(node.maxProperties ?? 0, 'property', 'properties')}`),
  not: excludedText,
  oneOf: (finding, context) =>
    finding.lacking === undefined ? matchingText(finding, context) : lackingText(finding, context),
  anyOf: lackingText,
}

function actual(finding: Finding, context: SentenceContext): string {
  return actualText(finding.place.value, finding.keyword, context.hidden(finding.place))
}

/** What the schema expects of values of the type that was given. */
function expectedHere(node: NormalObject, value: JsonValue | undefined, context: SentenceContext): string {
  if (value === undefined) return context.describe(node)
  return context.describe(node, typeof value === 'number' ? anyNumber : typeBit(value))
}

function bounded(must: (node: NormalObject, expected: string) => string): Sentence {
  return (finding, context) => {
    const { node, place } = finding
    const phrase = expectedHere(node, place.value, context)
    const rule = must(node, phrase)
    const expected = phrase === 'any value' || isBareType(phrase) ? rule.replace(/^(?:be|have) /, '') : phrase
    const message = `${context.subject(place)} must ${rule}.${context.meaning(node)}`
    return { expected, actual: actual(finding, context), message }
  }
}

/** A phrase that names only a type does not show the bound that was broken. */
function isBareType(phrase: string): boolean {
  return /^(?:string|number|integer|array|object)$/.test(phrase) || phrase.startsWith('object with ')
}

function wrongType(finding: Finding, context: SentenceContext): ErrorTexts {
  const { node, place } = finding
  const { value = null } = place
  const expected = context.describe(node)
  const given = actual(finding, context)
  const optional = isOptional(finding, context)
  const { judge, facets } = context
  const mistyped = { value, types: facets.types(node), schema: node, judge, optional }
  const hint = typeHint(mistyped, context.hidden(place))
  const message = `${context.subject(place)} must be ${withArticle(expected)}; ${withArticle(given)} was given.`
  return { expected, actual: given, message: `${message}${hint === '' ? '' : ` ${hint}`}${context.meaning(node)}` }
}

function isOptional({ place }: Finding, { judge }: SentenceContext): boolean {
  const { parent, token } = place
  if (parent === undefined || typeof token !== 'string') return false
  for (const { required = [] } of parent.applied ?? []) {
    if (!judge.effort.spend(1 + required.length / 8) || required.includes(token)) return false
  }
  return true
}

function wrongValue(finding: Finding, context: SentenceContext): ErrorTexts {
  const { node, place } = finding
  const allowed = finding.keyword === 'const' ? [node.const ?? null] : (node.enum ?? [])
  const expected = allowedValues(allowed)
  const near = context.hidden(place) ? undefined : nearValue(place.value, allowed, context)
  const hint = near === undefined ? '' : ` Did you mean ${quoteDeclared(near)}?`
  const message = `${context.subject(place)} must be ${expected}.${hint}${context.meaning(node)}`
  return { expected, actual: actual(finding, context), message }
}

/** Compared as text, so that "5" and 5 are near to each other as well. */
function nearValue(
  value: JsonValue | undefined,
  allowed: readonly JsonValue[],
  context: SentenceContext,
): JsonValue | undefined {
  const given = value === undefined || (typeof value === 'string' && value.length > 200) ? undefined : plainText(value)
  if (given === undefined || allowed.length < 2 || !context.names.mayCompare(allowed.length)) return undefined
  const texts = new Map<string, JsonValue>()
  for (const one of allowed) texts.set(plainText(one) ?? '', one)
  const near = context.names.meant(given, [...texts.keys()])
  return near === undefined ? undefined : texts.get(near)
}

function plainText(value: JsonValue): string | undefined {
  return typeof value === 'string' ? value : quoteShort(value)
}

function tooManyItems(finding: Finding, context: SentenceContext): ErrorTexts {
  const { parent } = finding.place
  const room = finding.node.prefixItems?.length ?? 0
  const known = finding.keyword === 'items'
  const owner = parent === undefined ? 'The value' : context.subject(parent)
  const limit = known
    ? `${owner} takes ${room === 0 ? 'no items' : `only ${counted(room, 'item')}`}`
    : `${owner} declares no item here`
  return {
    expected: known && room > 0 ? `array of at most ${counted(room, 'item')}` : 'no item here',
    actual: finding.place.value === undefined ? 'missing' : typeNameOf(finding.place.value),
    message: `${context.subject(finding.place)} is too much: ${limit}. Leave it out.`,
  }
}

function repeatedItem(finding: Finding, context: SentenceContext): ErrorTexts {
  const { place, node, numbers = [] } = finding
  const given = actual(finding, context)
  const [one, other] = numbers
  const where = context.hidden(place) || other === undefined ? '' : `: items ${one} and ${other} are equal`
  const expected = expectedHere(node, place.value, context)
  return { expected, actual: given, message: `${context.subject(place)} must not contain the same item twice${where}.` }
}

function contained(must: (node: NormalObject, what: string) => string): Sentence {
  return (finding, context) => {
    const { node, place, numbers = [] } = finding
    const what = withArticle(context.describe(node.contains ?? true))
    const rule = must(node, what)
    const [found = 0] = numbers
    const hidden = context.hidden(place)
    return {
      expected: `array that must ${rule}`,
      actual: hidden ? 'array' : `array with ${counted(found, 'such item')}`,
      message: `${context.subject(place)} must ${rule}.${context.meaning(node)}`,
    }
  }
}

/** Says why a union reports these errors; appended to the message of each. */
export function noteText(finding: Finding, context: SentenceContext): string {
  const { note } = finding
  if (note === undefined) return ''
  if (note.kind === 'closest') {
    const title = note.title === undefined ? '' : `, ${quoteName(note.title)}`
    return ` (The closest of ${note.count} alternatives${title}.)`
  }
  const { by } = note
  const value = by.value === undefined || context.hidden(by) ? undefined : quoteShort(by.value)
  const name = quoteName(String(by.token))
  return value === undefined ? ` (Because of ${name}.)` : ` (Because ${name} is ${value}.)`
}
