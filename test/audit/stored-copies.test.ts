// What measurements of a large ledger are made on: copies of one call, each as if it had been recorded by itself.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bindCopies } from '../../bench/audit/bind-copies.ts'
import { throughProviso } from '../../bench/durable/proviso.ts'
import { storeCalls } from '../../bench/durable/stored-calls.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.end())

it('finds nothing wrong with copies of a call, and reads each of them', async () => {
  const url = await databases.fresh()
  const proviso = await throughProviso(url, 2)
  await proviso.call(1, 1)
  await proviso.close()
  await storeCalls(url, 40)
  await bindCopies(url)
  const ledger = await postgres(url, { connections: 2, log: { sequence: false } })
  await ledger.log?.sequence()
  const report = await ledger.log?.verify({ kept: [], keys: [] })
  expect(report?.findings).toEqual([])
  // And a group for the contract.
  expect(report).toMatchObject({ leaves: 42, contents: 42 })
  const calls = await ledger.calls.list({ limit: 100 })
  expect(calls.map(({ effect, status }) => `${effect} ${status}`)).toEqual(Array(41).fill('happened SUCCESS'))
  await ledger.close()
})
