// The example of the guide on budgets: what it prints is what the guide says.
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('refuses what does not fit, shows what is left, and goes on once two people have raised the limit [limit-raised]', () => {
  const lines = execFileSync(process.execPath, ['examples/budgets/budgets.ts'], { encoding: 'utf8' })
  expect(lines.trimEnd().split('\n')).toEqual([
    'BUDGET_EXHAUSTED none',
    'at most 20 EUR',
    'refunds-a-day: 180.002 of 200 EUR',
    'refunds-of-a-clerk: 1 of 20 calls',
    'happened 2',
  ])
})
