// The judge of a race on one budget: counts the world, and holds it against what the ledger says is spent and against the refused.
import type { Proviso } from '../../src/index.ts'
import type { World } from '../faults/world.ts'
import { centsOf, limitId, operationOf, tenant } from './payments.ts'

export interface Spending {
  readonly calls: number
  readonly happened: number
  readonly refused: number
  readonly budget: number
  readonly spent_in_the_world: number
  readonly spent_by_the_ledger: number
  readonly met: {
    readonly never_above_the_budget: boolean
    readonly ledger_equals_world: boolean
    readonly nothing_twice: boolean
    /** The smallest payment that was refused is larger than what is left. */
    readonly nobody_refused_who_fits: boolean
    readonly everybody_answered: boolean
  }
}

export async function judgeSpending(
  numbers: readonly number[],
  refused: readonly number[],
  { world, proviso, budgetCents }: { readonly world: World; readonly proviso: Proviso; readonly budgetCents: number },
): Promise<Spending> {
  const fired = numbers.map((number) => world.fired(operationOf(number)))
  const spent = numbers.reduce((sum, number, index) => sum + centsOf(number) * (fired[index] ?? 0), 0)
  const left = (await proviso.budgets.left({ tenant })).find(({ limit }) => limit === limitId)
  const booked = Math.round(Number(left?.used ?? Number.NaN) * 100)
  const happened = fired.filter((times) => times > 0).length
  return {
    calls: numbers.length,
    happened,
    refused: refused.length,
    budget: budgetCents / 100,
    spent_in_the_world: spent / 100,
    spent_by_the_ledger: booked / 100,
    met: {
      never_above_the_budget: spent <= budgetCents,
      ledger_equals_world: booked === spent,
      nothing_twice: fired.every((times) => times <= 1),
      nobody_refused_who_fits: refused.every((number) => centsOf(number) > budgetCents - spent),
      everybody_answered: happened + refused.length === numbers.length,
    },
  }
}
