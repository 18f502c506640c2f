import { expect, it } from 'vitest'
import type { JsonValue } from '../../json/value.ts'
import { isSubschema } from '../is-subschema.ts'

const many = Array.from({ length: 40 }, (_, index) => `option ${index}`)

it.each<readonly [JsonValue, JsonValue, string]>([
  [{ const: 'x' }, { enum: ['a', 'b', 'c'] }, 'R allows "x" at the whole value; L allows only "a", "b" or "c"'],
  [{ const: 'x' }, { enum: ['a'] }, 'R allows "x" at the whole value; L allows only "a"'],
  [
    { const: 'x' },
    { enum: many },
    'R allows "x" at the whole value; L allows only "option 0", "option 1", "option 2", "option 3", "option 4", "option 5" and 34 more values',
  ],
  [{ const: '' }, { minLength: 1 }, 'R allows "" at the whole value; L asks for at least 1 character'],
  [{ const: [1, 2] }, { maxItems: 1 }, 'R allows [1,2] at the whole value; L asks for at most 1 item'],
  [{ const: {} }, { minProperties: 2 }, 'R allows {} at the whole value; L asks for at least 2 properties'],
  [{ const: 5 }, false, 'R allows 5; L forbids it'],
  [{ const: { a: 5 } }, { properties: { a: false } }, 'R allows `a`; L forbids it'],
  [
    { type: 'object', required: ['a'] },
    { dependentRequired: { a: ['b'] } },
    'R leaves `b` optional; L requires it beside `a`',
  ],
  [{ const: [] }, { contains: true }, 'R allows [] at the whole value; L asks for an item that `contains` describes'],
])('says in a sentence what R %j permits and L %j does not', (r, l, reason) => {
  expect(isSubschema(r, l)).toMatchObject({ verdict: 'refuted', reason })
})
