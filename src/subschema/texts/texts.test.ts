import { expect, it } from 'vitest'
import type { JsonValue } from '../../json/value.ts'
import { isSubschema, type SubschemaOptions } from '../is-subschema.ts'

const letters = { type: 'string', allOf: [{ pattern: '^[a-z]+$' }, { pattern: '[a-m]' }] }
const manyStates = { type: 'string', pattern: '^(a|b)*a(a|b){40}$' }
const asserting = { formats: { r: 'assert', l: 'assert' } } as const

it('builds long texts for two patterns', () => {
  expect(isSubschema({ ...letters, minLength: 15_000 }, { pattern: '^[a-y]+$' }).verdict).toBe('refuted')
})

type Row = readonly [says: string, r: JsonValue, l: JsonValue, gap: object, options: SubschemaOptions]

it.each<Row>([
  [
    'a length beyond those that are searched',
    { ...letters, minLength: 30_000 },
    { pattern: '^[a-y]+$' },
    { construct: 'minLength', side: 'r', pointer: '/minLength' },
    {},
  ],
  [
    'the work, where the length alone is harmless',
    { ...letters, minLength: 15_000 },
    { pattern: '^[a-y]+$' },
    { construct: 'budget' },
    { budget: 300 },
  ],
  [
    'a pattern that has too many states',
    manyStates,
    { type: 'string', pattern: 'c' },
    { construct: 'pattern', side: 'r', pointer: '/pattern' },
    { budget: 1e9 },
  ],
  [
    'a format that no text could be built for',
    { type: 'string', format: 'hostname', pattern: '^-' },
    { maxLength: 0 },
    { construct: 'format', side: 'r', pointer: '/format' },
    asserting,
  ],
])('names what there was too much of: %s', (_, r, l, gap, options) => {
  expect(isSubschema(r, l, options)).toMatchObject({ verdict: 'unsupported', ...gap })
})
