import { describe, expect, it } from 'vitest'
import { Fault } from '../../contract/fault.ts'
import { type LimitOptions, readBudgets } from './limit.ts'

const day: LimitOptions = { id: 'day', kind: 'financial', per: 'tenant', windowSec: 86_400, max: 500, currency: 'EUR' }

describe('limits', () => {
  it('gives every run a standing limit of each kind, and critical calls none unless configured', () => {
    const { limits } = readBudgets({ write: 5 })
    expect(limits.map(({ id, max, per, standing }) => [id, max, per, standing])).toEqual([
      ['read', 1_000, 'run', true],
      ['write', 5, 'run', true],
      ['external', 20, 'run', true],
      ['critical', 0, 'run', true],
    ])
  })

  it('reads a financial limit as millionths of its currency', () => {
    const limit = readBudgets({ limits: [{ ...day, max: 0.1, currency: 'eur' }] }).limits.at(-1)
    expect(limit).toMatchObject({
      max: 100_000,
      currency: 'EUR',
      windowMs: 86_400_000,
      what: 'EUR spent by calls of this tenant',
    })
  })

  it.each<[string, object]>([
    ['a name with a colon', { ...day, id: 'a:b' }],
    ['no name', { ...day, id: undefined }],
    ['a kind that there is not', { ...day, kind: 'free' }],
    ['a scope that there is not', { ...day, per: 'constructor' }],
    ['a financial limit without a currency', { ...day, currency: undefined }],
    ['a currency on calls', { ...day, kind: 'write' }],
    ['half a call', { ...day, kind: 'write', currency: undefined, max: 1.5 }],
    ['fewer than no calls', { ...day, kind: 'write', currency: undefined, max: -1 }],
    ['no end of calls', { ...day, kind: 'write', currency: undefined, max: Number.POSITIVE_INFINITY }],
    ['money that is not a number', { ...day, max: Number.NaN }],
    ['less than no money', { ...day, max: -1 }],
    ['money finer than a millionth', { ...day, max: 0.0000001 }],
    ['a window of no time', { ...day, windowSec: 0 }],
    ['a window of half a second', { ...day, windowSec: 0.5 }],
    ['a class that there is not', { ...day, classes: ['toString'] }],
    ['the name of a standing limit', { ...day, id: 'write' }],
  ])('refuses %s by name', (_, limit) => {
    const read = () => readBudgets({ limits: [limit as LimitOptions] })
    expect(read).toThrow(Fault)
    expect(read).toThrow('budget limit')
  })

  it('refuses a standing limit that is no count', () => {
    expect(() => readBudgets({ write: Number.NaN })).toThrow('The budget limit write')
  })
})
