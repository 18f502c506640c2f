import { expect, it } from 'vitest'
import type { JsonValue } from '../../json/value.ts'
import { isSubschema } from '../is-subschema.ts'

const number = { type: 'number' }

it.each<readonly [string, JsonValue, JsonValue, string]>([
  [
    'a pattern for names rather than the rest',
    { type: 'object', required: ['ab'], patternProperties: { '^a': { type: 'string' } }, additionalProperties: number },
    { properties: { ab: number } },
    '/patternProperties/^a',
  ],
  [
    'items only in arrays',
    { type: 'object', required: ['0'], items: number, additionalProperties: { type: 'string' } },
    { properties: { 0: number } },
    '/additionalProperties',
  ],
  [
    'a position of a tuple',
    { type: 'array', minItems: 1, prefixItems: [{ type: 'string' }], items: number },
    { items: number },
    '/prefixItems/0',
  ],
])('points to %s in R', (_, r, l, rPointer) => {
  expect(isSubschema(r, l)).toMatchObject({ verdict: 'refuted', rPointer })
})

// Each definition refers to the next one twice: 2^40 paths, 41 definitions.
const definitions = Object.fromEntries(
  Array.from({ length: 41 }, (_, level) => {
    const next = { $ref: `#/$defs/d${level + 1}` }
    return [`d${level}`, level === 40 ? { type: 'object' } : { allOf: [next, next] }]
  }),
)

it('finds the place in definitions that are shared without walking every path to them', () => {
  const shared = { $ref: '#/$defs/d0', $defs: definitions }
  expect(isSubschema(shared, { properties: { a: false } })).toMatchObject({ verdict: 'refuted', instancePath: '/a' })
  expect(isSubschema(true, shared)).toMatchObject({ verdict: 'refuted', lPointer: '/$defs/d40/type' })
})
