import { describe, expect, it } from 'vitest'
import { retryAfterMs, statusError, statusRows } from './status.ts'

const errorOf = (status: number, mutates = true, withoutEffect: readonly number[] = [], method = 'POST') => {
  const {
    code,
    class: taxonomyClass,
    effect,
  } = statusError({
    status,
    method,
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
    [402, 'BUDGET_EXHAUSTED', 'unknown'],
    // Gateways give it where what stands behind them was slow: the deed was done three times.
    [408, 'TIMEOUT', 'unknown'],
    [418, 'SEMANTIC_INVALIDITY', 'unknown'],
    [499, 'SEMANTIC_INVALIDITY', 'unknown'],
    [202, 'TIMEOUT', 'unknown'],
    [303, 'DEPENDENCY_UNAVAILABLE', 'unknown'],
    [425, 'RATE_LIMITED', 'none'],
    [429, 'RATE_LIMITED', 'none'],
    [302, 'DEPENDENCY_UNAVAILABLE', 'unknown'],
    [500, 'DEPENDENCY_UNAVAILABLE', 'unknown'],
    [502, 'DEPENDENCY_UNAVAILABLE', 'unknown'],
    [503, 'DEPENDENCY_UNAVAILABLE', 'unknown'],
    [504, 'TIMEOUT', 'unknown'],
  ] as const)('takes %i for %s with effect %s [TC-440]', (status, taxonomyClass, effect) => {
    expect(errorOf(status)).toEqual([`http_${status}`, taxonomyClass, effect])
    expect(errorOf(status, false)[2]).toBe('none')
  })

  it('believes a provider that says with which status it did nothing', () => {
    expect(errorOf(503, true, [503])[2]).toBe('none')
    expect(errorOf(500, true, [503])[2]).toBe('unknown')
    expect(errorOf(408, true, [408])[2]).toBe('none')
  })

  it('takes no refusal for a word where the request may have met its own effect, as it may be sent again on its way', () => {
    expect(['POST', 'PATCH', 'PUT', 'DELETE'].map((method) => errorOf(404, true, [], method)[2])).toEqual([
      'none',
      'none',
      'none',
      'unknown',
    ])
    expect(['POST', 'PATCH', 'PUT', 'DELETE'].map((method) => errorOf(412, true, [], method)[2])).toEqual([
      'none',
      'none',
      'unknown',
      'unknown',
    ])
    expect(errorOf(404, true, [404], 'DELETE')[2]).toBe('none')
  })

  it('says nothing else of a look that followed on what may have been done, or was', () => {
    const lookAfter = (before: 'happened' | 'unknown') =>
      statusError({
        status: 404,
        method: 'POST',
        retryAfter: undefined,
        now: 0,
        mutates: true,
        withoutEffect: [404],
        before,
      }).effect
    expect([lookAfter('unknown'), lookAfter('happened')]).toEqual(['unknown', 'happened'])
  })

  it('has a class of its own for every row [TC-188, TC-270]', () => {
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
