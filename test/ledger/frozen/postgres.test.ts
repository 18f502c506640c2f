// The ledger on Postgres comes to every frozen verdict.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { databasesOfFile } from '../databases-of-file.ts'
import { families, postgresFamilies } from './families.ts'
import { differences } from './rows.ts'
import { postgresStage, type Stage } from './stage.ts'

const databases = databasesOfFile()
let stage: Stage

beforeAll(async () => {
  stage = await postgresStage(await databases.fresh())
})

afterAll(async () => {
  await stage.close()
})

it.each([...families, ...postgresFamilies].map((family) => [family.name, family] as const))(
  'Postgres comes to the frozen verdicts of %s [verdicts-are-frozen]',
  async (_, family) => {
    expect(await differences(family, stage)).toEqual([])
  },
)
