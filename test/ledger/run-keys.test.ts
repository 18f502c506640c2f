// Runs that carry labels stand in the database under keys that either side makes by itself.
import fc from 'fast-check'
import pg from 'pg'
import { expect, it } from 'vitest'
import { runKey } from '../../src/ledger/postgres/codec/call-text.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { databasesOfFile } from './databases-of-file.ts'

const databases = databasesOfFile()

it('stand under the key that calls ask for, under any name', async () => {
  const url = await databases.fresh()
  const ledger = await postgres(url)
  const client = new pg.Client(url)
  await client.connect()
  // No name has a NUL.
  const name = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll('\0', ''))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, name), { minLength: 1, maxLength: 50 }), async (pairs) => {
      await Promise.all(pairs.map(([tenant, run]) => ledger.runs.addLabels(tenant, run, ['untrusted'])))
      const { rows } = await client.query<{ tenant: string; run: string; key: string; labelled: boolean }>(
        `select r.tenant, r.run, encode(r.key, 'hex') as key,
           exists (select 1 from proviso.call_keys k where k.key = r.key and k.tenant = r.tenant) as labelled
         from proviso.runs r`,
      )
      expect(rows.map(({ key, labelled }) => [key, labelled])).toEqual(
        rows.map(({ tenant, run }) => [runKey(tenant, run), true]),
      )
    }),
    { numRuns: 20 },
  )
  await client.end()
  await ledger.close()
})
