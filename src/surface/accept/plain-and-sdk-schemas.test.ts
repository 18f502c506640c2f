// Schemas that no library derived: plain JSON Schema, and the schemas of the AI SDK.
import { jsonSchema as aiJsonSchema, zodSchema } from 'ai'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { taken } from '../../../test/surface/taken-schema.ts'
import { acceptSchema } from './accept-schema.ts'

describe('JSON Schema that its author wrote is taken as it is', () => {
  test('An open object stays open and every key keeps its place', () => {
    const schema = {
      type: 'object',
      properties: { b: { type: 'string' }, a: { properties: { c: {} } } },
      $comment: 'mine',
    }
    const { jsonSchema, vendor } = taken(schema)
    expect(JSON.stringify(jsonSchema)).toBe(JSON.stringify(schema))
    expect(vendor).toBe('json-schema')
  })

  test('Later changes to the original do not reach the copy', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const { jsonSchema } = taken(schema)
    schema.properties.a.type = 'number'
    expect(jsonSchema.properties).toEqual({ a: { type: 'string' } })
  })

  test('Boolean schemas and undefined members are understood', () => {
    expect(taken(true).check(1)).toBe(true)
    expect(taken(false).check(1)).toBe(false)
    expect(taken({ type: 'string', description: undefined }).jsonSchema).toEqual({ type: 'string' })
  })

  test('Type.Unsafe and a hand-written part of a TypeBox schema stay open', () => {
    const { check } = taken(
      Type.Object({ raw: Type.Unsafe({ type: 'object', properties: { a: { type: 'string' } } }) }),
    )
    expect(check({ raw: { a: 'x', b: 1 } })).toBe(true)
    expect(check({ raw: {}, more: 1 })).toBe(false)
  })

  test('Schemas of the older TypeBox package are known by their symbol', () => {
    const kind = Symbol.for('TypeBox.Kind')
    const name = { [kind]: 'String', type: 'string' }
    const { check, vendor } = taken({ [kind]: 'Object', type: 'object', properties: { name }, required: ['name'] })
    expect(vendor).toBe('typebox')
    expect(check({ name: 'x', more: 1 })).toBe(false)
    const date = { [kind]: 'Date', type: 'Date' }
    const refused = acceptSchema({ [kind]: 'Object', type: 'object', properties: { date } }, 'input')
    expect(refused).toMatchObject({ ok: false, reason: expect.stringContaining(' at /properties/date: ') })
  })
})

describe('AI SDK schemas come in', () => {
  test('zodSchema is as deep as the Zod schema in it', async () => {
    const { check, validate, vendor } = taken(zodSchema(z.object({ to: z.email(), n: z.coerce.number() })))
    expect(vendor).toBe('zod')
    expect(check({ to: 'a@b.example', n: 1, more: 1 })).toBe(false)
    expect(await validate({ to: 'nobody', n: 1 })).toMatchObject({ ok: false, issues: [{ path: ['to'] }] })
  })

  test('jsonSchema without a validator is plain JSON Schema', () => {
    const accepted = acceptSchema(aiJsonSchema({ type: 'object' }), 'input')
    expect(accepted).toEqual({ ok: true, jsonSchema: { type: 'object' }, vendor: 'json-schema' })
  })

  test('An error that wraps issues gives them up', async () => {
    const error = new Error('invalid', { cause: [{ message: 'too long', path: [{ key: 'a' }, 0] }] })
    const { validate } = taken(aiJsonSchema({}, { validate: () => ({ success: false, error }) }))
    expect(await validate({})).toEqual({ ok: false, issues: [{ path: ['a', 0], message: 'too long' }] })
  })
})
