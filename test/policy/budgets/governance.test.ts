// The measurement of budgets under race, and its judge: what it must find is planted.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { judgeSpending } from '../../../bench/governance/judge-spending.ts'
import { centsOf, contextOf, operationOf, paymentDesk, proposalOf } from '../../../bench/governance/payments.ts'
import { raceInMemory } from '../../../bench/governance/spend-race.ts'
import { openProviso } from '../../../src/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'proviso-governance-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('spends one budget exactly when 128 calls want it at once [money-never-overspent] [TC-322]', async () => {
  const { met, happened, refused } = await raceInMemory({ calls: 128, processes: 1, budgetCents: 50_000 })
  expect(met).toEqual(Object.fromEntries(Object.keys(met).map((name) => [name, true])))
  expect([happened > 0, refused > 0, happened + refused]).toEqual([true, true, 128])
})

it('is judged by the world: what is overspent, unbooked, doubled or wrongly refused is found', async () => {
  const numbers = [1, 2, 3, 4]
  const budgetCents = numbers.reduce((sum, number) => sum + centsOf(number), 0)
  const { world, tools, budgets } = paymentDesk(folder, budgetCents)
  const proviso = await openProviso({ tools, budgets })
  const judged = async (refused: readonly number[]) =>
    (await judgeSpending(numbers, refused, { world, proviso, budgetCents })).met
  for (const number of [1, 2, 3]) await proviso.call(proposalOf(number), contextOf(number))
  expect(await judged([4])).toMatchObject({ nobody_refused_who_fits: false, ledger_equals_world: true })
  expect(await judged([])).toMatchObject({ everybody_answered: false })
  world.apply(operationOf(4))
  expect(await judged([])).toMatchObject({ ledger_equals_world: false, never_above_the_budget: true })
  world.apply(operationOf(4))
  expect(await judged([])).toMatchObject({ nothing_twice: false, never_above_the_budget: false })
  await proviso.close()
})
