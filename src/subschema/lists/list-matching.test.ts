import { expect, it } from 'vitest'
import type { JsonValue } from '../../json/value.ts'
import { isSubschema } from '../is-subschema.ts'

const self = { $ref: '#/$defs/self' }
const unique = (minItems: number, definition: JsonValue): JsonValue => ({
  type: 'array',
  uniqueItems: true,
  minItems,
  items: self,
  $defs: { self: definition },
})

it.each<readonly [string, JsonValue, string]>([
  ['lists of lists', unique(4, { type: 'array', items: self }), 'refuted'],
  [
    'objects in objects',
    unique(4, { type: 'object', properties: { a: self }, additionalProperties: false }),
    'refuted',
  ],
  [
    'lists that must differ in lists that must differ',
    unique(3, { type: 'array', uniqueItems: true, minItems: 2, items: { anyOf: [self, { enum: [1, 2] }] } }),
    'refuted',
  ],
  ['what only contains itself', unique(1, { type: 'array', minItems: 1, items: self }), 'proven'],
  [
    'three different ones of two and of itself',
    unique(1, { type: 'array', uniqueItems: true, minItems: 3, items: { anyOf: [self, { enum: [1, 2] }] } }),
    'proven',
  ],
])('counts different values of a recursive schema: %s', (_, r, verdict) => {
  expect(isSubschema(r, false).verdict).toBe(verdict)
})
