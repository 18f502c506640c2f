import { expect, it } from 'vitest'
import { standingRule } from './standing.ts'
import { casesOf, decide } from './table.ts'

it('asks for a newer pass only where the database looks for one', () => {
  for (const given of casesOf(standingRule)) {
    if (given.yields || given.late) continue
    expect(decide(standingRule, { ...given, newer: true })).toBe(decide(standingRule, { ...given, newer: false }))
  }
})
