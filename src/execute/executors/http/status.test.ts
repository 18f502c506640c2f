import { describe, expect, it } from 'vitest'
import { retryAfterMs, statusError, statusRows } from './status.ts'

const errorOf = (status: number, mutates = true, withoutEffect: readonly number[] = []) => {
  const {
    code,
    class: taxonomyClass,
    effect,
  } = statusError({
    status,
    retryAfter: undefined,
    now: 0,
    mutates,
    withoutEffect,
  })
  return [code, taxonomyClass, effect]
}

describe('statusError', () => {
  it.each([
    [400, 'SEMANTIC_INVALIDITY', 'none'],
    [401, 'PERMISSION_DENIED', 'none'],
    [404, 'STALE_STATE', 'none'],
    [408, 'TIMEOUT', 'none'],
    [418, 'SEMANTIC_INVALIDITY', 'none'],
    [425, 'RATE_LIMITED', 'none'],
    [429, 'RATE_LIMITED', 'none'],
    [302, 'DEPENDENCY_UNAVAILABLE', 'unknown'],
    [500, 'DEPENDENCY_UNAVAILABLE', 'unknown'],
    [502, 'DEPENDENCY_UNAVAILABLE', 'unknown'],
    [503, 'DEPENDENCY_UNAVAILABLE', 'unknown'],
    [504, 'TIMEOUT', 'unknown'],
  ] as const)('takes %i for %s with effect %s', (status, taxonomyClass, effect) => {
    expect(errorOf(status)).toEqual([`http_${status}`, taxonomyClass, effect])
    expect(errorOf(status, false)[2]).toBe('none')
  })

  it('believes a provider that says with which status it did nothing', () => {
    expect(errorOf(503, true, [503])[2]).toBe('none')
    expect(errorOf(500, true, [503])[2]).toBe('unknown')
  })

  it('has a class of its own for every row', () => {
    for (const [status, row] of statusRows) expect(errorOf(status)[1]).toBe(row.class)
  })
})

describe('retryAfterMs', () => {
  const now = Date.parse('Sun, 06 Nov 1994 08:49:37 GMT')
  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Sun, 06 Nov 1994 08:50:07 GMT', 30_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['9999999999', 7 * 86_400_000],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['1994-11-06', undefined],
    [undefined, undefined],
  ])('reads %j as %j', (value, ms) => expect(retryAfterMs(value, now)).toBe(ms))
})
