// Statements, functions and cancellations that were found to get through: what a tool of one tenant could do beyond its own call.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SqlStatement } from '../../src/contract/tool/executor-files/sql-file.ts'
import { sql } from '../../src/public/executors.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { executionContext } from './execution-context.ts'

let databases: Databases
let admin: pg.Client
let url: string

beforeAll(async () => {
  databases = await startDatabases()
  url = await databases.empty()
  admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`
    create table marks (n int);
    create function mark(int) returns int language plpgsql as $$ begin insert into marks values ($1); return $1; end $$;
  `)
})

afterAll(async () => {
  await admin.end()
  await databases.end()
})

const poolOf = (max: number) => {
  const pool = new pg.Pool({ connectionString: url, max })
  pool.on('error', () => undefined)
  return pool
}

const write = (text: string): SqlStatement => ({ name: 'write', text, access: 'write' })

describe('a write through select', () => {
  it('is done whole, and only what is returned ends at the cap [writes-run-to-the-end]', async () => {
    const pool = poolOf(1)
    const marking = { ...write('select mark(n) from generate_series(1, 3000) n'), expect: { rows: 3_000 } }
    const executor = sql({ database: { pool }, statements: [marking] })
    const value = await executor.run({}, executionContext())
    expect((await admin.query('select count(*)::int as n from marks')).rows).toEqual([{ n: 3_000 }])
    expect(value).toMatchObject({ truncated: true })
    expect((value as { rows: readonly unknown[] }).rows).toHaveLength(1_000)
    await pool.end()
  })
})

describe('a statement that is given up', () => {
  it('ends alone: the next one on the pool goes on, whatever becomes free first [cancel-ends-own-statement]', async () => {
    const pool = poolOf(2)
    const sleep = (seconds: number, signal?: AbortSignal) =>
      Promise.resolve(
        sql({ database: { pool }, statements: [write(`select pg_sleep(${seconds})`)] }).run(
          {},
          executionContext(signal === undefined ? {} : { signal, tenant: 'acme' }),
        ),
      )
    const controller = new AbortController()
    const given = sleep(0.4, controller.signal).catch((error: Error) => error)
    const holder = sleep(0.8)
    const active = async () =>
      (await admin.query("select 1 from pg_stat_activity where query like '%pg_sleep%' and state = 'active'")).rowCount
    await expect.poll(active, { interval: 10 }).toBe(3)
    // Another tenant waits for a connection before the first is given up.
    const other = sleep(1.2)
    await expect.poll(() => pool.waitingCount, { interval: 5 }).toBe(1)
    controller.abort()
    expect(await given).toMatchObject({ effect: 'none' })
    await holder
    expect(await other).toMatchObject({ truncated: false })
    await pool.end()
  })
})
