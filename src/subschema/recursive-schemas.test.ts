import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../json/value.ts'
import { isSubschema } from './is-subschema.ts'

const object = (properties: JsonValue, more: object = {}): JsonValue =>
  ({ type: 'object', properties, ...more }) as JsonValue

describe('isSubschema of recursive schemas', () => {
  it('decides recursive schemas by their finite values', () => {
    const tree = (leaf: JsonValue): JsonValue => ({
      $ref: '#/$defs/tree',
      $defs: {
        tree: {
          anyOf: [leaf, object({ l: { $ref: '#/$defs/tree' }, r: { $ref: '#/$defs/tree' } }, { required: ['l', 'r'] })],
        },
      },
    })
    expect(isSubschema(tree({ type: 'null' }), tree({ type: ['null', 'string'] })).verdict).toBe('proven')
    expect(isSubschema(tree({ type: ['null', 'string'] }), tree({ type: 'null' })).verdict).toBe('refuted')
    expect(isSubschema(tree(false), false).verdict).toBe('proven')
  })

  it('finds a fault that only shows two levels down in a recursive schema', () => {
    const list = (item: JsonValue): JsonValue => ({
      $ref: '#/$defs/list',
      $defs: { list: { type: ['null', 'object'], properties: { head: item, tail: { $ref: '#/$defs/list' } } } },
    })
    const nested = { type: 'object', properties: { head: { const: 1 }, tail: list({ type: 'integer' }) } }
    const proof = isSubschema(
      {
        ...nested,
        $defs: { list: (list({ type: 'integer' }) as { $defs: { list: JsonValue } }).$defs.list },
      } as JsonValue,
      list({ const: 1 }),
    )
    expect(proof).toMatchObject({ verdict: 'refuted', instancePath: '/tail/head' })
  })

  it('knows equal definitions by what they say, not by their names', () => {
    const named = (name: string): JsonValue => ({
      $ref: `#/$defs/${name}`,
      $defs: { [name]: object({ next: { $ref: `#/$defs/${name}` }, n: { pattern: '^(a|b)*a(a|b){40}$' } }) },
    })
    expect(isSubschema(named('one'), named('other'))).toEqual({ verdict: 'proven' })
  })
})
