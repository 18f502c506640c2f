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
import type { Teller, Telling } from './teller.ts'
import { typeHint } from './type-hints.ts'

type Sentence = (finding: Finding, teller: Teller) => Telling

export const sentences: Readonly<Record<Keyword, Sentence>> = {
  false: (finding, teller) => ({
    expected: 'nothing',
    actual: actual(finding, teller),
    message: `${teller.subject(finding.place)} must be left out: no value is allowed here.`,
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
  oneOf: (finding, teller) =>
    finding.lacking === undefined ? matchingText(finding, teller) : lackingText(finding, teller),
  anyOf: lackingText,
}

function actual(finding: Finding, teller: Teller): string {
  return actualText(finding.place.value, finding.keyword, teller.hidden(finding.place))
}

/** What the schema expects of values of the type that was given. */
function expectedHere(node: NormalObject, value: JsonValue | undefined, teller: Teller): string {
  if (value === undefined) return teller.describe(node)
  return teller.describe(node, typeof value === 'number' ? anyNumber : typeBit(value))
}

function bounded(must: (node: NormalObject, expected: string) => string): Sentence {
  return (finding, teller) => {
    const { node, place } = finding
    const phrase = expectedHere(node, place.value, teller)
    const rule = must(node, phrase)
    const expected = phrase === 'any value' || isBareType(phrase) ? rule.replace(/^(?:be|have) /, '') : phrase
    const message = `${teller.subject(place)} must ${rule}.${teller.meaning(node)}`
    return { expected, actual: actual(finding, teller), message }
  }
}

/** A phrase that names only a type does not show the bound that was broken. */
function isBareType(phrase: string): boolean {
  return /^(?:string|number|integer|array|object)$/.test(phrase) || phrase.startsWith('object with ')
}

function wrongType(finding: Finding, teller: Teller): Telling {
  const { node, place } = finding
  const { value = null } = place
  const expected = teller.describe(node)
  const given = actual(finding, teller)
  const optional = isOptional(finding, teller)
  const { judge, facets } = teller
  const mistyped = { value, types: facets.types(node), schema: node, judge, optional }
  const hint = typeHint(mistyped, teller.hidden(place))
  const message = `${teller.subject(place)} must be ${withArticle(expected)}; ${withArticle(given)} was given.`
  return { expected, actual: given, message: `${message}${hint === '' ? '' : ` ${hint}`}${teller.meaning(node)}` }
}

function isOptional({ place }: Finding, { judge }: Teller): boolean {
  const { parent, token } = place
  if (parent === undefined || typeof token !== 'string') return false
  for (const { required = [] } of parent.applied ?? []) {
    if (!judge.effort.spend(1 + required.length / 8) || required.includes(token)) return false
  }
  return true
}

function wrongValue(finding: Finding, teller: Teller): Telling {
  const { node, place } = finding
  const allowed = finding.keyword === 'const' ? [node.const ?? null] : (node.enum ?? [])
  const expected = allowedValues(allowed)
  const near = teller.hidden(place) ? undefined : nearValue(place.value, allowed, teller)
  const hint = near === undefined ? '' : ` Did you mean ${quoteDeclared(near)}?`
  const message = `${teller.subject(place)} must be ${expected}.${hint}${teller.meaning(node)}`
  return { expected, actual: actual(finding, teller), message }
}

/** Compared as text, so that "5" and 5 are near to each other as well. */
function nearValue(value: JsonValue | undefined, allowed: readonly JsonValue[], teller: Teller): JsonValue | undefined {
  const given = value === undefined || (typeof value === 'string' && value.length > 200) ? undefined : plainText(value)
  if (given === undefined || allowed.length < 2 || !teller.names.mayCompare(allowed.length)) return undefined
  const texts = new Map<string, JsonValue>()
  for (const one of allowed) texts.set(plainText(one) ?? '', one)
  const near = teller.names.meant(given, [...texts.keys()])
  return near === undefined ? undefined : texts.get(near)
}

function plainText(value: JsonValue): string | undefined {
  return typeof value === 'string' ? value : quoteShort(value)
}

function tooManyItems(finding: Finding, teller: Teller): Telling {
  const { parent } = finding.place
  const room = finding.node.prefixItems?.length ?? 0
  const known = finding.keyword === 'items'
  const owner = parent === undefined ? 'The value' : teller.subject(parent)
  const limit = known
    ? `${owner} takes ${room === 0 ? 'no items' : `only ${counted(room, 'item')}`}`
    : `${owner} declares no item here`
  return {
    expected: known && room > 0 ? `array of at most ${counted(room, 'item')}` : 'no item here',
    actual: finding.place.value === undefined ? 'missing' : typeNameOf(finding.place.value),
    message: `${teller.subject(finding.place)} is too much: ${limit}. Leave it out.`,
  }
}

function repeatedItem(finding: Finding, teller: Teller): Telling {
  const { place, node, numbers = [] } = finding
  const given = actual(finding, teller)
  const [one, other] = numbers
  const where = teller.hidden(place) || other === undefined ? '' : `: items ${one} and ${other} are equal`
  const expected = expectedHere(node, place.value, teller)
  return { expected, actual: given, message: `${teller.subject(place)} must not contain the same item twice${where}.` }
}

function contained(must: (node: NormalObject, what: string) => string): Sentence {
  return (finding, teller) => {
    const { node, place, numbers = [] } = finding
    const what = withArticle(teller.describe(node.contains ?? true))
    const rule = must(node, what)
    const [found = 0] = numbers
    const hidden = teller.hidden(place)
    return {
      expected: `array that must ${rule}`,
      actual: hidden ? 'array' : `array with ${counted(found, 'such item')}`,
      message: `${teller.subject(place)} must ${rule}.${teller.meaning(node)}`,
    }
  }
}

/** Says why a union reports these errors; appended to the message of each. */
export function noteText(finding: Finding, teller: Teller): string {
  const { note } = finding
  if (note === undefined) return ''
  if (note.kind === 'closest') {
    const title = note.title === undefined ? '' : `, ${quoteName(note.title)}`
    return ` (The closest of ${note.count} alternatives${title}.)`
  }
  const { by } = note
  const value = by.value === undefined || teller.hidden(by) ? undefined : quoteShort(by.value)
  const name = quoteName(String(by.token))
  return value === undefined ? ` (Because of ${name}.)` : ` (Because ${name} is ${value}.)`
}
