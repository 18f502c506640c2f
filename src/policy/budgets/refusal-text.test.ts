import { expect, it } from 'vitest'
import type { EpochMs } from '../../json/clock.ts'
import { refusalText } from './refusal-text.ts'

const claim = {
  name: 'n',
  amount: 35_000_000,
  max: 500_000_000,
  windowMs: 86_400_000,
  returns: true,
  limit: 'refunds-a-day',
  what: 'EUR spent by calls of this tenant',
  currency: 'EUR',
} as const

it('says of money what is left, what was asked for and when the window ends', () => {
  const resets = { at: 1_767_225_600_000 as EpochMs, afterMs: 5 }
  expect(refusalText({ kind: 'budget', claim, used: 480_500_000, max: 500_000_000, resets })).toEqual({
    expected: 'at most 19.5 EUR',
    actual: '35 EUR',
    message:
      'The limit refunds-a-day allows 500 EUR (EUR spent by calls of this tenant); 480.5 EUR used, 19.5 EUR left. This call needs 35 EUR. Finish with what you have, do with less, wait until 2026-01-01T00:00:00.000Z, or have the limit raised.',
  })
})

it('says of calls how many there are, and never that less than nothing is left', () => {
  const calls = { ...claim, amount: 1, max: 3, limit: 'write', what: 'write calls of this run', currency: undefined }
  expect(refusalText({ kind: 'budget', claim: calls, used: 4, max: 3, resets: undefined })).toEqual({
    expected: 'at most 3',
    actual: '5',
    message:
      'The limit write allows 3 (write calls of this run); 4 used, 0 left. Finish with what you have, or have the limit raised.',
  })
})
