// Every difference has one name: a table of readings, each with the discrepancy it is, and no row of the rules without a reading.
import { describe, expect, it } from 'vitest'
import { type Discrepancy, discrepancies } from '../../contract/verification/verification.ts'
import type { PreparedPredicate } from '../../contract/verification/verifier.ts'
import type { JsonObject } from '../../json/value.ts'
import { discrepancyOf, discrepancyRows, type ObservedState } from './discrepancy.ts'
import { holds } from './predicates.ts'

const closed: PreparedPredicate = { path: '/status', is: 'equals', about: 'value', expected: 'closed' }
const note: PreparedPredicate = { path: '/note', is: 'equals', about: 'value', expected: 'done' }
const newer: PreparedPredicate = { path: '/version', is: 'greater_than', about: 'version', expected: 3 }
const account: PreparedPredicate = { path: '/account', is: 'equals', about: 'target', expected: 'a-1' }
const once: PreparedPredicate = { path: '/count', is: 'equals', about: 'count', expected: 1 }

type Case = Partial<Pick<ObservedState, 'before' | 'creates' | 'reported'>> & {
  readonly state: JsonObject | null
  readonly expect: readonly PreparedPredicate[]
}

function reading({ state, expect: all, before, creates = false, reported = 'success' }: Case): ObservedState {
  const met = state === null ? [] : all.filter((one) => holds(one, state))
  return { state, before, creates, reported, met, unmet: all.filter((one) => !met.includes(one)), undetermined: 0 }
}

const before = { status: 'open', note: '', version: 3, account: 'a-1' }

const cases: readonly (readonly [string, Discrepancy | null, Case])[] = [
  ['all as expected', null, { state: { ...before, status: 'closed' }, before, expect: [closed] }],
  ['nothing has changed', 'no_op_success', { state: before, before, expect: [closed, note] }],
  ['nothing was created', 'no_op_success', { state: null, creates: true, expect: [closed] }],
  ['nothing to change is there', 'target_missing', { state: null, before, expect: [closed] }],
  ['another account', 'wrong_target', { state: { account: 'a-2', status: 'closed' }, expect: [account, closed] }],
  [
    'an old version of something else',
    'stale_state',
    { state: { ...before, note: 'x' }, before, expect: [newer, note] },
  ],
  [
    'one of two has changed',
    'partial_application',
    { state: { ...before, status: 'closed' }, before, expect: [closed, note] },
  ],
  ['changed to something else', 'value_mismatch', { state: { ...before, status: 'void' }, before, expect: [closed] }],
  ['wrong, and the state before is not known', 'value_mismatch', { state: { status: 'void' }, expect: [closed] }],
  ['there twice', 'duplicate_side_effect', { state: { count: 2 }, expect: [once] }],
  ['not there often enough', 'value_mismatch', { state: { count: 0 }, expect: [once] }],
  ['reported lost, and there', 'no_op_failure', { state: { status: 'closed' }, reported: 'failure', expect: [closed] }],
  ['nothing that could tell', 'unknown', { state: {}, expect: [] }],
]

describe('the discrepancy of a reading', () => {
  it.each(cases)('%s: %s [TC-443 to TC-450, TC-454]', (_, expected, given) => {
    expect(discrepancyOf(reading(given))).toBe(expected)
  })

  it('has a reading for every rule, and every rule a name of the specification', () => {
    const named = new Set(cases.map(([, name]) => name))
    for (const { discrepancy } of discrepancyRows) expect(named).toContain(discrepancy)
    for (const { discrepancy } of discrepancyRows) expect(discrepancies).toContain(discrepancy)
  })

  it('is the worst where several fit: another account before a wrong value', () => {
    expect(
      discrepancyOf(reading({ state: { account: 'a-2', status: 'void' }, before, expect: [closed, account] })),
    ).toBe('wrong_target')
  })
})
