// The ledger in memory comes to every frozen verdict.
import { expect, it } from 'vitest'
import { families } from './families.ts'
import { differences } from './rows.ts'
import { memoryStage } from './stage.ts'

it.each(families.map((family) => [family.name, family] as const))(
  'memory comes to the frozen verdicts of %s [verdicts-are-frozen]',
  async (_, family) => {
    expect(await differences(family, memoryStage())).toEqual([])
  },
)
