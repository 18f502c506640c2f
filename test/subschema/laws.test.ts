// Random pairs against a small universe and the laws of inclusion, and the harness itself against planted faults.
import { expect, it } from 'vitest'
import { fuzz } from '../../bench/prover/harness.ts'
import { smallUniverse } from '../../bench/prover/universe.ts'
import type { JsonValue } from '../../src/json/value.ts'
import { preprocess } from '../../src/schema/preprocess.ts'
import { compileValidator } from '../../src/schema/validator.ts'
import { isSubschema } from '../../src/subschema/is-subschema.ts'

it('finds nothing unsound, no bad witness and no broken law in random pairs [proven-means-contained]', () => {
  expect(fuzz({ count: 1500, seed: 42 })).toMatchObject({ faults: [], skipped: 0 })
})

it.each([3, 12, 40])('says less with a budget of %d steps, and nothing wrong [unknown-is-never-empty]', (budget) => {
  const { faults, unsupported } = fuzz({ count: 800, seed: 5, budget })
  expect(faults).toEqual([])
  expect(unsupported).toBeGreaterThan(0)
})

it.each(['multipleOf', 'uniqueItems', 'required', 'contains', 'patternProperties', 'oneOf'])(
  'finds out a prover that overlooks %s',
  (plant) => {
    expect(fuzz({ count: 1500, seed: 42, plant }).faults.length).toBeGreaterThan(0)
  },
)

it('asks the same questions for the same seed', () => {
  const { slowest_ms: _, ...first } = fuzz({ count: 50, seed: 3 })
  expect(fuzz({ count: 50, seed: 3 })).toMatchObject(first)
})

/** One or two schemas for every keyword. */
const small: readonly JsonValue[] = [
  ...['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'].map((type) => ({ type })),
  { const: 1 },
  { const: { a: 1 } },
  { enum: ['a', 'b', null] },
  { enum: [[], [1], {}] },
  { minimum: 1 },
  { exclusiveMaximum: 2 },
  { multipleOf: 1.5 },
  { multipleOf: 0.1 },
  { minLength: 1 },
  { maxLength: 1 },
  { pattern: '^a' },
  { pattern: 'b$' },
  { minItems: 1 },
  { maxItems: 1 },
  { uniqueItems: true },
  { items: { type: 'integer' } },
  { prefixItems: [{ type: 'integer' }, { type: 'string' }] },
  { contains: { const: 1 } },
  { contains: { type: 'integer' }, minContains: 0, maxContains: 1 },
  { properties: { a: { type: 'integer' } } },
  { properties: { a: true }, additionalProperties: false },
  { patternProperties: { '^a': { type: 'integer' } } },
  { propertyNames: { maxLength: 1 } },
  { required: ['a'] },
  { minProperties: 1 },
  { maxProperties: 1 },
  { dependentRequired: { a: ['b'] } },
  { dependentSchemas: { a: { required: ['c'] } } },
  { anyOf: [{ properties: { a: { const: 1 } }, required: ['a'] }], unevaluatedProperties: false },
  { anyOf: [{ prefixItems: [{ const: 1 }] }, true], unevaluatedItems: { type: 'string' } },
  { oneOf: [{ type: 'integer' }, { minimum: 1 }] },
  { if: { type: 'array' }, else: { type: 'string' } },
]

it('decides every pair of small schemas, and of one and the opposite of another, as the universe of values does [proven-means-contained]', () => {
  const universe = smallUniverse()
  const schemas = small.flatMap((schema) => [schema, { not: schema }])
  const tests = schemas.map((schema) => {
    const read = preprocess(schema)
    if (!read.ok) throw new Error(read.refusals[0]?.message)
    const { matches } = compileValidator(read.schema)
    return universe.map(matches)
  })
  const wrong: string[] = []
  for (const [i, r] of schemas.entries()) {
    for (const [j, l] of schemas.entries()) {
      const { verdict } = isSubschema(r, l)
      const refuting = universe.findIndex((_, at) => tests[i]?.[at] === true && tests[j]?.[at] === false)
      if (verdict === 'unsupported' || (verdict === 'proven' && refuting >= 0)) {
        wrong.push(`${JSON.stringify(r)} in ${JSON.stringify(l)}: ${verdict}, ${JSON.stringify(universe[refuting])}`)
      }
    }
  }
  expect(wrong).toEqual([])
})
