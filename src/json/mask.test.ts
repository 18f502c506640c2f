import { describe, expect, it } from 'vitest'
import { maskPointers, maskValue } from './mask.ts'

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
})
