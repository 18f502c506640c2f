// A small universe of values, all of them: a proof about two schemas must be true of each value.
import type { JsonValue } from '../../src/json/value.ts'

const scalars: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  1,
  2,
  3,
  6,
  0.5,
  1.5,
  -1,
  4,
  0.1,
  '',
  'a',
  'b',
  'c',
  'ab',
  'aa',
  'ba',
  'abc',
  'é',
  '2024-01-31',
  'a@b.co',
  '127.0.0.1',
  'a:b',
  256,
  0.25,
]
const few: readonly JsonValue[] = [null, false, 0, 1, 2, 0.5, 'a', 'b', '', [], {}]
const fewer: readonly JsonValue[] = [null, 1, 'a', { a: 1 }]
const names = ['a', 'b', 'c', 'ab', 'd']

export function smallUniverse(): readonly JsonValue[] {
  const lists: JsonValue[] = [[], ...few.map((item) => [item])]
  for (const one of few) for (const other of few) lists.push([one, other])
  for (const one of fewer) for (const two of fewer) for (const three of fewer) lists.push([one, two, three])
  const objects: JsonValue[] = [{}]
  for (const name of names) for (const value of few) objects.push({ [name]: value })
  for (const [index, one] of names.entries()) {
    for (const other of names.slice(index + 1)) {
      for (const a of fewer) for (const b of fewer) objects.push({ [one]: a, [other]: b })
    }
  }
  objects.push({ a: 1, b: 'a', c: null }, { a: { a: { a: 1 } } }, { a: [1], b: [], c: [[1]] }, { b: { b: {} } })
  return [...scalars, ...lists, ...objects]
}
