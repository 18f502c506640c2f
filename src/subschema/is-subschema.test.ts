import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../json/value.ts'
import { isSubschema, type SubschemaOptions } from './is-subschema.ts'

type Row = readonly [says: string, r: JsonValue, l: JsonValue, verdict: string, options?: SubschemaOptions]

const object = (properties: JsonValue, more: object = {}): JsonValue =>
  ({ type: 'object', properties, ...more }) as JsonValue
const asserting = { formats: { r: 'assert', l: 'assert' } } as const

const threeWays = { oneOf: [{ minProperties: 1 }, { pattern: 'b$' }, { maxProperties: 1, prefixItems: [false] }] }
const strangeCondition = {
  if: { dependentSchemas: { a: { prefixItems: [true, true] } } },
  unevaluatedItems: { type: 'string' },
}

const conditional = JSON.parse('{ "if": { "type": "string" }, "then": { "minLength": 1 } }') as JsonValue

/** Each of these made some other checker unsound or incomplete. */
const rows: readonly Row[] = [
  ['a keyword is never ignored on the right', { type: 'array' }, { type: 'array', contains: { const: 1 } }, 'refuted'],
  ['a dot leaves newlines out', { type: 'string' }, { type: 'string', pattern: '^.*$' }, 'refuted'],
  ['a pattern without anchors is a search', { pattern: '^xay$' }, { pattern: 'a' }, 'proven'],
  ['anchors bind to their own alternative', { type: 'string', pattern: '^a|b$' }, { pattern: '^(a|b)$' }, 'refuted'],
  [
    'a lookahead is a condition on the whole text',
    { type: 'string', pattern: '^(?!a)b' },
    { not: { pattern: '^a' } },
    'proven',
  ],
  ['a word boundary is exact', { type: 'string', pattern: '^\\bab$' }, { const: 'ab' }, 'proven'],
  ['0 is not false', { const: 0 }, { const: false }, 'refuted'],
  ['1 is not true, not even in an enum', { enum: [1] }, { enum: [true] }, 'refuted'],
  ['1.0 is an integer', { const: 1.0 }, { type: 'integer' }, 'proven'],
  ['multiples are exact decimals', { multipleOf: 0.3 }, { multipleOf: 0.1 }, 'proven'],
  ['19.99 is a multiple of a cent', { const: 19.99 }, { multipleOf: 0.01 }, 'proven'],
  ['least common multiples are found', { allOf: [{ multipleOf: 4 }, { multipleOf: 6 }] }, { multipleOf: 12 }, 'proven'],
  ['a number need not be a multiple', { type: 'number' }, { multipleOf: 0.5 }, 'refuted'],
  ['an integer range may hold nothing', { type: 'integer', exclusiveMinimum: 1, exclusiveMaximum: 2 }, false, 'proven'],
  ['a $ref in an enum is data', { enum: [{ $ref: '#/nowhere' }] }, { type: 'object' }, 'proven'],
  [
    'absent additionalProperties means open',
    object({ a: true }),
    object({}, { additionalProperties: false }),
    'refuted',
  ],
  [
    'additionalProperties sees only its own properties',
    { allOf: [object({ a: true }), { additionalProperties: false }] },
    { maxProperties: 0 },
    'proven',
  ],
  [
    'unevaluatedProperties sees its branches',
    { allOf: [object({ a: true })], unevaluatedProperties: false },
    object({}, { maxProperties: 0 }),
    'refuted',
  ],
  [
    'unevaluatedProperties closes',
    { type: 'object', allOf: [object({ a: true })], unevaluatedProperties: false },
    { maxProperties: 1 },
    'proven',
  ],
  [
    'a union on the right is covered together',
    { type: 'integer' },
    { anyOf: [{ minimum: 0 }, { maximum: 0 }] },
    'proven',
  ],
  ['a union on the left needs every branch', { anyOf: [{ const: 1 }, { const: 'a' }] }, { type: 'integer' }, 'refuted'],
  ['oneOf refuses what two branches accept', { const: 4 }, { oneOf: [{ multipleOf: 2 }, { minimum: 3 }] }, 'refuted'],
  ['if without then says nothing', { if: { type: 'string' } }, true, 'proven'],
  ['then applies only where if holds', conditional, { not: { const: '' } }, 'proven'],
  ['lengths are in code points', { const: '😀' }, { maxLength: 1 }, 'proven'],
  ['required names of the prototype are names', { type: 'object' }, { required: ['toString'] }, 'refuted'],
  [
    'draft-07 ignores siblings of $ref',
    { $ref: '#/definitions/a', minimum: 9, definitions: { a: { type: 'number' } } },
    { minimum: 5 },
    'refuted',
    { dialect: 'draft-07' },
  ],
  [
    '2020-12 honours siblings of $ref',
    { $ref: '#/$defs/a', minimum: 9, $defs: { a: { type: 'number' } } },
    { minimum: 5 },
    'proven',
  ],
  [
    'nullable widens the type beside it',
    { type: 'string', nullable: true },
    { type: 'string' },
    'refuted',
    { dialect: 'openapi-3.0' },
  ],
  [
    'uniqueItems counts the values there are',
    { type: 'array', items: { type: 'boolean' }, uniqueItems: true },
    { maxItems: 2 },
    'proven',
  ],
  [
    'minContains counts items',
    { type: 'array', contains: { const: 1 }, minContains: 2, uniqueItems: true },
    false,
    'proven',
  ],
  [
    'a tuple may be shorter than its prefix',
    { type: 'array', prefixItems: [{ const: 1 }], items: false },
    { minItems: 1 },
    'refuted',
  ],
  [
    'maxContains 0 forbids',
    { type: 'array', contains: { type: 'string' }, minContains: 0, maxContains: 0 },
    { items: { not: { type: 'string' } } },
    'proven',
  ],
  [
    'names are divided by patterns',
    { patternProperties: { '^a': { type: 'string' } } },
    { patternProperties: { '^ab': { type: 'string' } } },
    'proven',
  ],
  ['propertyNames forbids names', { propertyNames: { maxLength: 1 } }, { properties: { ab: false } }, 'proven'],
  [
    'minProperties counts the names there are',
    { propertyNames: { enum: ['a', 'b'] }, minProperties: 3, type: 'object' },
    false,
    'proven',
  ],
  [
    'dependencies are case splits',
    { dependentRequired: { a: ['b'] }, required: ['a'] },
    { anyOf: [{ required: ['b'] }, { not: { type: 'object' } }] },
    'proven',
  ],
  ['formats that annotate refuse nothing', { type: 'string' }, { format: 'email' }, 'proven'],
  ['formats that assert do', { type: 'string' }, { format: 'email' }, 'refuted', asserting],
  [
    'an e-mail address is an international one',
    { type: 'string', format: 'email' },
    { format: 'idn-email' },
    'proven',
    asserting,
  ],
  ['a date is ten characters', { type: 'string', format: 'date' }, { maxLength: 10 }, 'proven', asserting],
  [
    'R may annotate what L asserts',
    { type: 'string', format: 'date' },
    { format: 'date' },
    'refuted',
    { formats: { r: 'annotate', l: 'assert' } },
  ],
  [
    'an int32 is an integer',
    { type: 'number', format: 'int32' },
    { type: 'integer', maximum: 2147483647 },
    'proven',
    asserting,
  ],
  [
    'a claim on some property may be met outside the names of a claim on all',
    { patternProperties: { '^a*$': false } },
    { additionalProperties: { contains: true } },
    'refuted',
  ],
  ['what is negated for arrays stays as it was for objects', threeWays, { allOf: [threeWays, {}] }, 'proven'],
  [
    'dependentSchemas evaluates nothing in an array',
    { type: 'array', minItems: 1, ...strangeCondition },
    { items: { type: 'string' } },
    'proven',
  ],
  [
    'an unguarded repetition of choices is not confused by order',
    { allOf: [{ anyOf: [{ required: ['a'] }, { required: ['b'] }] }, { minProperties: 1 }] },
    { allOf: [{ minProperties: 1 }, { anyOf: [{ required: ['b'] }, { required: ['a'] }] }] },
    'proven',
  ],
]

describe('isSubschema', () => {
  for (const [says, r, l, verdict, options] of rows) {
    it(says, () => expect(isSubschema(r, l, options).verdict).toBe(verdict))
  }

  it('refutes with a readable witness, its place on both sides and a sentence to act on [witness-checked]', () => {
    const r = object({ summary: { type: 'string' }, count: { type: 'integer' } })
    const l = object({ summary: { type: 'string' } }, { required: ['summary'] })
    expect(isSubschema(r, l)).toEqual({
      verdict: 'refuted',
      witness: {},
      instancePath: '/summary',
      rPointer: '',
      lPointer: '/required',
      reason: 'R leaves `summary` optional; L requires it',
    })
  })

  it('lists the formats that a proof takes for descriptions [assumed-formats-are-listed]', () => {
    expect(isSubschema({ type: 'string' }, { properties: { a: { format: 'email' } } })).toEqual({
      verdict: 'proven',
      assumes: ['format "email" at /properties/a of L describes and does not refuse'],
    })
  })

  it('lists formats that both sides must mean alike', () => {
    const date = { type: 'string', format: 'date' }
    const assumes = ['format "date" at the root of L means what it means in R']
    expect(isSubschema(date, date)).toEqual({ verdict: 'proven', assumes })
    expect(isSubschema({ ...date, minLength: 3 }, date)).toEqual({ verdict: 'proven', assumes })
    expect(isSubschema(date, date, asserting)).toEqual({ verdict: 'proven' })
  })

  it.each([
    ['a value that is no schema', 5, 'schema', ''],
    ['a reference to another document', { items: { $ref: 'https://example.com/x' } }, '$ref', '/items/$ref'],
    [
      'a reference cycle that never enters the value',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
      '$ref',
      '/$defs/a',
    ],
    ['a pattern that needs backtracking', { pattern: '(a)\\1' }, 'pattern', '/pattern'],
    [
      'a subschema in another dialect without an identifier',
      { items: { $schema: 'http://json-schema.org/draft-04/schema#' } },
      '$schema',
      '/items/$schema',
    ],
  ] as const)('names %s as unsupported, with its place [unsupported-is-named]', (_says, schema, construct, pointer) => {
    expect(isSubschema(schema as JsonValue, true)).toMatchObject({
      verdict: 'unsupported',
      side: 'r',
      construct,
      pointer,
    })
    expect(isSubschema(true, schema as JsonValue)).toMatchObject({
      verdict: 'unsupported',
      side: 'l',
      construct,
      pointer,
    })
  })

  it('says that the budget is used up, the same way every time [prover-deterministic]', () => {
    const choices = Array.from({ length: 20 }, (_, i) => ({
      anyOf: [{ required: [`a${i}`] }, { required: [`b${i}`] }],
    }))
    const ask = () => isSubschema({ allOf: choices }, { minProperties: 20 }, { budget: 2000 })
    expect(ask()).toMatchObject({ verdict: 'unsupported', construct: 'budget' })
    expect(ask()).toEqual(ask())
  })

  it('proves a discriminated union against its reordered self without multiplying the cases', () => {
    const kinds = Array.from({ length: 60 }, (_, i) =>
      object({ kind: { const: `k${i}` }, v: { type: 'integer', minimum: i } }, { required: ['kind'] }),
    )
    const wider = kinds.map((kind) => ({ ...(kind as object), title: 'same', required: ['kind'] }) as JsonValue)
    expect(isSubschema({ oneOf: kinds }, { oneOf: [...wider, { const: 'more' }] }).verdict).toBe('proven')
  })

  it('refuses 2^16 branches by size instead of running out of memory', () => {
    const union = { anyOf: Array.from({ length: 2 ** 16 }, (_, i) => ({ required: [`a${i}`] })) }
    expect(isSubschema({ type: 'object' }, union)).toMatchObject({
      verdict: 'unsupported',
      side: 'l',
      construct: 'size',
    })
  })

  // Each definition refers to the next one twice: as many paths as 2^30, but few definitions.
  const doubled = (word: string, leaf: JsonValue, second: (level: number) => object, more: object = {}): JsonValue => {
    const levels = 30
    const next = (level: number): object => ({ $ref: `#/$defs/d${level + 1}` })
    const defs = Array.from({ length: levels }, (_, level) => [
      `d${level}`,
      level === levels - 1 ? leaf : { [word]: [next(level), { ...next(level), ...second(level) }] },
    ])
    return { $ref: '#/$defs/d0', $defs: Object.fromEntries(defs), ...more } as JsonValue
  }
  const closed = { unevaluatedProperties: false }
  const smallest = { type: 'object', minProperties: 2 }

  it.each<readonly [string, JsonValue, JsonValue, string]>([
    ['allOf', doubled('allOf', { type: 'object' }, () => ({})), { type: ['object', 'string'] }, 'proven'],
    ['nested lists', doubled('anyOf', { enum: [] }, () => ({})), { type: 'string' }, 'proven'],
    ['anyOf', doubled('anyOf', smallest, (level) => ({ minProperties: level })), false, 'refuted'],
    ['oneOf', doubled('oneOf', smallest, (level) => ({ minProperties: 50 + level })), false, 'refuted'],
    [
      'unevaluatedProperties over allOf',
      { type: 'object' },
      doubled('allOf', object({ a: true }), (level) => ({ minProperties: level }), closed),
      'refuted',
    ],
    [
      'unevaluatedProperties over anyOf',
      doubled(
        'anyOf',
        object({ a: true }),
        (level) => ({ minProperties: level, properties: { [`p${level}`]: true } }),
        closed,
      ),
      { type: 'object', maxProperties: 10 },
      'unsupported',
    ],
    [
      'unevaluatedItems over anyOf',
      doubled('anyOf', { type: 'array', prefixItems: [true] }, (level) => ({ contains: { const: level } }), {
        unevaluatedItems: false,
      }),
      { type: 'array', maxItems: 1 },
      'unsupported',
    ],
    [
      'names',
      {
        $ref: '#/$defs/names',
        $defs: {
          ...(
            doubled('anyOf', { minLength: 5, maxLength: 40 }, (level) => ({ pattern: `^x${level}` })) as {
              $defs: object
            }
          ).$defs,
          names: { type: 'object', minProperties: 1, propertyNames: { $ref: '#/$defs/d0' } },
        },
      },
      { maxProperties: 0 },
      'refuted',
    ],
    [
      'alternatives for names',
      object(
        {},
        {
          minProperties: 1,
          propertyNames: {
            maxLength: 1,
            allOf: Array.from({ length: 30 }, (_, i) => ({
              anyOf: [{ minLength: 2 + i }, { pattern: `^[0-9]{2}x${i}` }],
            })),
          },
        },
      ),
      { maxProperties: 0 },
      'unsupported',
    ],
  ])('ends where paths are too many to be walked one by one: %s', (_, r, l, verdict) => {
    expect(isSubschema(r, l).verdict).toBe(verdict)
  })

  it('tells definitions apart in a chain too long to compare them', () => {
    const chain = (end: string): JsonValue => ({
      $ref: '#/$defs/d0',
      $defs: Object.fromEntries(
        Array.from({ length: 1000 }, (_, i) => [
          `d${i}`,
          i === 999 ? { type: end } : { items: { $ref: `#/$defs/d${i + 1}` }, type: 'array', minItems: 1 },
        ]),
      ),
    })
    expect(isSubschema(chain('string'), chain('number')).verdict).not.toBe('proven')
    expect(isSubschema(chain('string'), { type: 'array' }).verdict).toBe('proven')
  })
})
