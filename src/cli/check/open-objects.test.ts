// What counts as open is the value, not the syntax.
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../json/value.ts'
import { findOpenObjects } from './open-objects.ts'

const open = (schema: JsonObject) => findOpenObjects(schema).map(({ pointer, keyword }) => `${pointer} ${keyword}`)
const a = { properties: { a: { type: 'string' } } }
const b = { properties: { b: { type: 'string' } } }
const closedA = { ...a, additionalProperties: false }
const closedB = { ...b, additionalProperties: false }

describe('an object that lists properties', () => {
  it('is open when it says nothing of others, or lets all others in', () => {
    expect(open(a)).toEqual([' additionalProperties'])
    expect(open({ ...a, additionalProperties: true })).toEqual([' additionalProperties'])
    expect(open({ ...a, additionalProperties: {} })).toEqual([' additionalProperties'])
  })

  it('is closed by false, or by a schema for the others', () => {
    expect(open(closedA)).toEqual([])
    expect(open({ ...a, unevaluatedProperties: false })).toEqual([])
    expect(open({ ...a, additionalProperties: { type: 'string' } })).toEqual([])
  })

  it('is found at every depth [TC-068]', () => {
    const nested = {
      properties: { list: { items: a }, map: { additionalProperties: b }, tuple: { prefixItems: [a] } },
      additionalProperties: false,
    }
    expect(open(nested)).toEqual([
      '/properties/list/items additionalProperties',
      '/properties/map/additionalProperties additionalProperties',
      '/properties/tuple/prefixItems/0 additionalProperties',
    ])
  })

  it('is judged together with the parts it is made of, and reported once', () => {
    expect(open({ allOf: [a, b] })).toEqual([' unevaluatedProperties'])
    expect(open({ allOf: [a, b], unevaluatedProperties: false })).toEqual([])
    expect(open({ allOf: [a, closedB] })).toEqual([])
    expect(open({ ...a, anyOf: [{ required: ['a'] }, { required: ['b'] }] })).toEqual([' unevaluatedProperties'])
  })

  it('is judged alternative by alternative', () => {
    expect(open({ anyOf: [closedA, b] })).toEqual(['/anyOf/1 additionalProperties'])
    expect(open({ oneOf: [closedA, closedB] })).toEqual([])
    expect(open({ ...a, oneOf: [closedA, { type: 'null' }] })).toEqual([])
  })

  it('is followed through references, once for each definition', () => {
    const $defs = { part: a }
    const refs = { p: { $ref: '#/$defs/part' }, q: { $ref: '#/$defs/part' } }
    expect(open({ $defs, properties: refs, additionalProperties: false })).toEqual(['/$defs/part additionalProperties'])
    expect(open({ $defs, allOf: [{ $ref: '#/$defs/part' }, b], unevaluatedProperties: false })).toEqual([])
    expect(open({ $ref: '#/$defs/part', $defs })).toEqual(['/$defs/part additionalProperties'])
  })

  it('may contain itself', () => {
    const tree = { properties: { child: { $ref: '#' } } }
    expect(open(tree)).toEqual([' additionalProperties'])
    expect(open({ ...tree, additionalProperties: false })).toEqual([])
    expect(open({ $ref: '#' })).toEqual([])
  })

  it('is not meant by conditions and negations', () => {
    expect(open({ ...closedA, not: b, if: b })).toEqual([])
    expect(open({ properties: { x: { contains: a } }, additionalProperties: false })).toEqual([])
  })
})
