// Runs that carry labels stand in the database under keys that either side makes by itself.
import fc from 'fast-check'
import pg from 'pg'
import { expect, it } from 'vitest'
import { runKey } from '../../src/ledger/postgres/codec/call-row.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { databasesOfFile } from './databases-of-file.ts'

const databases = databasesOfFile()

it('have the same key on either side, whatever they are called', async () => {
  const url = await databases.fresh()
  await (await postgres(url)).close()
  const client = new pg.Client(url)
  await client.connect()
  // No name has a NUL.
  const name = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll('\0', ''))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, name), { minLength: 1, maxLength: 50 }), async (pairs) => {
      const { rows } = await client.query<{ key: string }>(
        `select encode(proviso.run_key(tenant, run), 'hex') as key
         from unnest($1::text[], $2::text[]) with ordinality u (tenant, run, n) order by n`,
        [pairs.map(([tenant]) => tenant), pairs.map(([, run]) => run)],
      )
      expect(rows.map(({ key }) => key)).toEqual(pairs.map(([tenant, run]) => runKey(tenant, run)))
    }),
    { numRuns: 20 },
  )
  await client.end()
})
