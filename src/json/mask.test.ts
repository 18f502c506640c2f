import { describe, expect, it } from 'vitest'
import { maskPointers, maskValue, touches } from './mask.ts'

describe('masking', () => {
  it('masks named places, any key and any index, and leaves the original alone', () => {
    const value = { a: 1, list: [{ pin: 1 }, { pin: 2, x: 3 }], deep: { k: { pin: 4 } } }
    expect(maskPointers(value, ['/a', '/list/*/pin', '/deep/*/pin'])).toEqual({
      a: '[masked]',
      list: [{ pin: '[masked]' }, { pin: '[masked]', x: 3 }],
      deep: { k: { pin: '[masked]' } },
    })
    expect(value.list[0]).toEqual({ pin: 1 })
  })

  it('masks a whole subtree, and nothing where there is nothing', () => {
    expect(maskPointers({ a: { b: 1 } }, ['/a'])).toEqual({ a: '[masked]' })
    expect(maskPointers({ a: 5 }, ['/a/b', '/c', '/toString'])).toEqual({ a: 5 })
    expect(maskValue([1, 2], ['/1'])).toEqual([1, '[masked]'])
  })

  it('knows whether a place lies at, below or above a masked one', () => {
    const pointers = ['/list/*/pin']
    for (const place of [[], ['list'], ['list', 3], ['list', 3, 'pin'], ['list', 3, 'pin', 'x']])
      expect(touches(place, pointers)).toBe(true)
    for (const place of [['other'], ['list', 3, 'name']]) expect(touches(place, pointers)).toBe(false)
  })
})
