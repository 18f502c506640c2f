// The keyword table of the prover: what each keyword says about a value of one JSON type, as a formula.
// Invariant: every keyword of the normal form has a row here; a test compares the two lists.

import type { JsonType } from '../../schema/json-type.ts'
import type { NormalObject } from '../../schema/normal.ts'
import { declaredKeys, has, matches, named } from '../objects/key-formulas.ts'
import type { Formula } from '../solver/formula.ts'
import { alwaysFits, numberFormat } from '../texts/format-facts.ts'
import type { KeywordContext } from './keyword-context.ts'
import { exactlyOne } from './one-of.ts'
import { unevaluatedItems, unevaluatedProperties } from './unevaluated.ts'
import { equalTo, oneOfValues } from './values.ts'

const unbounded = Number.POSITIVE_INFINITY

export interface KeywordRule {
  readonly keyword: keyof NormalObject
  /** The types it speaks about; values of other types pass. */
  readonly types: readonly JsonType[]
  /** How it is modelled, in a few words for people. */
  readonly model: string
  formula(context: KeywordContext, node: NormalObject): Formula
}

const every: readonly JsonType[] = ['null', 'boolean', 'number', 'string', 'array', 'object']

export const keywordRules: readonly KeywordRule[] = [
  { keyword: '$ref', types: every, model: 'the schema it names', formula: reference },
  { keyword: 'type', types: every, model: 'split before anything else; integer is a multiple of 1', formula: typeRule },
  { keyword: 'enum', types: every, model: 'finite set', formula: (c, { enum: values = [] }) => oneOfValues(c, values) },
  {
    keyword: 'const',
    types: every,
    model: 'finite set',
    formula: (c, node) => (node.const === undefined ? c.formulas.yes : equalTo(c, node.const)),
  },

  { keyword: 'minimum', types: ['number'], model: 'interval', formula: (c, n) => above(c, n.minimum, false) },
  {
    keyword: 'exclusiveMinimum',
    types: ['number'],
    model: 'interval',
    formula: (c, n) => above(c, n.exclusiveMinimum, true),
  },
  { keyword: 'maximum', types: ['number'], model: 'interval', formula: (c, n) => below(c, n.maximum, false) },
  {
    keyword: 'exclusiveMaximum',
    types: ['number'],
    model: 'interval',
    formula: (c, n) => below(c, n.exclusiveMaximum, true),
  },
  {
    keyword: 'multipleOf',
    types: ['number'],
    model: 'exact decimals; conjunctions by least common multiple',
    formula: (c, { multipleOf = 1 }) => c.literal({ kind: 'multiple', of: multipleOf, holds: true }),
  },

  { keyword: 'minLength', types: ['string'], model: 'length in code points', formula: (c, n) => size(c, n.minLength) },
  {
    keyword: 'maxLength',
    types: ['string'],
    model: 'length in code points',
    formula: (c, n) => size(c, 0, n.maxLength),
  },
  { keyword: 'pattern', types: ['string'], model: 'automaton', formula: (c, { pattern = '' }) => matches(c, pattern) },
  { keyword: 'format', types: ['string', 'number'], model: 'checks and a table of implications', formula: format },

  {
    keyword: 'prefixItems',
    types: ['array'],
    model: 'claims by position',
    formula: (c, { prefixItems = [] }) =>
      c.formulas.and(prefixItems.map((item, index) => c.literal({ kind: 'at', index, claim: c.claim(item) }))),
  },
  {
    keyword: 'items',
    types: ['array'],
    model: 'no item from a position on disobeys',
    formula: (c, { items = true, prefixItems = [] }) =>
      c.literal({ kind: 'count', from: prefixItems.length, claim: -c.claim(items), min: 0, max: 0 }),
  },
  {
    keyword: 'contains',
    types: ['array'],
    model: 'counted items',
    formula: (c, { contains = true, minContains = 1, maxContains = unbounded }) =>
      c.literal({ kind: 'count', from: 0, claim: c.claim(contains), min: minContains, max: maxContains }),
  },
  { keyword: 'minContains', types: ['array'], model: 'with contains', formula: (c) => c.formulas.yes },
  { keyword: 'maxContains', types: ['array'], model: 'with contains', formula: (c) => c.formulas.yes },
  { keyword: 'minItems', types: ['array'], model: 'length', formula: (c, n) => size(c, n.minItems) },
  { keyword: 'maxItems', types: ['array'], model: 'length', formula: (c, n) => size(c, 0, n.maxItems) },
  {
    keyword: 'uniqueItems',
    types: ['array'],
    model: 'matching of positions and values',
    formula: (c) => c.literal({ kind: 'unique', holds: true }),
  },
  { keyword: 'unevaluatedItems', types: ['array'], model: 'one case per set of branches', formula: unevaluatedItems },

  {
    keyword: 'properties',
    types: ['object'],
    model: 'claims by name',
    formula: (c, { properties = {} }) =>
      c.formulas.and(
        Object.entries(properties).map(([name, schema]) =>
          c.literal({ kind: 'all', keys: named(c, [name]), claim: c.claim(schema) }),
        ),
      ),
  },
  {
    keyword: 'patternProperties',
    types: ['object'],
    model: 'claims on classes of names, by automata',
    formula: (c, { patternProperties = {} }) =>
      c.formulas.and(
        Object.entries(patternProperties).map(([pattern, schema]) =>
          c.literal({ kind: 'all', keys: matches(c, pattern), claim: c.claim(schema) }),
        ),
      ),
  },
  {
    keyword: 'additionalProperties',
    types: ['object'],
    model: 'claim on the class of all other names',
    formula: (c, node) =>
      c.literal({
        kind: 'all',
        keys: c.formulas.not(declaredKeys(c, node)),
        claim: c.claim(node.additionalProperties ?? true),
      }),
  },
  {
    keyword: 'propertyNames',
    types: ['object'],
    model: 'names outside are forbidden',
    formula: (c, { propertyNames = true }) =>
      c.literal({ kind: 'all', keys: c.formulas.not(c.textFormula(propertyNames)), claim: c.claim(false) }),
  },
  {
    keyword: 'required',
    types: ['object'],
    model: 'some property of that name',
    formula: (c, { required = [] }) => c.formulas.and(required.map((name) => has(c, name))),
  },
  {
    keyword: 'minProperties',
    types: ['object'],
    model: 'number of names',
    formula: (c, n) => size(c, n.minProperties),
  },
  {
    keyword: 'maxProperties',
    types: ['object'],
    model: 'number of names',
    formula: (c, n) => size(c, 0, n.maxProperties),
  },
  {
    keyword: 'dependentRequired',
    types: ['object'],
    model: 'case split',
    formula: (c, { dependentRequired = {} }) =>
      c.formulas.and(
        Object.entries(dependentRequired).map(([name, needed]) =>
          implies(c, has(c, name), c.formulas.and(needed.map((one) => has(c, one)))),
        ),
      ),
  },
  {
    keyword: 'dependentSchemas',
    types: ['object'],
    model: 'case split',
    formula: (c, { dependentSchemas = {} }) =>
      c.formulas.and(
        Object.entries(dependentSchemas).map(([name, schema]) => implies(c, has(c, name), c.inPlace(schema))),
      ),
  },
  {
    keyword: 'unevaluatedProperties',
    types: ['object'],
    model: 'one case per set of branches',
    formula: unevaluatedProperties,
  },

  {
    keyword: 'allOf',
    types: every,
    model: 'conjunction',
    formula: (c, { allOf = [] }) => c.formulas.and(allOf.map(c.inPlace)),
  },
  {
    keyword: 'anyOf',
    types: every,
    model: 'disjunction, expanded only where an example fails',
    formula: (c, { anyOf = [] }) => c.formulas.or(anyOf.map(c.inPlace)),
  },
  {
    keyword: 'oneOf',
    types: every,
    model: 'disjunction, and no two together',
    formula: (c, node) => exactlyOne(c, (node.oneOf ?? []).map(c.inPlace), node),
  },
  {
    keyword: 'not',
    types: every,
    model: 'negation pushed to the literals',
    formula: (c, { not = false }) => c.formulas.not(c.inPlace(not)),
  },
  { keyword: 'if', types: every, model: 'case split', formula: condition },
  { keyword: 'then', types: every, model: 'with if', formula: (c) => c.formulas.yes },
  { keyword: 'else', types: every, model: 'with if', formula: (c) => c.formulas.yes },
]

function reference(context: KeywordContext, { $ref = '' }: NormalObject): Formula {
  return context.inPlace(context.target($ref))
}

function typeRule({ type, formulas, literal }: KeywordContext, { type: names = [] }: NormalObject): Formula {
  if (names.includes(type)) return formulas.yes
  if (type === 'number' && names.includes('integer')) return literal({ kind: 'multiple', of: 1, holds: true })
  return formulas.no
}

function above({ literal }: KeywordContext, bound = 0, open: boolean): Formula {
  return literal({ kind: 'above', bound, open })
}

function below({ literal }: KeywordContext, bound = 0, open: boolean): Formula {
  return literal({ kind: 'below', bound, open })
}

function size({ literal }: KeywordContext, min = 0, max = unbounded): Formula {
  return literal({ kind: 'size', min, max })
}

function format(context: KeywordContext, { format: name = '' }: NormalObject): Formula {
  const { formulas, literal, type, asserting } = context
  if (!asserting || alwaysFits(name)) return formulas.yes
  if (type === 'string')
    return numberFormat(name) === undefined ? literal({ kind: 'format', name, holds: true }) : formulas.yes
  const range = numberFormat(name)
  if (range === undefined) return formulas.yes
  return formulas.and([
    literal({ kind: 'above', bound: range.least, open: false }),
    literal({ kind: 'below', bound: range.most, open: range.isBelow }),
    range.whole ? literal({ kind: 'multiple', of: 1, holds: true }) : formulas.yes,
  ])
}

function implies({ formulas }: KeywordContext, condition: Formula, then: Formula): Formula {
  return formulas.or([formulas.not(condition), then])
}

function condition(context: KeywordContext, node: NormalObject): Formula {
  const { formulas, inPlace } = context
  const test = inPlace(node.if ?? true)
  return formulas.and([
    implies(context, test, inPlace(node.then ?? true)),
    implies(context, formulas.not(test), inPlace(node.else ?? true)),
  ])
}
