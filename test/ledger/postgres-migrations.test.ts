// The tables are made once, whoever comes first and however many come at once.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import pg from 'pg'
import { expect, it } from 'vitest'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { databasesOfFile } from './databases-of-file.ts'
import { callRecord, entryOf, one } from './requests.ts'

const source = new URL('../../src/ledger/postgres/postgres.ts', import.meta.url)
const migrations = readdirSync(new URL('../../src/ledger/postgres/migrations/', import.meta.url))

const databases = databasesOfFile()

async function done(url: string): Promise<readonly string[]> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ name: string }>('select name from proviso.migrations order by id')
  await client.end()
  return rows.map(({ name }) => `${name}.sql`)
}

it('lets ten processes open an empty database at once [migrations-once]', async () => {
  const url = await databases.empty()
  const program = `
    const { postgres } = await import(${JSON.stringify(source.href)})
    const ledger = await postgres(process.argv[1], { connections: 1 })
    await ledger.calls.list({})
    await ledger.close()`
  const children = Array.from({ length: 10 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', program, url], { stdio: ['ignore', 'ignore', 'pipe'] }),
  )
  const ends = await Promise.all(
    children.map(async (child) => {
      let complaint = ''
      child.stderr?.on('data', (chunk: Buffer) => {
        complaint += chunk.toString()
      })
      const [code] = await once(child, 'close')
      return code === 0 ? 'opened' : complaint
    }),
  )
  expect(ends).toEqual(children.map(() => 'opened'))
  expect(await done(url)).toEqual(migrations.toSorted())
})

it('lets several databases of one server be opened at once, though they share the role that reads', async () => {
  const urls = await Promise.all([1, 2, 3, 4].map(() => databases.empty()))
  const ledgers = await Promise.all(urls.map((url) => postgres(url, { connections: 1 })))
  for (const ledger of ledgers) {
    await ledger.operations.record(entryOf())
    expect(await ledger.calls.get(one, callRecord().key.tenant)).toMatchObject({ id: one })
    await ledger.close()
  }
})

it('leaves what is there as it is', async () => {
  const url = await databases.fresh()
  const first = await postgres(url, { connections: 1 })
  await first.operations.record(entryOf())
  await first.close()
  const second = await postgres(url, { connections: 1 })
  expect(await second.calls.get(one)).toMatchObject({ id: one })
  await second.close()
})
