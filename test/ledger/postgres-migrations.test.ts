// Opening brings a database to this version's tables and functions: once, forward only, each step under the checksum of its text; what does
// not fit is refused by name, and two versions work on one ledger at once.
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { expect, it } from 'vitest'
import { openDatabase } from '../../src/ledger/postgres/driver/database.ts'
import { rulesSql } from '../../src/ledger/postgres/functions/write-rules.ts'
import { currentVersion, migrate, type Wanted } from '../../src/ledger/postgres/migrate.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { databasesOfFile } from './databases-of-file.ts'
import { callId, callRecord, entryOf, one } from './requests.ts'

const source = new URL('../../src/ledger/postgres/postgres.ts', import.meta.url)

const databases = databasesOfFile()

async function onClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const rowsOf = (url: string, text: string): Promise<readonly unknown[][]> =>
  onClient(url, async (client) => (await client.query({ text, rowMode: 'array' })).rows)

async function opening(url: string, wanted: Wanted, make = true): Promise<void> {
  const database = openDatabase({ connectionString: url, max: 1 })
  try {
    await migrate(database, { make, connection: { connectionString: url }, wanted })
  } finally {
    await database.end()
  }
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
  const { steps, functions } = currentVersion()
  expect(await rowsOf(url, 'select number, sha256 from proviso.migrations order by number')).toEqual(
    steps.map(({ number, sha256 }) => [number, sha256]),
  )
  expect(await rowsOf(url, 'select layout, sha256 from proviso.functions')).toEqual([
    [functions.version, functions.sha256],
  ])
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

const refusals: readonly (readonly [what: string, change: string, message: string])[] = [
  [
    'a ledger that was made before the first publication',
    'drop schema proviso cascade; create schema proviso; create table proviso.migrations (id integer, name text, run_on timestamptz)',
    'before the first publication',
  ],
  [
    'a step whose text is another',
    `update proviso.migrations set sha256 = 'other' where number = 1`,
    'step 1 (baseline)',
  ],
  ['functions whose text is another', `update proviso.functions set sha256 = 'other'`, 'layout 1 of its functions'],
  [
    'a later version that has dropped our functions',
    `insert into proviso.migrations (number, name, sha256) values (99, 'later', 'x'); delete from proviso.functions`,
    'of a later version',
  ],
  [
    'a ledger that has lost a function',
    'drop function proviso.lock_slots_v1(bigint[])',
    'has lost functions of layout 1: lock_slots_v1',
  ],
]

it.each(refusals)('refuses %s, by name [older-ledgers-are-refused]', async (_, change, message) => {
  const url = await databases.fresh()
  await onClient(url, (client) => client.query(change))
  await expect(postgres(url, { connections: 1 })).rejects.toThrow(message)
  await expect(postgres(url, { connections: 1, make: false })).rejects.toThrow(message)
})

it('refuses a ledger that lost an earlier step than its last', async () => {
  const url = await databases.fresh()
  const wanted = laterVersion()
  await onClient(url, (client) => client.query(`insert into proviso.migrations values (3, 'third', 'x')`))
  await expect(opening(url, wanted)).rejects.toThrow('without an earlier one')
})

/** A sample of a version after this one: a column more, and functions of a layout of their own beside ours. */
function laterVersion(): Wanted {
  const { steps, functions } = currentVersion()
  const step = 'alter table proviso.idempotency_keys add column noted text'
  const layout = functions.version + 1
  const text = functions.text
    .replaceAll(`_v${functions.version}(`, `_v${layout}(`)
    .replace(/'look_up_v\d+'/, `'look_up_v${layout}'`)
  return {
    steps: [...steps, { number: 2, name: 'noted', text: step, sha256: hash('sha256', step) }],
    functions: { version: layout, text, sha256: hash('sha256', text) },
  }
}

it('two versions work on one ledger at once, and each step is made once [two-versions-at-once]', async () => {
  const url = await databases.fresh()
  const older = await postgres(url, { connections: 1 })
  const record = (n: number) => older.operations.record(entryOf({ id: callId(n) }))
  await record(1)
  // The later version comes while the older one is at work, twice at once.
  await Promise.all([opening(url, laterVersion()), opening(url, laterVersion())])
  await record(2)
  const reopened = await postgres(url, { connections: 1 })
  await reopened.operations.record(entryOf({ id: callId(3) }))
  expect(await reopened.calls.list({})).toHaveLength(3)
  // What the later one takes by its functions, the older one counts.
  await rowsOf(url, `select proviso.lease_quota_v2('acme', 'reads', 100, 0, 10)`)
  expect(await older.limits.balances('acme', [{ name: 'reads', windowMs: undefined }])).toMatchObject([{ used: 10 }])
  await reopened.close()
  await older.close()
  expect(await rowsOf(url, 'select number, name from proviso.migrations order by number')).toEqual([
    [1, 'baseline'],
    [2, 'noted'],
  ])
  const names = await rowsOf(
    url,
    `select layout, (select count(*)::integer from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname = 'proviso' and p.proname like '%\\_v' || layout) from proviso.functions order by layout`,
  )
  expect(names.map(([layout]) => layout)).toEqual([1, 2])
  expect(names[0]?.[1]).toBe(names[1]?.[1])
})

it('a command that makes nothing says that the ledger is older', async () => {
  const url = await databases.fresh()
  await expect(opening(url, laterVersion(), false)).rejects.toThrow('of an earlier version')
  const empty = await databases.empty()
  await expect(opening(empty, currentVersion(), false)).rejects.toThrow('no ledger in this database')
})

it('every function of the ledger carries the layout in its name, and rules in SQL are those of the tables [rules-once]', async () => {
  const url = await databases.fresh()
  const { version } = currentVersion().functions
  // Of the tables, not of a layout. Row policies of tools name `tenant`, so no layout may take it away.
  const fixed = new Set(['clock', 'epoch_ms', 'uuid_at', 'week_of', 'partition_name', 'tenant'])
  const names = await rowsOf(
    url,
    `select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'proviso'`,
  )
  const others = names
    .map(([name]) => String(name))
    .filter((name) => !fixed.has(name) && !name.endsWith(`_v${version}`))
  expect(others).toEqual([])
  const written = readFileSync(new URL('../../src/ledger/postgres/functions/rules.sql', import.meta.url), 'utf8')
  expect(written).toBe(rulesSql())
})
