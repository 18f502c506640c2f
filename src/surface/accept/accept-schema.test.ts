// The same questions put to every kind of schema: with every library, the checks are equally strict.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { jsonSchema as aiJsonSchema } from 'ai'
import { type } from 'arktype'
import { Effect, Schema } from 'effect'
import { Type } from 'typebox'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { issueReport } from '../../../test/issue-report.ts'
import { taken } from '../../../test/surface/taken-schema.ts'

type Kind = 'zod' | 'valibot' | 'arktype' | 'typebox' | 'effect' | 'json-schema'

interface Question {
  readonly title: string
  readonly schemas: Partial<Record<Kind, unknown>>
  /** Values that pass, with what the library makes of them where that is another value. */
  readonly passes: readonly (readonly [value: unknown, result?: unknown])[]
  /** Values that the JSON Schema alone refuses. */
  readonly refused: readonly unknown[]
  /** Values that only the library's own validator refuses. */
  readonly refusedByLibrary?: readonly unknown[]
}

const effect = <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(Schema.toCodecJson(schema)))
const valibot = toStandardJsonSchema

const issue = { issueId: 'I-1', severity: 'high' }

const zodTree = z.object({
  name: z.string(),
  get children() {
    return z.array(zodTree)
  },
})

interface Tree {
  readonly name: string
  readonly children: readonly Tree[]
}

const valibotTree: v.GenericSchema<Tree> = v.object({
  name: v.string(),
  children: v.array(v.lazy(() => valibotTree)),
})

const effectTree = Schema.Struct({
  name: Schema.String,
  children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => effectTree)),
})

const ordered = ({ from, to }: { readonly from: number; readonly to: number }) => from <= to
const orderedJson = {
  type: 'object',
  properties: { from: { type: 'number' }, to: { type: 'number' } },
  required: ['from', 'to'],
  additionalProperties: false,
}
const sdkOrdered = (value: unknown) =>
  ordered(value as { from: number; to: number })
    ? { success: true as const, value }
    : { success: false as const, error: new Error('from lies after to') }

const questions: readonly Question[] = [
  {
    title: 'validates names, required fields, extra keys, items and nested types',
    schemas: {
      zod: z.object({
        topIssues: z.array(z.object({ issueId: z.string(), severity: z.string() })),
        summary: z.string(),
      }),
      valibot: valibot(
        v.object({ topIssues: v.array(v.object({ issueId: v.string(), severity: v.string() })), summary: v.string() }),
      ),
      arktype: type({ topIssues: type({ issueId: 'string', severity: 'string' }).array(), summary: 'string' }),
      typebox: Type.Object({
        topIssues: Type.Array(Type.Object({ issueId: Type.String(), severity: Type.String() })),
        summary: Type.String(),
      }),
      effect: effect(
        Schema.Struct({
          topIssues: Schema.Array(Schema.Struct({ issueId: Schema.String, severity: Schema.String })),
          summary: Schema.String,
        }),
      ),
      'json-schema': issueReport({
        additionalProperties: false,
        properties: { issueId: { type: 'string' }, severity: { type: 'string' } },
      }),
    },
    passes: [[{ topIssues: [issue], summary: 's' }], [{ topIssues: [], summary: '' }]],
    refused: [
      { top_issues: [issue], summary: 's' },
      { topIssues: [issue] },
      { topIssues: [issue], summary: 's', note: 'extra' },
      { topIssues: [{ title: 'foo' }], summary: 's' },
      { topIssues: [{ ...issue, note: 'extra' }], summary: 's' },
      { topIssues: [{ issueId: 7, severity: 'high' }], summary: 's' },
      { topIssues: issue, summary: 's' },
      [],
      null,
    ],
  },
  {
    title: 'knows optional keys and null',
    schemas: {
      zod: z.object({ note: z.string().optional(), owner: z.string().nullable() }),
      valibot: valibot(v.object({ note: v.optional(v.string()), owner: v.nullable(v.string()) })),
      arktype: type({ 'note?': 'string', owner: 'string|null' }),
      typebox: Type.Object({ note: Type.Optional(Type.String()), owner: Type.Union([Type.String(), Type.Null()]) }),
      effect: effect(Schema.Struct({ note: Schema.optionalKey(Schema.String), owner: Schema.NullOr(Schema.String) })),
      'json-schema': {
        type: 'object',
        properties: { note: { type: 'string' }, owner: { type: ['string', 'null'] } },
        required: ['owner'],
        additionalProperties: false,
      },
    },
    passes: [[{ owner: null }], [{ owner: 'o', note: 'n' }]],
    refused: [{}, { owner: 1 }, { owner: 'o', note: null }],
  },
  {
    title: 'keeps records open to any key and typed in their values',
    schemas: {
      zod: z.object({ counts: z.record(z.string(), z.number()) }),
      valibot: valibot(v.object({ counts: v.record(v.string(), v.number()) })),
      arktype: type({ counts: { '[string]': 'number' } }),
      typebox: Type.Object({ counts: Type.Record(Type.String(), Type.Number()) }),
      effect: effect(Schema.Struct({ counts: Schema.Record(Schema.String, Schema.Finite) })),
      'json-schema': {
        type: 'object',
        properties: { counts: { type: 'object', additionalProperties: { type: 'number' } } },
        required: ['counts'],
        additionalProperties: false,
      },
    },
    passes: [[{ counts: {} }], [{ counts: { a: 1, b: 2.5 } }]],
    refused: [{ counts: { a: '1' } }, { counts: [] }, { counts: {}, more: 1 }],
  },
  {
    title: 'keeps objects open that were declared open',
    schemas: {
      zod: z.object({ tags: z.looseObject({ a: z.string() }) }),
      valibot: valibot(v.object({ tags: v.looseObject({ a: v.string() }) })),
      arktype: type({ tags: { a: 'string', '[string]': 'unknown' } }),
      typebox: Type.Object({ tags: Type.Object({ a: Type.String() }, { additionalProperties: true }) }),
      effect: effect(
        Schema.Struct({
          tags: Schema.StructWithRest(Schema.Struct({ a: Schema.String }), [
            Schema.Record(Schema.String, Schema.Unknown),
          ]),
        }),
      ),
      'json-schema': {
        type: 'object',
        properties: { tags: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
        required: ['tags'],
        additionalProperties: false,
      },
    },
    passes: [[{ tags: { a: 'x' } }], [{ tags: { a: 'x', b: 1 } }]],
    refused: [{ tags: { b: 1 } }, { tags: { a: 1 } }, { tags: { a: 'x' }, more: 1 }],
  },
  {
    title: 'closes every alternative of a union by itself',
    schemas: {
      zod: z.object({ by: z.union([z.object({ id: z.string() }), z.object({ mail: z.string() })]) }),
      valibot: valibot(v.object({ by: v.union([v.object({ id: v.string() }), v.object({ mail: v.string() })]) })),
      arktype: type({ by: [{ id: 'string' }, '|', { mail: 'string' }] }),
      typebox: Type.Object({
        by: Type.Union([Type.Object({ id: Type.String() }), Type.Object({ mail: Type.String() })]),
      }),
      effect: effect(
        Schema.Struct({
          by: Schema.Union([Schema.Struct({ id: Schema.String }), Schema.Struct({ mail: Schema.String })]),
        }),
      ),
      'json-schema': {
        type: 'object',
        properties: {
          by: {
            anyOf: [
              { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
              {
                type: 'object',
                properties: { mail: { type: 'string' } },
                required: ['mail'],
                additionalProperties: false,
              },
            ],
          },
        },
        required: ['by'],
        additionalProperties: false,
      },
    },
    passes: [[{ by: { id: 'i' } }], [{ by: { mail: 'm' } }]],
    refused: [{ by: { id: 'i', mail: 'm' } }, { by: {} }, { by: { id: 'i', note: 1 } }],
  },
  {
    title: 'closes an intersection as one object',
    schemas: {
      zod: z.object({ both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })) }),
      valibot: valibot(v.object({ both: v.intersect([v.object({ a: v.string() }), v.object({ b: v.string() })]) })),
      arktype: type({ both: type({ a: 'string' }).and({ b: 'string' }) }),
      typebox: Type.Object({
        both: Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]),
      }),
      'json-schema': {
        type: 'object',
        properties: {
          both: {
            allOf: [
              { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
              { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
            ],
            unevaluatedProperties: false,
          },
        },
        required: ['both'],
        additionalProperties: false,
      },
    },
    passes: [[{ both: { a: 'x', b: 'y' } }]],
    refused: [{ both: { a: 'x' } }, { both: { a: 'x', b: 'y', c: 'z' } }, { both: { a: 'x', b: 1 } }],
  },
  {
    title: 'follows a recursive schema to any depth',
    schemas: {
      zod: zodTree,
      valibot: valibot(valibotTree),
      arktype: type({ name: 'string', children: 'this[]' }),
      typebox: Type.Cyclic(
        { Tree: Type.Object({ name: Type.String(), children: Type.Array(Type.Ref('Tree')) }) },
        'Tree',
      ),
      effect: effect(effectTree),
      'json-schema': {
        type: 'object',
        properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
        required: ['name', 'children'],
        additionalProperties: false,
      },
    },
    passes: [[{ name: 'a', children: [{ name: 'b', children: [{ name: 'c', children: [] }] }] }]],
    refused: [
      { name: 'a', children: [{ name: 'b' }] },
      { name: 'a', children: [{ name: 'b', children: [{ name: 3, children: [] }] }] },
      { name: 'a', children: [{ name: 'b', children: [], note: 1 }] },
    ],
  },
  {
    title: 'takes tuples at their exact length',
    schemas: {
      zod: z.object({ at: z.tuple([z.number(), z.string()]) }),
      valibot: valibot(v.object({ at: v.tuple([v.number(), v.string()]) })),
      arktype: type({ at: ['number', 'string'] }),
      typebox: Type.Object({ at: Type.Tuple([Type.Number(), Type.String()]) }),
      effect: effect(Schema.Struct({ at: Schema.Tuple([Schema.Finite, Schema.String]) })),
      'json-schema': {
        type: 'object',
        properties: {
          at: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: false, minItems: 2 },
        },
        required: ['at'],
        additionalProperties: false,
      },
    },
    passes: [[{ at: [1, 'x'] }]],
    refused: [{ at: [1] }, { at: ['x', 1] }],
  },
  {
    title: 'takes an object without fields as one that has no keys',
    schemas: {
      zod: z.object({}),
      valibot: valibot(v.object({})),
      arktype: type({ '+': 'reject' }),
      typebox: Type.Object({}),
      effect: effect(Schema.Struct({})),
      'json-schema': { type: 'object', properties: {}, additionalProperties: false },
    },
    passes: [[{}]],
    refused: [{ a: 1 }, null, []],
  },
  {
    title: 'runs refinements that JSON Schema cannot express',
    schemas: {
      zod: z.object({ from: z.number(), to: z.number() }).refine(ordered),
      valibot: valibot(v.pipe(v.object({ from: v.number(), to: v.number() }), v.check(ordered))),
      arktype: type({ from: 'number', to: 'number' }).narrow((value) => ordered(value)),
      typebox: {
        jsonSchema: Type.Refine(Type.Object({ from: Type.Number(), to: Type.Number() }), ordered),
        validate: sdkOrdered,
      },
      effect: effect(Schema.Struct({ from: Schema.Finite, to: Schema.Finite }).check(Schema.makeFilter(ordered))),
      'json-schema': aiJsonSchema(orderedJson as Parameters<typeof aiJsonSchema>[0], { validate: sdkOrdered }),
    },
    passes: [[{ from: 1, to: 2 }]],
    refused: [{ from: 1 }, { from: 1, to: 2, by: 3 }],
    refusedByLibrary: [{ from: 2, to: 1 }],
  },
  {
    title: 'gives on what transforms and defaults made of the value',
    schemas: {
      zod: z.object({ amount: z.string().transform(Number), currency: z.string().default('EUR') }),
      valibot: valibot(
        v.object({ amount: v.pipe(v.string(), v.transform(Number)), currency: v.optional(v.string(), 'EUR') }),
      ),
      arktype: type({ amount: 'string.numeric.parse', currency: 'string = "EUR"' }),
      effect: effect(
        Schema.Struct({
          amount: Schema.FiniteFromString,
          currency: Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed('EUR'))),
        }),
      ),
    },
    passes: [
      [{ amount: '12.5' }, { amount: 12.5, currency: 'EUR' }],
      [
        { amount: '1', currency: 'CHF' },
        { amount: 1, currency: 'CHF' },
      ],
    ],
    refused: [{ amount: 12.5 }, { currency: 'EUR' }, { amount: '1', cents: '2' }],
  },
]

for (const { title, schemas, passes, refused, refusedByLibrary = [] } of questions) {
  describe.each(Object.entries(schemas))(`%s ${title}`, (kind, schema) => {
    const { vendor, check, validate } = taken(schema)

    test('under its own name', () => expect(vendor).toBe(kind))

    test.each(passes)('lets %j pass', async (...[value, result = value]) => {
      expect(check(value), JSON.stringify(check.errors)).toBe(true)
      expect(await validate(value)).toEqual({ ok: true, value: result })
    })

    test.each(refused.map((value) => [value]))('refuses %j by JSON Schema', (value) => expect(check(value)).toBe(false))

    test.each(refusedByLibrary.map((value) => [value]))('refuses %j by its validator', async (value) => {
      expect(check(value)).toBe(true)
      const outcome = await validate(value)
      expect(outcome.ok).toBe(false)
      if (!outcome.ok) expect(outcome.issues[0]?.message).toMatch(/\S/)
    })
  })
}
