import { expect, it } from 'vitest'
import type { JsonValue } from '../json/value.ts'
import { preprocess } from '../schema/preprocess.ts'
import { compileValidator } from '../schema/validator.ts'
import { createSeeded, type Seeded } from './generate/seeded.ts'
import { isSubschema } from './is-subschema.ts'

const kinds = [0, 1, 2, 'a', 'b', null]
const numbers = [0, 1, 2, 3]

/** Every object that a closed schema over these two properties can accept. */
const universe: readonly JsonValue[] = [undefined, ...kinds, 'other'].flatMap((kind) =>
  [undefined, ...numbers].map((v) => ({ ...(kind === undefined ? {} : { kind }), ...(v === undefined ? {} : { v }) })),
)

function listOf<T extends JsonValue>(all: readonly T[], { below, shuffle }: Seeded): JsonValue {
  const chosen = shuffle(all).slice(0, 1 + below(2))
  return chosen.length === 1 ? { const: chosen[0] as T } : { enum: chosen }
}

function randomAlternative(seeded: Seeded): JsonValue {
  const { chance, below } = seeded
  const kind = chance(0.9) ? { kind: listOf(kinds, seeded) } : {}
  const v = chance(0.7) ? { v: chance(0.5) ? listOf(numbers, seeded) : { minimum: below(4) } } : {}
  const required = [...(chance(0.8) ? ['kind'] : []), ...(chance(0.3) ? ['v'] : [])]
  return { properties: { ...kind, ...v }, required }
}

function randomCondition(seeded: Seeded): JsonValue {
  const test = { properties: { kind: listOf(kinds, seeded) }, ...(seeded.chance(0.5) ? { required: ['kind'] } : {}) }
  const [yes, no] = [randomAlternative(seeded), randomAlternative(seeded)]
  // An object literal with a `then` would look like a promise.
  return Object.fromEntries([['if', test], ['then', yes], ...(seeded.chance(0.3) ? [['else', no]] : [])]) as JsonValue
}

function randomUnion(seeded: Seeded): object {
  const several = (make: (seeded: Seeded) => JsonValue): readonly JsonValue[] =>
    Array.from({ length: 1 + seeded.below(24) }, () => make(seeded))
  switch (seeded.below(5)) {
    case 0:
      return { oneOf: several(randomAlternative) }
    case 1:
      return { allOf: several(randomCondition) }
    case 2:
      return { not: { anyOf: several(randomAlternative) } }
    default:
      return { anyOf: several(randomAlternative) }
  }
}

const closed = {
  type: 'object',
  properties: { kind: { enum: [...kinds, 'other'] }, v: { enum: numbers } },
  additionalProperties: false,
}

function testOf(schema: JsonValue): (value: JsonValue) => boolean {
  const read = preprocess(schema, { formats: 'annotate' })
  if (!read.ok) throw new Error(read.refusals[0]?.message)
  return compileValidator(read.schema).matches
}

it('agrees with trying every object, for unions of any width and with any tags', () => {
  const seeded = createSeeded(23)
  const wrong: string[] = []
  const verdicts = { proven: 0, refuted: 0, unsupported: 0 }
  for (let round = 0; round < 80; round++) {
    const required = seeded.chance(0.5) ? { required: ['kind'] } : {}
    const r = { ...closed, ...required, allOf: [randomUnion(seeded)] } as JsonValue
    const wider = seeded.chance(0.5) ? [{ allOf: [randomUnion(seeded)] }] : [randomUnion(seeded), r]
    const l = (seeded.chance(0.7) ? { anyOf: wider } : { allOf: wider }) as JsonValue
    const [isR, isL] = [testOf(r), testOf(l)]
    const expected = universe.some((value) => isR(value) && !isL(value)) ? 'refuted' : 'proven'
    const { verdict } = isSubschema(r, l)
    verdicts[verdict]++
    if (verdict !== expected) wrong.push(`${verdict} ${JSON.stringify([r, l])}`)
  }
  expect(wrong).toEqual([])
  expect(Math.min(verdicts.proven, verdicts.refuted)).toBeGreaterThan(20)
}, 30_000)
