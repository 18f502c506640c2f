import { expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { isSubschema } from '../is-subschema.ts'

const tags = ['u', 'v', 'x', 'y', 'z']

/** What the property `b` must be depends on the tag. */
function dependingOnTag(typeFor: (tag: string) => string): JsonValue {
  const conditions = tags.map(
    (tag): JsonObject => ({
      if: { type: 'object', required: ['tag'], properties: { tag: { const: tag } } },
      ['then' as string]: { type: 'object', required: ['b'], properties: { b: { type: typeFor(tag) } } },
    }),
  )
  return { type: 'object', required: ['tag'], properties: { tag: { enum: tags } }, allOf: conditions }
}

const whole = dependingOnTag(() => 'integer')

it.each(tags)('finds the one constant, %s, under which the schemas differ', (odd) => {
  const other = dependingOnTag((tag) => (tag === odd ? 'string' : 'number'))
  expect(isSubschema(whole, other)).toMatchObject({ verdict: 'refuted', witness: { tag: odd } })
})

it('proves the conditions of all constants together', () => {
  expect(
    isSubschema(
      whole,
      dependingOnTag(() => 'number'),
    ),
  ).toEqual({ verdict: 'proven' })
})
