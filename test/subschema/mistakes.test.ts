// Mistakes that checkers, validators and pattern engines of others make, each as a question that the prover must get right.
// Two other validators are asked about every witness; each of them makes a few of the mistakes itself, but never both.
import { describe, expect, it } from 'vitest'
import { askOthers } from '../../bench/prover/ask-others.ts'
import type { JsonValue } from '../../src/json/value.ts'
import type { Dialect } from '../../src/schema/normal.ts'
import { isSubschema } from '../../src/subschema/is-subschema.ts'

type Row = readonly [says: string, r: JsonValue, l: JsonValue, verdict: 'proven' | 'refuted', dialect?: Dialect]

const matching = (pattern: string): JsonValue => ({ type: 'string', pattern })
const withProto = (schema: JsonValue): JsonValue =>
  JSON.parse(`{ "__proto__": ${JSON.stringify(schema)} }`) as JsonValue

const patterns: readonly Row[] = [
  ['a no-break space is white space', { const: '\u00a0' }, matching('^\\S+$'), 'refuted'],
  ['a dot leaves carriage returns out', { const: '\r' }, matching('^.$'), 'refuted'],
  ['a dot leaves line separators out', { const: '\u2028' }, matching('^.$'), 'refuted'],
  ['a dot takes a whole code point', { const: '😀' }, matching('^.$'), 'proven'],
  ['a code point may be written as an escape', { const: 'A' }, matching('^\\u0041$'), 'proven'],
  ['an empty negated class takes everything', { const: '\n' }, matching('^[^]$'), 'proven'],
  ['an empty class takes nothing', matching('[]'), false, 'proven'],
  ['properties have long names', { const: 'é' }, matching('^\\p{Letter}$'), 'proven'],
  ['a digit is an ASCII digit', { const: '٣' }, matching('^\\d$'), 'refuted'],
  ['a word character is an ASCII one', { const: 'é' }, matching('^\\w$'), 'refuted'],
  ['repetitions go beyond a thousand', matching('^a{1001}$'), matching('^a+$'), 'proven'],
  ['nested repetitions cost nothing', matching('^(a+)+$'), matching('^a+$'), 'proven'],
  ['a dollar sign is the end, not the last line', { const: 'a\n' }, matching('^a$'), 'refuted'],
  ['a caret is the beginning, not a line', { const: '\na' }, matching('^a'), 'refuted'],
]

const numbers: readonly Row[] = [
  ['0.3 is a multiple of 0.1', { const: 0.3 }, { multipleOf: 0.1 }, 'proven'],
  ['a large number is a multiple of a small one', { const: 1e22 }, { multipleOf: 0.01 }, 'proven'],
  ['a cent is no multiple of a dime', { multipleOf: 0.01, type: 'number' }, { multipleOf: 0.1 }, 'refuted'],
  ['1e400 is never written', { type: 'number' }, { maximum: 1e308 }, 'refuted'],
  ['a large float is an integer', { const: 1e20 }, { type: 'integer' }, 'proven'],
  [
    'a bound may be made exclusive by a boolean',
    { type: 'number', minimum: 1, exclusiveMinimum: true },
    { not: { enum: [1] } },
    'proven',
    'draft-04',
  ],
]

const values: readonly Row[] = [
  ['false is not 0 among unique items', { const: [0, false] }, { uniqueItems: true }, 'proven'],
  ['true is not 1 in an object', { const: { a: 1 } }, { const: { a: true } }, 'refuted'],
  [
    'objects are equal in any order',
    {
      const: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    },
    { uniqueItems: true },
    'refuted',
  ],
  [
    'lists are equal only in order',
    {
      const: [
        [1, 2],
        [2, 1],
      ],
    },
    { uniqueItems: true },
    'proven',
  ],
  ['__proto__ is a name', { const: {} }, { required: ['__proto__'] }, 'refuted'],
  [
    '__proto__ may be declared',
    { type: 'object', required: ['__proto__'], properties: withProto({ const: 1 }) },
    { properties: withProto({ type: 'string' }) },
    'refuted',
  ],
  ['constructor is a name', { const: {} }, { minProperties: 1 }, 'refuted'],
]

const references: readonly Row[] = [
  ['a $ref in a constant is data', { const: { $ref: '#/nowhere' } }, { required: ['$ref'] }, 'proven'],
  [
    'a $ref in a constant is data in old drafts',
    { enum: [{ $ref: 'a' }] },
    { required: ['$ref'] },
    'proven',
    'draft-07',
  ],
  ['an $id in a constant is data', { const: { $id: 'https://example.com/' } }, { required: ['$id'] }, 'proven'],
  [
    'an $anchor in a constant does not shadow a real one',
    { type: 'string' },
    {
      $ref: '#here',
      $defs: { real: { $anchor: 'here', type: 'string' }, data: { const: { $anchor: 'here', type: 'null' } } },
    },
    'proven',
  ],
  [
    'a property called $ref is a property',
    { const: { $ref: 1 } },
    { properties: { $ref: { type: 'string' } } },
    'refuted',
  ],
  [
    'an $id beside a $ref says nothing in draft-07',
    { const: 'a' },
    {
      $id: 'https://example.com/inner/',
      definitions: {
        inner: { $id: 'item.json', type: 'number' },
        outer: { $id: 'https://example.com/item.json', type: 'string' },
      },
      allOf: [{ $id: 'https://example.com/', $ref: 'item.json' }],
    },
    'refuted',
    'draft-07',
  ],
  [
    'a pointer leads past a percent sign and a slash',
    { type: 'string' },
    { $ref: '#/$defs/a~1b%25c', $defs: { 'a/b%c': { type: 'string' } } },
    'proven',
  ],
]

const applicators: readonly Row[] = [
  ['contains evaluates in 2020-12', { const: [1] }, { contains: { const: 1 }, unevaluatedItems: false }, 'proven'],
  ['an old items list is a prefix', { const: ['a', 1] }, { items: [{ type: 'string' }] }, 'proven', 'draft-07'],
  ['additionalItems without items says nothing', { const: [1] }, { additionalItems: false }, 'proven', 'draft-07'],
  ['dependencies may be a list of names', { const: { a: 1 } }, { dependencies: { a: ['b'] } }, 'refuted', 'draft-07'],
  [
    'not evaluates nothing',
    { const: { a: 1 } },
    { not: { not: { properties: { a: true } } }, unevaluatedProperties: false },
    'refuted',
  ],
  ['oneOf counts equal branches', { const: 1 }, { oneOf: [{ const: 1 }, { const: 1 }] }, 'refuted'],
  ['minContains 0 asks for nothing', { const: [] }, { contains: { const: 1 }, minContains: 0 }, 'proven'],
]

const drafts: Readonly<Record<string, string>> = {
  'draft-04': 'draft4',
  'draft-07': 'draft7',
  '2019-09': 'draft2019-09',
  '2020-12': 'draft2020-12',
}

const all: readonly (readonly [about: string, rows: readonly Row[]])[] = [
  ['patterns', patterns],
  ['numbers', numbers],
  ['values', values],
  ['references', references],
  ['applicators', applicators],
]

for (const [about, rows] of all) {
  describe(`what others get wrong about ${about}`, () => {
    for (const [says, r, l, verdict, dialect = '2020-12'] of rows) {
      it(says, async () => {
        const proof = isSubschema(r, l, { dialect })
        expect(proof.verdict).toBe(verdict)
        if (proof.verdict !== 'refuted') return
        const pair = { id: says, draft: drafts[dialect] as string, lhs: r, rhs: l, expected: false }
        const { second, third } = await askOthers(pair, proof.witness)
        expect([second, third]).toContain('confirmed')
      })
    }
  })
}

// Both other validators let it; the specification of 2019-09 names items and additionalItems only.
it('takes contains to evaluate nothing in 2019-09', () => {
  const counted = { contains: { const: 1 }, unevaluatedItems: false }
  expect(isSubschema({ const: [1] }, counted, { dialect: '2019-09' }).verdict).toBe('refuted')
  expect(isSubschema({ const: [1] }, counted, { dialect: '2020-12' }).verdict).toBe('proven')
})
