// The ledger on Postgres comes to every frozen verdict.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { databasesOfFile } from '../databases-of-file.ts'
import { claimFamilies, families, sweptFamilies } from './families.ts'
import { differences, type Family } from './rows.ts'
import { postgresStage, type Stage } from './stage.ts'

const databases = databasesOfFile()
let stage: Stage
let ownersStage: Stage

beforeAll(async () => {
  stage = await postgresStage(await databases.fresh())
  ownersStage = await postgresStage(await databases.fresh())
})

afterAll(async () => {
  await stage.close()
  await ownersStage.close()
})

const named = (list: readonly Family[]) => list.map((family) => [family.name, family] as const)

it.each(named([...families, ...sweptFamilies]))(
  'Postgres comes to the frozen verdicts of %s [verdicts-are-frozen]',
  async (_, family) => {
    expect(await differences(family, stage)).toEqual([])
  },
)

it.each(named(claimFamilies))(
  'Postgres comes to the frozen verdicts of %s, by owners that are gone [verdicts-are-frozen]',
  async (_, family) => {
    expect(await differences(family, ownersStage)).toEqual([])
  },
)
