// The assertions that look at one value alone, one row each; judge and finder walk the same rows and so cannot differ.
import { isMultipleOf } from '../../json/decimal.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { Keyword } from '../field-error.ts'
import { isList } from '../json-type.ts'
import { isLonger, isShorter } from '../measures.ts'
import type { NormalObject } from '../normal.ts'
import type { Rules } from './rules.ts'

interface Check<T> {
  readonly keyword: Keyword & keyof NormalObject
  fails(node: NormalObject, value: T, rules: Rules): boolean
}

const numberChecks: readonly Check<number>[] = [
  { keyword: 'minimum', fails: (node, value) => node.minimum !== undefined && value < node.minimum },
  {
    keyword: 'exclusiveMinimum',
    fails: (node, value) => node.exclusiveMinimum !== undefined && value <= node.exclusiveMinimum,
  },
  { keyword: 'maximum', fails: (node, value) => node.maximum !== undefined && value > node.maximum },
  {
    keyword: 'exclusiveMaximum',
    fails: (node, value) => node.exclusiveMaximum !== undefined && value >= node.exclusiveMaximum,
  },
  {
    keyword: 'multipleOf',
    fails: (node, value) => node.multipleOf !== undefined && !isMultipleOf(value, node.multipleOf),
  },
  { keyword: 'format', fails: (node, value, rules) => node.format !== undefined && !rules.fits(node.format, value) },
]

/** A text that is much too long gets this one error: reading all of it for others would cost more than they help. */
function isFarTooLong({ maxLength }: NormalObject, text: string): boolean {
  return maxLength !== undefined && text.length > 10_000 && isLonger(text, maxLength)
}

const stringChecks: readonly Check<string>[] = [
  { keyword: 'minLength', fails: (node, value) => node.minLength !== undefined && isShorter(value, node.minLength) },
  { keyword: 'maxLength', fails: (node, value) => node.maxLength !== undefined && isLonger(value, node.maxLength) },
  {
    keyword: 'pattern',
    fails: (node, value, rules) =>
      node.pattern !== undefined && !isFarTooLong(node, value) && !rules.matches(node.pattern, value),
  },
  {
    keyword: 'format',
    fails: (node, value, rules) =>
      node.format !== undefined && !isFarTooLong(node, value) && !rules.fits(node.format, value),
  },
]

const listChecks: readonly Check<readonly JsonValue[]>[] = [
  { keyword: 'minItems', fails: (node, value) => node.minItems !== undefined && value.length < node.minItems },
  { keyword: 'maxItems', fails: (node, value) => node.maxItems !== undefined && value.length > node.maxItems },
]

const objectChecks: readonly Check<JsonObject>[] = [
  {
    keyword: 'minProperties',
    fails: (node, value, rules) => node.minProperties !== undefined && rules.keys(value).length < node.minProperties,
  },
  {
    keyword: 'maxProperties',
    fails: (node, value, rules) => node.maxProperties !== undefined && rules.keys(value).length > node.maxProperties,
  },
]

const noChecks: readonly Check<never>[] = []

function checksOf(value: JsonValue): readonly Check<never>[] {
  if (typeof value === 'string') return stringChecks
  if (typeof value === 'number') return numberChecks
  if (typeof value === 'boolean' || value === null) return noChecks
  return isList(value) ? listChecks : objectChecks
}

const none: readonly Keyword[] = []

/** The keywords of this node, by themselves, that the value fails. With `first`, at most one. */
export function failedChecks(node: NormalObject, value: JsonValue, rules: Rules, first: boolean): readonly Keyword[] {
  let keywords: Keyword[] | undefined
  for (const check of checksOf(value)) {
    if (!check.fails(node, value as never, rules)) continue
    keywords ??= []
    keywords.push(check.keyword)
    if (first) break
  }
  return keywords ?? none
}
