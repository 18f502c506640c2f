// What libraries print about their schemas: refused by name where JSON has no room, put right where it misleads.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { jsonSchema as aiJsonSchema } from 'ai'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type } from 'arktype'
import { Schema } from 'effect'
import { Type } from 'typebox'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Accepted, acceptSchema } from './accept-schema.ts'
import type { LibraryOutcome } from './library-validator.ts'

const effect = <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(Schema.toCodecJson(schema)))
const valibot = toStandardJsonSchema
function taken(schema: unknown, direction: 'input' | 'output' = 'input') {
  const accepted: Accepted = acceptSchema(schema, direction)
  if (!accepted.ok) throw new Error(accepted.reason)
  const { $schema: _dialect, ...jsonSchema } = accepted.jsonSchema
  // ArkType prints a lookahead for numeric strings; what patterns may say is the business of the schema room.
  const check = new Ajv2020({ strict: false, ownProperties: true, validateFormats: false }).compile(jsonSchema)
  const validate = async (value: unknown): Promise<LibraryOutcome> => accepted.validate?.(value) ?? { ok: true, value }
  return { ...accepted, check, validate }
}

function reasonOf(schema: unknown, direction: 'input' | 'output' = 'input'): string {
  const accepted = acceptSchema(schema, direction)
  if (accepted.ok) throw new Error(`accepted: ${JSON.stringify(accepted.jsonSchema)}`)
  return accepted.reason
}

describe('A place without a JSON form is refused by name', () => {
  const cases: readonly (readonly [title: string, schema: unknown, place: string])[] = [
    ['a Zod date', z.object({ a: z.array(z.object({ when: z.date() })) }), '/properties/a/items/properties/when'],
    ['a Zod bigint', z.object({ n: z.bigint() }), '/properties/n'],
    ['a Zod map', z.object({ m: z.map(z.string(), z.string()) }), '/properties/m'],
    ['a Zod transform without an input type', z.object({ t: z.transform((value) => value) }), '/properties/t'],
    ['a Zod file', z.object({ f: z.file() }), '/properties/f'],
    ['a Zod custom type', z.object({ u: z.instanceof(URL) }), '/properties/u'],
    [
      'a Valibot date',
      valibot(v.object({ a: v.array(v.object({ when: v.date() })) })),
      '/properties/a/items/properties/when',
    ],
    ['a Valibot map', valibot(v.object({ m: v.map(v.string(), v.string()) })), '/properties/m'],
    ['an ArkType date', type({ a: type({ when: 'Date' }).array() }), '/properties/a/items/properties/when'],
    ['an ArkType bigint', type({ n: 'bigint' }), '/properties/n'],
    ['an ArkType instance', type({ m: 'Map' }), '/properties/m'],
    ['a TypeBox bigint', Type.Object({ n: Type.BigInt() }), '/properties/n'],
    ['a TypeBox function', Type.Object({ f: Type.Function([], Type.String()) }), '/properties/f'],
    ['a TypeBox refinement', Type.Object({ s: Type.Refine(Type.String(), (text) => text !== '') }), '/properties/s'],
    [
      'a TypeBox refinement in a JSON Schema written by hand',
      { type: 'object', properties: { s: Type.Refine(Type.String(), () => true) } },
      '/properties/s',
    ],
    ['a TypeBox codec', Type.Object({ c: Type.Decode(Type.String(), (text) => new Date(text)) }), '/properties/c'],
    ['a TypeBox reference to nothing', Type.Object({ r: Type.Array(Type.Ref('Nowhere')) }), '/properties/r/items'],
    [
      'an Effect date without a JSON codec',
      Schema.toStandardSchemaV1(
        Schema.toStandardJSONSchemaV1(Schema.Struct({ a: Schema.Array(Schema.Struct({ when: Schema.Date })) })),
      ),
      '/properties/a/items/properties/when',
    ],
    [
      'an Effect instance of a class',
      Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(Schema.Struct({ u: Schema.instanceOf(URL) }))),
      '/properties/u',
    ],
    [
      'a function in a JSON Schema',
      { type: 'object', properties: { f: { default: () => 1 } } },
      '/properties/f/default',
    ],
    [
      'an instance in a JSON Schema',
      { type: 'object', properties: { d: { const: new Date(0) } } },
      '/properties/d/const',
    ],
  ]
  test.each(cases)('%s', (_title, schema, place) => expect(reasonOf(schema)).toContain(` at ${place}: `))
})

describe('A schema that cannot come in says what to write', () => {
  const std = { version: 1, validate: (value: unknown) => ({ value }) }
  const cases: readonly (readonly [title: string, schema: unknown, words: string])[] = [
    ['a bare Valibot schema', v.object({ a: v.string() }), 'toStandardJsonSchema(schema)'],
    ['a bare Effect schema', Schema.Struct({ a: Schema.String }), 'Schema.toStandardJSONSchemaV1('],
    [
      'an Effect class',
      class extends Schema.Class<object>('Point')({ x: Schema.Finite }) {},
      'Schema.toCodecJson(schema)',
    ],
    ['an Effect schema without its validator', Schema.toStandardJSONSchemaV1(Schema.Struct({})), 'toStandardSchemaV1('],
    ['an Effect schema without its converter', Schema.toStandardSchemaV1(Schema.Struct({})), 'toStandardJSONSchemaV1('],
    ['a Zod of before 4.2', { '~standard': { ...std, vendor: 'zod' } }, 'Zod 4.2'],
    ['another library without a converter', { '~standard': { ...std, vendor: 'other' } }, '{ jsonSchema, validate }'],
    [
      'a JSON Schema that carries a bare ~standard',
      { type: 'object', '~standard': { ...std, vendor: 'other' } },
      'does not carry its JSON Schema',
    ],
    ['a promise of a JSON Schema', { jsonSchema: Promise.resolve({}), validate: undefined }, 'await it first'],
    ['a lazy schema', () => aiJsonSchema({}), 'give what it returns'],
    ['a class instance', new URL('https://example.org'), 'class'],
    ['an array', [], 'an array is not a schema'],
    ['a text', '{}', 'a string is not a schema'],
    ['nothing', undefined, 'undefined is not a schema'],
    ['a Zod 3 schema', { _def: {}, parse: () => undefined }, 'Zod 4.2'],
  ]
  test.each(cases)('%s', (_title, schema, words) => expect(reasonOf(schema)).toContain(words))

  test('A converter or getter that throws ends as a reason', () => {
    const broken = { '~standard': { ...std, vendor: 'other', jsonSchema: { input: () => JSON.parse('{') } } }
    expect(reasonOf(broken)).toContain('other')
    const hostile = {
      get jsonSchema(): unknown {
        throw new Error('not today')
      },
      validate: undefined,
    }
    expect(reasonOf(hostile)).toContain('not today')
  })
})

describe('What a library prints is put right', () => {
  test('A loose member leaves a Zod intersection open', () => {
    const { check } = taken(z.intersection(z.looseObject({ a: z.string() }), z.object({ b: z.string() })))
    expect(check({ a: 'x', b: 'y', c: 1 })).toBe(true)
    expect(check({ a: 'x', c: 1 })).toBe(false)
  })

  test('A loose Zod record lets other keys pass', () => {
    const { check } = taken(z.looseRecord(z.string().regex(/^x/), z.number()))
    expect(check({ x1: 1, y: 'any' })).toBe(true)
    expect(check({ x1: 'no' })).toBe(false)
  })

  test('A recursive schema inside an intersection is closed only around both members', () => {
    const node = z.object({
      name: z.string(),
      get more() {
        return z.intersection(node, z.object({ extra: z.string() })).optional()
      },
    })
    const { check } = taken(node)
    expect(check({ name: 'a', more: { name: 'b', extra: 'e' } })).toBe(true)
    expect(check({ name: 'a', more: { name: 'b', extra: 'e', more: { name: 'c', extra: 'e' } } })).toBe(true)
    expect(check({ name: 'a', more: { name: 'b', extra: 'e', note: 1 } })).toBe(false)
    expect(check({ name: 'a', extra: 'e' })).toBe(false)
    expect(check({ name: 'a', more: { name: 'b', extra: 'e', more: { name: 'c' } } })).toBe(false)
  })

  test.each([
    ['zod', z.object({ code: z.string().regex(/^ab$/i) })],
    ['valibot', valibot(v.object({ code: v.pipe(v.string(), v.regex(/^ab$/i)) }))],
    ['arktype', type({ code: /^ab$/i })],
    ['effect', effect(Schema.Struct({ code: Schema.String.check(Schema.isPattern(/^ab$/i)) }))],
  ])('%s does not lose the flags of a pattern', async (_kind, schema) => {
    const { check, validate } = taken(schema)
    expect(check({ code: 'AB' })).toBe(true)
    expect((await validate({ code: 'AB' })).ok).toBe(true)
    expect((await validate({ code: 'cd' })).ok).toBe(false)
  })

  test('undefined beside other alternatives adds nothing', () => {
    expect(taken(type({ a: 'string|undefined' })).check({ a: 1 })).toBe(false)
    expect(taken(valibot(v.object({ a: v.union([v.string(), v.undefined()]) }))).check({ a: 1 })).toBe(false)
  })

  test('A Valibot record may name its keys', () => {
    const { check } = taken(valibot(v.record(v.picklist(['a', 'b']), v.number())))
    expect(check({ a: 1 })).toBe(true)
    expect(check({ c: 1 })).toBe(false)
  })

  test('An Effect JSON codec decodes dates from text', async () => {
    const { check, validate } = taken(effect(Schema.Struct({ when: Schema.Date, any: Schema.Json })))
    const value = { when: '2026-01-02T00:00:00.000Z', any: [1] }
    expect(check(value)).toBe(true)
    expect(await validate(value)).toEqual({ ok: true, value: { when: new Date(value.when), any: [1] } })
  })

  test('Two TypeBox cycles of one name do not meet', () => {
    const cycle = (leaf: ReturnType<typeof Type.String> | ReturnType<typeof Type.Number>) =>
      Type.Cyclic({ Node: Type.Object({ leaf, next: Type.Optional(Type.Ref('Node')) }) }, 'Node')
    const { check, jsonSchema } = taken(Type.Object({ a: cycle(Type.String()), b: cycle(Type.Number()) }))
    expect(JSON.stringify(jsonSchema)).not.toContain('$id')
    expect(check({ a: { leaf: 'x', next: { leaf: 'y' } }, b: { leaf: 1, next: { leaf: 2 } } })).toBe(true)
    expect(check({ a: { leaf: 'x', next: { leaf: 1 } }, b: { leaf: 1 } })).toBe(false)
  })
})

describe('An output schema describes what comes out', () => {
  test('The type after a transform is printed, where the library knows it', async () => {
    const { check, validate } = taken(z.object({ n: z.string().transform(Number).pipe(z.number()) }), 'output')
    expect(await validate({ n: '4' })).toEqual({ ok: true, value: { n: 4 } })
    expect(check({ n: 4 })).toBe(true)
    expect(check({ n: '4' })).toBe(false)
  })

  test.each([
    ['a Zod transform', z.object({ n: z.string().transform(Number) }), '/properties/n'],
    ['an ArkType date', type({ n: 'string.date.parse' }), '/properties/n'],
    ['a Valibot transform', valibot(v.object({ n: v.pipe(v.string(), v.transform(Number)) })), '/properties/n'],
    ['an Effect date', effect(Schema.Struct({ n: Schema.Date })), '/properties/n'],
  ])('%s whose result is no known JSON is refused by name', (_title, schema, place) => {
    expect(reasonOf(schema, 'output')).toContain(` at ${place}: `)
  })
})
