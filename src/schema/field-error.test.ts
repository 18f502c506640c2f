import { expect, test } from 'vitest'
import type { JsonValue } from '../json/value.ts'
import { explain } from './explain.ts'
import { classOfKind, errorKinds, type Keyword, keywordClasses } from './field-error.ts'
import { preprocess } from './preprocess.ts'

/** For each row a schema and a value that fails by that keyword alone. */
const samples: Readonly<Record<Keyword, readonly [schema: JsonValue, value: JsonValue]>> = {
  false: [{ properties: { a: false } }, { a: 1 }],
  required: [{ required: ['a'] }, {}],
  dependentRequired: [{ dependentRequired: { a: ['b'] } }, { a: 1 }],
  additionalProperties: [{ additionalProperties: false }, { a: 1 }],
  unevaluatedProperties: [{ anyOf: [{ properties: { b: true } }, false], unevaluatedProperties: false }, { a: 1 }],
  propertyNames: [{ propertyNames: { maxLength: 1 } }, { ab: 1 }],
  items: [{ prefixItems: [true], items: false }, [1, 2]],
  unevaluatedItems: [{ anyOf: [{ prefixItems: [true] }, false], unevaluatedItems: false }, [1, 2]],
  type: [{ type: 'string' }, 1],
  enum: [{ enum: ['a', 'b'] }, 'c'],
  const: [{ const: 1 }, 2],
  minimum: [{ minimum: 1 }, 0],
  exclusiveMinimum: [{ exclusiveMinimum: 1 }, 1],
  maximum: [{ maximum: 1 }, 2],
  exclusiveMaximum: [{ exclusiveMaximum: 1 }, 1],
  multipleOf: [{ multipleOf: 0.01 }, 0.005],
  minLength: [{ minLength: 1 }, ''],
  maxLength: [{ maxLength: 1 }, 'ab'],
  pattern: [{ pattern: '^a' }, 'b'],
  format: [{ format: 'date' }, 'tomorrow'],
  minItems: [{ minItems: 1 }, []],
  maxItems: [{ maxItems: 0 }, [1]],
  uniqueItems: [{ uniqueItems: true }, [1, 1]],
  contains: [{ contains: { type: 'string' } }, [1]],
  minContains: [{ contains: { type: 'string' }, minContains: 2 }, ['a']],
  maxContains: [{ contains: { type: 'string' }, maxContains: 1 }, ['a', 'b']],
  minProperties: [{ minProperties: 1 }, {}],
  maxProperties: [{ maxProperties: 0 }, { a: 1 }],
  not: [{ not: { type: 'string' } }, 'a'],
  oneOf: [{ oneOf: [{ type: 'string' }, { minLength: 1 }] }, 'a'],
  anyOf: [{ anyOf: [{ required: ['a'] }, { required: ['b'] }] }, {}],
}

test.each(keywordClasses)(
  'The keyword $keyword reports under its own name, with the kind of its row [TC-076, TC-086]',
  (row) => {
    const [schema, value] = samples[row.keyword]
    const preprocessed = preprocess(schema)
    expect(preprocessed.ok).toBe(true)
    if (!preprocessed.ok) return
    const errors = explain(preprocessed.schema, value)
    expect(errors.map((error) => error.keyword)).toEqual([row.keyword])
    expect(errors[0]?.kind).toBe(row.kind === 'branch' ? 'structure' : row.kind)
  },
)

test('Every kind of error has a class of its own in the taxonomy [TC-085]', () => {
  expect(errorKinds.map((kind) => classOfKind[kind])).toEqual([
    'STRUCTURAL_VIOLATION',
    'TYPE_MISMATCH',
    'OUT_OF_BOUNDS',
  ])
})

test('No keyword has two rows, and every row gives a reason', () => {
  expect(new Set(keywordClasses.map((row) => row.keyword)).size).toBe(keywordClasses.length)
  for (const row of keywordClasses) expect(row.reason).toMatch(/^[A-Z].*\.$/)
})
