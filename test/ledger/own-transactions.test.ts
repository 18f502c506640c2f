// What a tool may do in the transaction that commits with its record, and what it may not.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LedgerSql } from '../../src/contract/tool/executor.ts'
import { defineTool, openProviso, type Proviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { asTools, type Databases, startDatabases } from './databases.ts'

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
  await admin.query(
    'create table public.notes (note text); create table public.days (day text primary key); create table public.dated (note text, day text references public.days deferrable initially deferred); grant select, insert on public.notes, public.dated to proviso_tools; grant select on public.days to proviso_tools',
  )
  await admin.end()
  proviso = await openProviso({ ledger: await postgres(url, asTools(url)), tools: [book] })
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
      tenant = (await sql('select proviso.tenant() as tenant')).rows[0]?.tenant
    }
    await call('whose')
    expect(tenant).toBe('acme')
  })

  it('is logged in as a role of its own, which no statement can leave [tool-role-own-login]', async () => {
    let found: Record<string, unknown> | undefined
    work = async (sql) => {
      const words = `session_user::text as session, current_user::text as current, pg_has_role(session_user, 'proviso', 'MEMBER') as becomes`
      found = (await sql(`select ${words}`)).rows[0]
    }
    expect((await call('who')).effect).toBe('happened')
    expect(found).toEqual({ session: 'proviso_tools', current: 'proviso_tools', becomes: false })
    for (const text of [
      "select set_config('role', 'proviso', true)",
      'select * from proviso.idempotency_keys',
      'select * from proviso.tool_transactions',
      "insert into proviso.tool_transactions values (pg_current_xact_id(), 'globex', gen_random_uuid())",
      "update proviso.tool_transactions set tenant = 'globex'",
      "insert into proviso.tool_tickets values ('01890000-0000-7000-8000-000000000001', 'globex', now())",
      "select proviso.tool_begin_v1('globex', null, null, gen_random_uuid())",
      "select proviso.tool_begin_v1('acme', 'slot', 1, gen_random_uuid())",
      'select proviso.lock_slots_v1(null)',
      'update proviso.calls set status = status',
    ]) {
      work = (sql) => sql(text)
      const answer = await call(`as owner: ${text}`)
      expect([text, answer.effect, answer.observation.status.is_error]).toEqual([text, 'none', true])
    }
  })

  it('has the tenant of its call in a row that no setting changes [tool-tenant-in-a-row]', async () => {
    let found: unknown
    work = async (sql) => {
      await sql("select set_config('proviso.tenant', 'globex', true), set_config('search_path', 'evil', true)")
      found = (await sql('select proviso.tenant() as tenant')).rows
    }
    expect((await call('tenant')).effect).toBe('happened')
    expect(found).toEqual([{ tenant: 'acme' }])
  })

  it('settles whatever its statements have set, and by nothing that they have made [tool-role-own-login]', async () => {
    work = async (sql, note) => {
      await sql(
        "select set_config('transform_null_equals', 'on', true), set_config('search_path', 'pg_temp, public', true), set_config('proviso.clock_offset_ms', '-900000000', true), set_config('standard_conforming_strings', 'off', true)",
      )
      await sql('insert into public.notes values ($1)', [note])
    }
    expect((await call('settings kept out')).effect).toBe('happened')
    expect((await call('settings kept out')).effect).toBe('happened')
    expect((await notes()).filter((note) => note === 'settings kept out')).toHaveLength(1)
  })

  it('is told of a deferred constraint that it breaks, and not to make the same call again [deferred-constraint-is-failure]', async () => {
    work = (sql, note) => sql('insert into public.dated (note, day) values ($1, $2)', [note, 'never'])
    const answer = await call('deferred')
    expect([answer.effect, answer.response.retryable]).toEqual(['none', false])
    expect(JSON.stringify(answer)).toContain('dated_day_fkey')
  })
})

describe('a role for tools', () => {
  const opened = async (prepare: string) => {
    const url = await databases.fresh()
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query(prepare)
    await admin.end()
    return postgres(url, asTools(url)).then(
      async (ledger) => {
        await ledger.close()
        return 'opened'
      },
      (error: Error) => error.message,
    )
  }

  it('is refused where it could do more than settle its attempt [tool-role-own-login]', async () => {
    const restore = 'alter role proviso_tools nosuperuser nobypassrls'
    expect(await opened('select 1')).toBe('opened')
    expect(await opened('alter role proviso_tools superuser')).toContain('is a superuser')
    expect(await opened(`${restore}; alter role proviso_tools bypassrls`)).toContain('bypasses row policies')
    expect(await opened(`${restore}; grant proviso to proviso_tools`)).toContain('may become a role')
    expect(await opened('revoke proviso from proviso_tools; grant proviso_reader to proviso_tools')).toContain(
      'may become a role',
    )
    expect(
      await opened('revoke proviso_reader from proviso_tools; grant select on proviso.calls to proviso_tools'),
    ).toContain('has rights to tables of the ledger')
    expect(await opened('grant create on schema proviso to proviso_tools')).toContain('may make things')
    expect(await opened('select 1')).toBe('opened')
  })

  it('is the ledger itself in no case, and has to be there [tool-role-own-login]', async () => {
    const url = await databases.fresh()
    await expect(postgres(url, { toolUrl: url })).rejects.toThrow(
      'is a superuser, and bypasses row policies, and owns the ledger',
    )
    await expect(postgres(url, { toolUrl: url.replace('//proviso@', '//stranger@') })).rejects.toThrow(
      'no role stranger',
    )
  })

  it('is missing where the ledger is given none, and then no tool commits with it', async () => {
    const tool = defineTool({
      name: 'none_v1',
      description: 'Commits with the ledger.',
      effect: 'MEDIUM_RISK_WRITE',
      commits: 'ledger',
      input: { type: 'object', additionalProperties: false },
      execute: () => ({}),
    })
    const ledger = await postgres(await databases.fresh())
    await expect(openProviso({ ledger, tools: [tool] })).rejects.toThrow('commits-without-role')
    await ledger.close()
  })
})
