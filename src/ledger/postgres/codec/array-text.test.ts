import { expect, it } from 'vitest'
import { arrayText } from './array-text.ts'

it('writes arrays as Postgres reads them, with any text in the elements', () => {
  expect(arrayText([])).toBe('{}')
  expect(arrayText(['a1-_b', 5, null, -1.5])).toBe('{a1-_b,5,NULL,-1.5}')
  expect(arrayText(['', 'null', 'a b', 'a"b', 'a\\b', '{x,y}', 'é'])).toBe(
    '{"","null","a b","a\\"b","a\\\\b","{x,y}","é"}',
  )
})
