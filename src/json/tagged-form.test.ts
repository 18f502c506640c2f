import { describe, expect, it } from 'vitest'
import { canonicalize } from './canonical.ts'
import { taggedForm } from './tagged-form.ts'

const text = (value: unknown) => {
  const form = taggedForm(value)
  return form === undefined ? undefined : canonicalize(form)
}

describe('the tagged form', () => {
  it('tells apart what JSON would merge', () => {
    const values = [
      5,
      5n,
      '5',
      new Date(5),
      [5],
      { a: 5 },
      new Map([['a', 5]]),
      new Set([5]),
      undefined,
      null,
      Number.NaN,
      new Uint8Array([5]),
    ]
    expect(new Set(values.map(text)).size).toBe(values.length)
    expect(text({ a: 1, b: [2n] })).toBe(text({ a: 1, b: [2n] }))
  })

  it('gives up on what cannot be pinned down', () => {
    const cyclic: unknown[] = []
    cyclic.push(cyclic)
    for (const value of [new (class Account {})(), () => 1, Symbol('x'), [new (class Account {})()], cyclic])
      expect(text(value)).toBeUndefined()
  })
})
