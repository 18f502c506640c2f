import { expect, it } from 'vitest'
import type { JsonObject } from '../json/value.ts'
import { preprocess } from '../schema/preprocess.ts'
import { mutations } from './generate/mutations.ts'
import { sample } from './generate/sample.ts'
import { inhabits } from './inhabits.ts'
import { isClosed } from './is-closed.ts'
import { isSubschema } from './is-subschema.ts'

/** A chain of definitions, each of which only adds something in place to the next. */
function chain(length: number, wrap: (next: JsonObject) => JsonObject): JsonObject {
  const links = Array.from({ length }, (_, index) => [`d${index}`, wrap({ $ref: `#/$defs/d${index + 1}` })])
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(links), [`d${length}`]: { type: 'string' } } }
}

const wraps: readonly (readonly [string, (next: JsonObject) => JsonObject])[] = [
  ['not', (next) => ({ not: next })],
  ['allOf', (next) => ({ allOf: [next, { minLength: 1 }] })],
  ['anyOf', (next) => ({ anyOf: [next, { const: 1 }] })],
  ['if', (next) => ({ if: { const: 1 }, else: next })],
  ['dependentSchemas', (next) => ({ dependentSchemas: { a: next } })],
  ['unevaluatedProperties', (next) => ({ allOf: [next], unevaluatedProperties: false })],
]

it.each(wraps)(
  'refuses a chain of %s that calls could not follow, instead of failing [unsupported-is-named]',
  (_, wrap) => {
    const deep = chain(400, wrap)
    const refused = { verdict: 'unsupported', construct: 'depth' }
    expect(isSubschema(deep, true)).toMatchObject({ ...refused, side: 'r' })
    expect(isSubschema(true, deep)).toMatchObject({ ...refused, side: 'l' })
    const read = preprocess(deep)
    if (!read.ok) throw new Error(read.refusals[0]?.message)
    expect(inhabits(read.schema)).toMatchObject(refused)
    expect(isClosed(read.schema)).toMatchObject(refused)
    expect(sample(read.schema, 3)).toEqual([])
    expect(mutations(read.schema, 3)).toEqual([])
  },
)

it.each(wraps)('follows a chain of %s that is merely long', (_, wrap) => {
  expect(isSubschema(chain(150, wrap), true)).toEqual({ verdict: 'proven' })
  expect(isSubschema(chain(150, wrap), { not: { const: null } }).verdict).not.toBe('unsupported')
})
