import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../json/value.ts'
import { preprocess } from '../../schema/preprocess.ts'
import { defaultBudget, isSubschema } from '../is-subschema.ts'
import { createEngine } from './solver.ts'

const times = (count: number, make: (index: number) => JsonValue): readonly JsonValue[] =>
  Array.from({ length: count }, (_, index) => make(index))
const named = (count: number, make: (index: number) => readonly [string, JsonValue]): JsonValue =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => make(index)))
const tagged = (index: number, v: string, more: object = {}): JsonValue =>
  ({
    type: 'object',
    required: ['kind'],
    properties: { kind: { const: `k${index}` }, v: { type: v } },
    ...more,
  }) as JsonValue
const unique = (minItems: number, items: JsonValue): JsonValue => ({
  type: 'array',
  uniqueItems: true,
  minItems,
  items,
})
const tuple = (prefixItems: readonly JsonValue[]): JsonValue => ({
  type: 'array',
  minItems: prefixItems.length,
  prefixItems,
  items: false,
})
const condition = (index: number, needed: readonly string[]): JsonValue =>
  Object.fromEntries<JsonValue>([
    ['if', { required: ['kind'], properties: { kind: { const: `k${index}` } } }],
    ['then', { required: [...needed] }],
  ])
const wholeNumbers = { type: 'integer' }
const upTo = (maximum: number): JsonValue => ({ type: 'integer', minimum: 1, maximum })

/** Steps that the question takes, as far as a large budget lasts. */
function spentOn(r: JsonValue, l: JsonValue): number {
  const [readR, readL] = [preprocess(r, { formats: 'annotate' }), preprocess(l, { formats: 'annotate' })]
  if (!readR.ok || !readL.ok) throw new Error('not a schema')
  const engine = createEngine(readR.schema, readL.schema, 10 * defaultBudget)
  engine.solve([
    engine.pool.claimOf(readR.schema.root, readR.schema),
    -engine.pool.claimOf(readL.schema.root, readL.schema),
  ])
  return engine.budget.spent
}

/** What grows with a schema's size, and must not grow with its square. */
const large: readonly (readonly [string, (n: number) => JsonValue, (n: number) => JsonValue, string])[] = [
  ['many different integers', (n) => unique(n, wholeNumbers), (n) => ({ maxItems: n - 1 }), 'refuted'],
  ['as many integers as there are', (n) => unique(n, upTo(n)), (n) => ({ maxItems: n - 1 }), 'refuted'],
  ['more different integers than there are', (n) => unique(n, upTo(n - 1)), () => false, 'proven'],
  [
    'many different texts',
    (n) => unique(n, { type: 'string', pattern: '^[a-z]+$' }),
    (n) => ({ maxItems: n - 1 }),
    'refuted',
  ],
  [
    'many different objects',
    (n) => unique(n, { type: 'object', required: ['a'], properties: { a: wholeNumbers } }),
    (n) => ({ maxItems: n - 1 }),
    'refuted',
  ],
  [
    'many different objects of a union',
    (n) => unique(n, { anyOf: [tagged(1, 'integer'), tagged(2, 'integer')] }),
    (n) => ({ maxItems: n - 1 }),
    'refuted',
  ],
  [
    'a tuple of different constants',
    (n) => tuple(times(n, (index) => ({ const: index }))),
    () => ({ uniqueItems: true }),
    'proven',
  ],
  [
    'a tuple with two equal constants',
    (n) => tuple(times(n, (index) => ({ const: index % (n - 1) }))),
    () => ({ uniqueItems: true }),
    'refuted',
  ],
  [
    'a tuple of tagged objects',
    (n) => tuple(times(n, (index) => tagged(index, 'integer'))),
    () => ({ uniqueItems: true }),
    'proven',
  ],
  [
    'anyOf of tagged objects on both sides',
    (n) => ({ anyOf: times(n, (index) => tagged(index, 'integer')) }),
    (n) => ({ anyOf: times(n, (index) => tagged(index, 'number')) }),
    'proven',
  ],
  [
    'oneOf of tagged objects on both sides',
    (n) => ({ oneOf: times(n, (index) => tagged(index, 'integer', { additionalProperties: false })) }),
    (n) => ({ oneOf: times(n, (index) => tagged(index, 'number', { additionalProperties: false })) }),
    'proven',
  ],
  [
    'tags one level down',
    (n) => ({
      anyOf: times(n, (index) => ({ type: 'object', required: ['m'], properties: { m: tagged(index, 'integer') } })),
    }),
    (n) => ({
      anyOf: times(n, (index) => ({ type: 'object', required: ['m'], properties: { m: tagged(index, 'number') } })),
    }),
    'proven',
  ],
  [
    'a condition for each kind',
    (n) => ({
      type: 'object',
      required: ['kind'],
      properties: { kind: { enum: times(n, (index) => `k${index}`) } },
      allOf: times(n, (index) => condition(index, [`p${index}`, 'q'])),
    }),
    (n) => ({ allOf: times(n, (index) => condition(index, [`p${index}`])) }),
    'proven',
  ],
  [
    'chains of definitions under other names',
    (n) => chain('a', n, { type: 'integer' }),
    (n) => chain('b', n, { type: 'integer' }),
    'proven',
  ],
  ['cycles of definitions under other names', (n) => cycle('a', n), (n) => cycle('b', n), 'proven'],
]

function chain(prefix: string, length: number, end: JsonValue): JsonValue {
  const next = (index: number): JsonValue => ({ $ref: `#/$defs/${prefix}${index + 1}` })
  const $defs = named(length, (index) => [
    `${prefix}${index}`,
    index === length - 1 ? end : { type: 'object', properties: { next: next(index) } },
  ])
  return { $ref: `#/$defs/${prefix}0`, $defs }
}

function cycle(prefix: string, length: number): JsonValue {
  const $defs = named(length, (index) => [
    `${prefix}${index}`,
    { properties: { next: { $ref: `#/$defs/${prefix}${(index + 1) % length}` }, isFirst: { const: index === 0 } } },
  ])
  return { $ref: `#/$defs/${prefix}0`, $defs }
}

describe('large schemas', () => {
  it.each(large)('are decided: %s', (_, r, l, verdict) => {
    expect(isSubschema(r(400), l(400)).verdict).toBe(verdict)
  })

  it.each(large)('cost work in proportion to their size: %s', (_, r, l) => {
    const [once, twice] = [100, 200].map((n) => spentOn(r(n), l(n))) as [number, number]
    expect(twice).toBeLessThanOrEqual(2.6 * once)
  })
})

/** Questions that take too much work to wait for. */
const hopeless: readonly (readonly [string, JsonValue, JsonValue])[] = [
  [
    'as many patterns as texts are listed',
    { enum: times(2000, (index) => `v${index}`) },
    { anyOf: times(2000, (index) => ({ pattern: `^v${index}$` })) },
  ],
  ['many patterns at once', { type: 'string', allOf: times(400, (i) => ({ pattern: `a${i}b` })) }, { minLength: 2000 }],
  [
    'more pigeons than holes',
    {
      type: 'object',
      properties: named(11, (index) => [`p${index}`, { enum: times(10, (hole) => hole) }]),
      required: Array.from({ length: 11 }, (_, index) => `p${index}`),
      allOf: times(10, (one) => ({
        allOf: times(one + 1, (other) => ({
          allOf: times(10, (hole) => ({
            not: { properties: { [`p${one + 1}`]: { const: hole }, [`p${other}`]: { const: hole } } },
          })),
        })),
      })),
    },
    false,
  ],
]

describe('the budget', () => {
  it.each(hopeless)('ends in an answer that names a place: %s', (_, r, l) => {
    expect(isSubschema(r, l)).toMatchObject({
      verdict: 'unsupported',
      construct: 'budget',
      pointer: expect.any(String),
    })
  })

  it('never turns a refutation or a doubt into a proof, however small it is', () => {
    for (const [, r, l, verdict] of large) {
      for (const budget of [0, 1, 5, 20, 60, 150, 400, 1000]) {
        const answer = isSubschema(r(24), l(24), { budget }).verdict
        expect([verdict, 'unsupported']).toContain(answer)
      }
    }
  })

  it('is about half a second of work', () => expect(defaultBudget).toBe(60_000))
})
