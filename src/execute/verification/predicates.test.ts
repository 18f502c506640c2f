import { describe, expect, it } from 'vitest'
import type { Predicate } from '../../contract/verification/verifier.ts'
import type { JsonObject } from '../../json/value.ts'
import { type CallDocument, holds, preparePredicate } from './predicates.ts'

const document: CallDocument = {
  args: { amount: '12.50', currency: 'EUR' },
  result: { id: 'ch_1' },
  before: { version: 3, status: 'open' },
  call: { id: 'c', user: 'ann', idempotency_key: 'k' },
}
const state: JsonObject = {
  id: 'ch_1',
  amount: 12.5,
  version: 4,
  status: 'closed',
  by: 'ann',
  at: '2026-01-02T00:00:00+01:00',
  gone: null,
}

const cases: readonly (readonly [string, Predicate, boolean])[] = [
  ['equals a place of the result', { path: '/id', is: 'equals', from: '/result/id' }, true],
  ['equals a text and not a number', { path: '/amount', is: 'equals', from: '/args/amount' }, false],
  ['equals an amount by its decimal', { path: '/amount', is: 'equals', from: '/args/amount', about: 'amount' }, true],
  ['is one of a set', { path: '/status', is: 'in', value: ['closed', 'archived'] }, true],
  ['is none of a set', { path: '/status', is: 'in', value: ['open'] }, false],
  ['is greater than before', { path: '/version', is: 'greater_than', from: '/before/version' }, true],
  ['is not greater than itself', { path: '/version', is: 'greater_than', value: 4 }, false],
  ['is at least itself', { path: '/version', is: 'at_least', value: '4.0' }, true],
  ['is less', { path: '/version', is: 'less_than', value: 5 }, true],
  ['is at most', { path: '/version', is: 'at_most', value: 3 }, false],
  ['is after an instant in another zone', { path: '/at', is: 'greater_than', value: '2026-01-01T22:59:59Z' }, true],
  ['has no order with a text', { path: '/status', is: 'greater_than', value: 1 }, false],
  ['exists', { path: '/id', is: 'exists' }, true],
  ['does not exist where it is null', { path: '/gone', is: 'exists' }, false],
  ['is absent where it is null', { path: '/gone', is: 'absent' }, true],
  ['is another', { path: '/status', is: 'not_equals', value: 'open' }, true],
  ['is missing and so not another', { path: '/nothing', is: 'not_equals', value: 'open' }, false],
  ['has changed since', { path: '/status', is: 'changed' }, true],
  ['was not there before', { path: '/id', is: 'changed' }, true],
]

describe('a predicate', () => {
  it.each(cases)('%s [TC-425]', (_, predicate, expected) => {
    expect(holds(preparePredicate(predicate, document), state)).toBe(expected)
  })

  it('is undetermined where what it compares with is gone, and never holds by that', () => {
    const { result: _, before: __, ...lost } = document
    for (const predicate of [
      { path: '/id', is: 'equals', from: '/result/id' },
      { path: '/status', is: 'changed' },
    ] as const) {
      const prepared = preparePredicate(predicate, lost)
      expect(prepared.undetermined).toBe(true)
      expect(holds(prepared, state)).toBe(false)
    }
  })

  it('reads own properties alone', () => {
    expect(holds({ path: '/constructor', is: 'exists', about: 'value' }, state)).toBe(false)
  })
})
