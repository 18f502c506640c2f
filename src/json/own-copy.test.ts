import { describe, expect, it } from 'vitest'
import { ownCopy } from './copy.ts'

describe('an own copy', () => {
  it('shares no array and no plain object, and everything else', () => {
    const when = new Date(0)
    const value = { list: [{ a: 1 }], when }
    const copy = ownCopy(value)
    copy.list[0] = { a: 2 }
    copy.list.push({ a: 3 })
    expect(value).toEqual({ list: [{ a: 1 }], when })
    expect(copy.when).toBe(when)
    expect(ownCopy('text')).toBe('text')
  })

  it('takes a key named __proto__ for a key', () => {
    const copy = ownCopy(JSON.parse('{"__proto__": {"polluted": true}}'))
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect(Object.keys(copy)).toEqual(['__proto__'])
  })
})
