// Checked by the compiler: what a tool's code sees of a schema, for every library and for literal JSON Schema.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { jsonSchema, zodSchema } from 'ai'
import { type } from 'arktype'
import { Schema } from 'effect'
import { Type } from 'typebox'
import * as v from 'valibot'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../json/value.ts'
import type { FromSchema, InferInput, InferOutput } from './infer.ts'

/** What `defineTool` does: the literal types of a schema written in place are kept. */
function define<const S>(schema: S): {
  readonly output: InferOutput<S>
  readonly input: InferInput<S>
  readonly schema: S
} {
  return { schema } as never
}

interface Refund {
  chargeId: string
  amount: number
  note?: string | undefined
}

test('Zod gives its output to execute and takes its input from it', () => {
  const tool = define(
    z.object({ chargeId: z.string(), amount: z.string().transform(Number), currency: z.string().default('EUR') }),
  )
  expectTypeOf(tool.output).toEqualTypeOf<{ chargeId: string; amount: number; currency: string }>()
  expectTypeOf(tool.input).toEqualTypeOf<{ chargeId: string; amount: string; currency?: string | undefined }>()
})

test('Valibot, wrapped, keeps both sides', () => {
  const tool = define(
    toStandardJsonSchema(
      v.object({ chargeId: v.string(), amount: v.pipe(v.string(), v.transform(Number)), note: v.optional(v.string()) }),
    ),
  )
  expectTypeOf(tool.output).toEqualTypeOf<Refund>()
  expectTypeOf(tool.input).toEqualTypeOf<{ chargeId: string; amount: string; note?: string | undefined }>()
})

test('ArkType keeps both sides', () => {
  const tool = define(type({ chargeId: 'string', amount: 'string.numeric.parse', 'note?': 'string' }))
  expectTypeOf(tool.output).toEqualTypeOf<{ chargeId: string; amount: number; note?: string }>()
  expectTypeOf(tool.input).toEqualTypeOf<{ chargeId: string; amount: string; note?: string }>()
})

test('Effect, wrapped, keeps both sides', () => {
  const schema = Schema.Struct({ chargeId: Schema.String, amount: Schema.FiniteFromString, when: Schema.Date })
  const tool = define(Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(Schema.toCodecJson(schema))))
  expectTypeOf(tool.output).toEqualTypeOf<{ readonly chargeId: string; readonly amount: number; readonly when: Date }>()
  const bare = Schema.toStandardSchemaV1(
    Schema.toStandardJSONSchemaV1(Schema.Struct({ amount: Schema.FiniteFromString })),
  )
  expectTypeOf<InferInput<typeof bare>>().toEqualTypeOf<{ readonly amount: string }>()
  expectTypeOf<InferOutput<typeof bare>>().toEqualTypeOf<{ readonly amount: number }>()
})

test('TypeBox is read from its marks', () => {
  const schema = Type.Object({
    id: Type.String(),
    kind: Type.Union([Type.Literal('card'), Type.Literal('cash'), Type.Null()]),
    lines: Type.Array(Type.Object({ amount: Type.Integer(), note: Type.Optional(Type.String()) })),
    at: Type.Tuple([Type.Number(), Type.Boolean()]),
    tags: Type.Record(Type.String(), Type.Number()),
    level: Type.Enum(['low', 'high']),
    both: Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Number() })]),
    raw: Type.Unsafe<Date>({ type: 'string' }),
    any: Type.Unknown(),
  })
  expectTypeOf<InferOutput<typeof schema>>().toEqualTypeOf<{
    id: string
    kind: 'card' | 'cash' | null
    lines: { amount: number; note?: string }[]
    at: [number, boolean]
    tags: { [key: string]: number }
    level: 'low' | 'high'
    both: { a: string } & { b: number }
    raw: Date
    any: unknown
  }>()
  expectTypeOf<InferInput<typeof schema>['id']>().toEqualTypeOf<string>()
})

test('A TypeBox cycle is followed once around', () => {
  const tree = Type.Cyclic(
    { Tree: Type.Object({ name: Type.String(), children: Type.Array(Type.Ref('Tree')) }) },
    'Tree',
  )
  expectTypeOf<InferOutput<typeof tree>>().toEqualTypeOf<{ name: string; children: unknown[] }>()
})

test('The older TypeBox package shows its type in static', () => {
  interface Older {
    static: { a: string }
    params: []
    type: 'object'
  }
  expectTypeOf<InferOutput<Older>>().toEqualTypeOf<{ a: string }>()
})

test('AI SDK schemas show theirs in _type', () => {
  expectTypeOf(define(jsonSchema<{ a: string }>({ type: 'object' })).output).toEqualTypeOf<{ a: string }>()
  expectTypeOf(define(zodSchema(z.object({ a: z.number() }))).output).toEqualTypeOf<{ a: number }>()
})

test('A closed literal JSON Schema has exactly its keys', () => {
  const tool = define({
    type: 'object',
    properties: {
      chargeId: { type: 'string' },
      amount: { type: 'integer', minimum: 1 },
      note: { type: ['string', 'null'] },
      lines: {
        type: 'array',
        items: {
          type: 'object',
          properties: { sku: { type: 'string' } },
          required: ['sku'],
          additionalProperties: false,
        },
      },
      level: { enum: ['low', 'high'] },
      version: { const: 1 },
    },
    required: ['chargeId', 'amount', 'lines'],
    additionalProperties: false,
  })
  interface Expected {
    chargeId: string
    amount: number
    note?: string | null
    lines: { sku: string }[]
    level?: 'low' | 'high'
    version?: 1
  }
  expectTypeOf(tool.output).toEqualTypeOf<Expected>()
  expectTypeOf(tool.input).toEqualTypeOf<Expected>()
})

test('An open object keeps its known keys and admits others as unknown', () => {
  type Open = FromSchema<{ type: 'object'; properties: { a: { type: 'string' } }; required: ['a', 'b'] }>
  expectTypeOf<Open['a']>().toEqualTypeOf<string>()
  expectTypeOf<Open['b']>().toEqualTypeOf<unknown>()
  expectTypeOf<Open['other']>().toEqualTypeOf<unknown>()
  expectTypeOf<FromSchema<{ type: 'object'; additionalProperties: { type: 'number' } }>>().toEqualTypeOf<{
    [key: string]: number
  }>()
})

test('Unions, intersections and tuples are themselves', () => {
  expectTypeOf<FromSchema<{ anyOf: [{ type: 'string' }, { type: 'null' }] }>>().toEqualTypeOf<string | null>()
  expectTypeOf<FromSchema<{ oneOf: readonly [{ const: 'a' }, { const: 2 }] }>>().toEqualTypeOf<'a' | 2>()
  type Closed<K extends string> = {
    type: 'object'
    properties: Record<K, { type: 'string' }>
    required: [K]
    unevaluatedProperties: false
  }
  expectTypeOf<FromSchema<{ allOf: [Closed<'a'>, Closed<'b'>] }>>().toEqualTypeOf<{ a: string } & { b: string }>()
  type Pair = { type: 'array'; prefixItems: [{ type: 'string' }, { type: 'number' }]; items: false }
  expectTypeOf<FromSchema<Pair & { minItems: 2 }>>().toEqualTypeOf<[string, number]>()
  expectTypeOf<FromSchema<Pair>>().toEqualTypeOf<[string?, number?]>()
})

test('Local references are followed once around', () => {
  type Tree = FromSchema<{
    $ref: '#/$defs/Node'
    $defs: {
      Node: {
        type: 'object'
        properties: { name: { $ref: '#/$defs/Name' }; next: { $ref: '#/$defs/Node' } }
        required: ['name']
        additionalProperties: false
      }
      Name: { type: 'string' }
    }
  }>
  expectTypeOf<Tree>().toEqualTypeOf<{ name: string; next?: unknown }>()
  type Self = FromSchema<{ type: 'array'; items: { $ref: '#' } }>
  expectTypeOf<Self>().toEqualTypeOf<unknown[][]>()
})

test('What cannot be told is unknown, and never any', () => {
  expectTypeOf<FromSchema<true>>().toEqualTypeOf<unknown>()
  expectTypeOf<FromSchema<false>>().toEqualTypeOf<never>()
  expectTypeOf<FromSchema<{ description: 'anything' }>>().toEqualTypeOf<unknown>()
  expectTypeOf<FromSchema<{ $ref: 'https://example.org/schema' }>>().toEqualTypeOf<unknown>()
  expectTypeOf<InferOutput<JsonObject>>().toEqualTypeOf<Record<string, unknown>>()
  expectTypeOf<InferOutput<{ type: string; properties: { a: { type: string } } }>>().toEqualTypeOf<
    Record<string, unknown>
  >()
  expectTypeOf<InferOutput<ReturnType<typeof JSON.parse>>>().toEqualTypeOf<Record<string, unknown>>()
  expectTypeOf<InferOutput<unknown>>().toEqualTypeOf<unknown>()
  expectTypeOf<InferOutput<z.ZodAny>>().toEqualTypeOf<unknown>()
})
