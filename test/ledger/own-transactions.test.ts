// What a tool may do in the transaction that commits with its record, and what it may not.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LedgerSql } from '../../src/contract/tool/executor.ts'
import { defineTool, openProviso, type Proviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { type Databases, startDatabases } from './databases.ts'

let databases: Databases
let proviso: Proviso
let work: (sql: LedgerSql, note: string) => Promise<unknown>
let starts = 0

beforeAll(async () => {
  databases = await startDatabases()
  const book = defineTool({
    name: 'book_v1',
    description: 'Books a note.',
    effect: 'MEDIUM_RISK_WRITE',
    commits: 'ledger',
    trusted: true,
    input: {
      type: 'object',
      properties: { note: { type: 'string' } },
      required: ['note'],
      additionalProperties: false,
    },
    async execute({ note }: { note: string }, { sql }) {
      starts++
      if (sql === undefined) throw new Error('no transaction')
      await work(sql, note)
      return { ok: true }
    },
  })
  const url = await databases.fresh()
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query('create table notes (note text)')
  await admin.end()
  proviso = await openProviso({ ledger: await postgres(url), tools: [book] })
})

afterAll(async () => {
  await proviso.close()
  await databases.end()
})

const call = (note: string) =>
  proviso.call({ tool: 'book_v1', arguments: { note }, callId: note }, { tenant: 'acme', run: 'run-1' })

async function notes(): Promise<readonly unknown[]> {
  let found: readonly unknown[] = []
  work = async (sql) => {
    found = (await sql('select note from notes order by note')).rows.map(({ note }) => note)
  }
  await call(`read ${starts}`)
  return found
}

describe('a tool that commits with the ledger', () => {
  it('has its statements planned as the server is set', async () => {
    let found: unknown
    work = async (sql) => {
      found = (
        await sql(`select current_setting('enable_hashjoin') as joins, current_setting('enable_bitmapscan') as bitmaps`)
      ).rows
    }
    expect((await call('settings')).effect).toBe('happened')
    expect(found).toEqual([{ joins: 'on', bitmaps: 'on' }])
  })

  it('has its effect with its record, and none when it fails', async () => {
    work = (sql, note) => sql('insert into notes values ($1)', [note])
    expect((await call('kept')).effect).toBe('happened')
    work = async (sql, note) => {
      await sql('insert into notes values ($1)', [note])
      throw new Error('changed its mind')
    }
    expect((await call('undone')).effect).toBe('none')
    expect(await notes()).toEqual(['kept'])
  })

  it('cannot end, begin or configure its transaction, however that is written', async () => {
    for (const text of [
      'commit',
      ' COMMIT;',
      '-- a note\ncommit',
      '/* a note */ rollback',
      'insert into notes values (1); commit',
      'begin',
      'set role postgres',
      "set local proviso.tenant = 'other'",
      'reset role',
      'do $$ begin commit; end $$',
      '; commit',
      '-- a note\rcommit',
      '-- a note\rselect 1 into more',
      '/* /* */ select */ commit',
      '/* /* */ select */ reset role',
      '/**/--/*\rcommit--*/ select 1',
      "select '\\'; commit --'",
      'create table more (note text)',
    ]) {
      work = async (sql, note) => {
        await sql('insert into notes values ($1)', [note])
        await sql(text)
      }
      const answer = await call(`by ${text}`)
      expect([text, answer.effect, answer.observation.status.is_error]).toEqual([text, 'none', true])
    }
    expect(await notes()).toEqual(['kept'])
  })

  it('did nothing where it swallows an error that has ended its transaction, and may be called again', async () => {
    work = async (sql, note) => {
      await sql('insert into notes values ($1)', [note])
      await sql('select 1 / 0').catch(() => undefined)
    }
    const answer = await call('swallowed')
    expect([answer.effect, answer.response.retryable]).toEqual(['none', true])
    work = (sql, note) => sql('insert into notes values ($1)', [note])
    expect((await call('swallowed')).effect).toBe('happened')
    expect(await notes()).toEqual(['kept', 'swallowed'])
  })

  it('does nothing behind the end of its transaction', async () => {
    let late: Promise<unknown> = Promise.resolve()
    work = async (sql) => {
      late = new Promise((resolve) =>
        setImmediate(() => sql('insert into notes values ($1)', ['late']).then(resolve, resolve)),
      )
    }
    expect((await call('punctual')).effect).toBe('happened')
    expect(String(await late)).toContain('is over')
    expect(await notes()).not.toContain('late')
  })

  it('finds the tenant of its call for row policies of its own', async () => {
    let tenant: unknown
    work = async (sql) => {
      tenant = (await sql("select current_setting('proviso.tenant', true) as tenant")).rows[0]?.tenant
    }
    await call('whose')
    expect(tenant).toBe('acme')
  })
})
