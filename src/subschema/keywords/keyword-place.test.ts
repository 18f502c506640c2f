import { expect, it } from 'vitest'
import type { JsonValue } from '../../json/value.ts'
import { isSubschema } from '../is-subschema.ts'

const contained = Array.from({ length: 8 }, (_, index) => ({ contains: { type: 'string', minLength: index } }))

it.each<readonly [JsonValue, JsonValue, string, string]>([
  [{ type: 'object', minProperties: 5000 }, { maxProperties: 5 }, 'r', '/minProperties'],
  [
    {
      properties: { a: { $ref: '#/$defs/large' } },
      required: ['a'],
      type: 'object',
      $defs: { large: { type: 'array', minItems: 200_000 } },
    },
    { properties: { a: { maxItems: 5 } } },
    'r',
    '/$defs/large/minItems',
  ],
  [{ type: 'array', uniqueItems: true, allOf: contained }, { maxItems: 1 }, 'r', '/allOf/0/contains'],
  [
    { type: 'number', multipleOf: 1e-7, exclusiveMinimum: 1e16, exclusiveMaximum: 1e16 + 2 },
    { multipleOf: 1 },
    'r',
    '/multipleOf',
  ],
])('names the place of what could not be modelled in %j against %j [unsupported-is-named]', (r, l, side, pointer) => {
  expect(isSubschema(r, l)).toMatchObject({ verdict: 'unsupported', side, pointer })
})
