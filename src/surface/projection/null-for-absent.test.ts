// Which nulls are taken out, at every depth, and that a record takes out the same ones again.
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../json/value.ts'
import { preprocess } from '../../schema/preprocess.ts'
import { removeNulls, undoNulls } from './null-for-absent.ts'

function undone(schema: JsonObject, value: JsonObject) {
  const reading = preprocess(schema)
  if (!reading.ok) throw new Error('The schema of this test is broken')
  return undoNulls(value, reading.schema)
}

const text = { type: 'string' }

describe('undoing nulls', () => {
  it('takes out those of optional properties that refuse null, through references, lists and intersections', () => {
    const tree = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          properties: { name: text, below: { type: 'array', items: { $ref: '#/$defs/node' } } },
          allOf: [{ properties: { note: text } }],
        },
      },
    }
    const value = { name: null, note: null, below: [{ name: 'x', below: null }, { below: [{ note: null }] }] }
    const result = undone(tree, value)
    expect(result).toEqual({
      value: { below: [{ name: 'x' }, { below: [{}] }] },
      removed: ['/name', '/note', '/below/0/below', '/below/1/below/0/note'],
    })
    expect(removeNulls(value, result?.removed ?? [])).toEqual(result?.value)
  })

  it.each<[string, JsonObject]>([
    ['required', { properties: { a: text }, required: ['a'] }],
    ['required by another facet', { properties: { a: text }, allOf: [{ required: ['a'] }] }],
    ['nullable', { properties: { a: { type: ['string', 'null'] } } }],
    ['nullable by an alternative', { properties: { a: { anyOf: [text, { const: null }] } } }],
    ['anything', { properties: { a: true } }],
    ['not declared', { additionalProperties: text }],
    ['declared in a union only', { anyOf: [{ properties: { a: text } }, { properties: { b: text } }] }],
  ])('leaves a null alone where the property is %s', (_name, schema) => {
    expect(undone(schema, { a: null })).toBeUndefined()
  })

  it('does not take an object that may be null itself for a union', () => {
    const schema = { properties: { o: { anyOf: [{ properties: { a: text } }, { type: 'null' }] } }, required: ['o'] }
    expect(undone(schema, { o: { a: null } })?.value).toEqual({ o: {} })
    expect(undone(schema, { o: null })).toBeUndefined()
  })

  it('takes out of a record only what is there and null', () => {
    expect(removeNulls({ a: 1, b: null, c: [null] }, ['/a', '/b', '/c/0', '/d/e', '/c/7/x'])).toEqual({
      a: 1,
      c: [null],
    })
  })
})
