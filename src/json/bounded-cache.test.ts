import { expect, it } from 'vitest'
import { keepNewest } from './bounded-cache.ts'

it('forgets what came first once there is more than it may keep', () => {
  const map = new Map<string, number>()
  for (const [index, key] of ['a', 'b', 'c'].entries()) keepNewest(map, key, index, 2)
  expect([...map]).toEqual([
    ['b', 1],
    ['c', 2],
  ])
})

it('forgets nothing for a value that takes the place of another', () => {
  const map = new Map([
    ['a', 1],
    ['b', 2],
  ])
  keepNewest(map, 'a', 3, 2)
  expect(Object.fromEntries(map)).toEqual({ a: 3, b: 2 })
})
