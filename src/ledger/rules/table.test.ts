// The tables of the ledger's rules: every case has a verdict, every row decides somewhere, and the words are those of the database.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { everyRule } from './every-rule.ts'
import { slotEffects, slotStatuses } from './slot.ts'
import { casesOf, decide, type RuleTable, watchingRows } from './table.ts'

describe.each(everyRule.map((rule) => [rule.name, rule] as const))('the rule %s', (name, rule) => {
  it('decides every case, and each of its rows decides some of them', () => {
    const fired = new Set<string>()
    const cases = casesOf(rule)
    watchingRows(
      (of, row) => fired.add(`${of} ${row}`),
      () => cases.forEach((given) => void decide(rule, given)),
    )
    expect([...fired].sort()).toEqual(rule.rows.map(({ id }) => `${name} ${id}`).sort())
    expect(rule.rows.at(-1)?.when).toEqual({})
  })

  it('asks for nothing that its cases do not have', () => {
    for (const { when } of rule.rows) {
      for (const [thing, wanted] of Object.entries(when)) {
        for (const value of [wanted].flat()) expect(rule.over[thing]).toContain(value)
      }
    }
  })
})

it('a case without a row is a bug, and says of which rule', () => {
  const rule: RuleTable<{ a: boolean }, 'yes'> = {
    name: 'empty',
    over: { a: [true, false] },
    rows: [{ id: 'yes', when: { a: true }, verdict: 'yes' }],
  }
  expect(decide(rule, { a: true })).toBe('yes')
  expect(() => decide(rule, { a: false })).toThrow('empty')
})

it('statuses and effects are the words of the database', () => {
  const baseline = readFileSync(new URL('../postgres/migrations/0001_baseline.sql', import.meta.url), 'utf8')
  const wordsOf = (type: string) =>
    new RegExp(`create type proviso\\.${type} as enum \\(([^)]*)\\)`)
      .exec(baseline)?.[1]
      ?.replaceAll("'", '')
      .split(', ')
  expect(wordsOf('slot_status')).toEqual([...slotStatuses])
  expect(wordsOf('slot_effect')).toEqual([...slotEffects])
})
