// The protocol of the ledger, explored in small cases: every order, by the rules that the ledger asks; and the same histories on Postgres.
import { beforeAll, describe, expect, it } from 'vitest'
import { plants } from '../../bench/protocol/plants.ts'
import { type Checked, checkProtocol, smallPlants } from '../../bench/protocol/run-check.ts'
import { small } from '../../bench/protocol/settings.ts'

describe('all orders in which two processes, their calls and what goes wrong can meet', () => {
  let checked: Checked

  beforeAll(async () => {
    checked = await checkProtocol({
      settings: small,
      plants: smallPlants(small),
      histories: 120,
      maxStates: 400_000,
    })
  }, 240_000)

  it('are explored to their end, and no effect happens twice, none is lost, nothing is stuck [every-order-explored]', () => {
    expect(checked.violations).toEqual([])
    expect(checked.frontier).toBe(0)
    expect(checked.states).toBeGreaterThan(100_000)
  })

  it('need every row of every rule', () => {
    expect(checked.rows_never_fired).toEqual([])
  })

  it('are played on Postgres with the same answers and the same records', () => {
    expect(checked.differences).toEqual([])
    expect(checked.kinds_not_replayed).toEqual([])
    expect(checked.kinds_replayed).toBe(checked.kinds)
    expect(checked.replayed).toBeGreaterThanOrEqual(120)
    expect(checked.steps_compared).toBeGreaterThan(500)
  })

  it('show each fault that is planted in a rule or in a decision', () => {
    expect(checked.plants_missed).toEqual([])
    expect(checked.plants.length).toBeGreaterThanOrEqual(8)
    for (const { history } of checked.plants) expect(history.length).toBeGreaterThan(0)
  })
})

it('every planted fault names a setting that is explored', async () => {
  const { large } = await import('../../bench/protocol/settings.ts')
  const names = [...small, ...large].map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const { setting } of plants) expect(names).toContain(setting)
})
