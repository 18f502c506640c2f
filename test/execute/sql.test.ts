// The sql executor in a database that is not the ledger's: what it binds, what it returns, and what can never be said through it.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ExecutionContext } from '../../src/contract/tool/executor.ts'
import type { SqlStatement } from '../../src/contract/tool/executor-files/sql-file.ts'
import { ToolError } from '../../src/index.ts'
import type { JsonObject } from '../../src/json/value.ts'
import { sql } from '../../src/public/executors.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { executionContext } from './execution-context.ts'
import { type OverTcp, overTcp } from './over-tcp.ts'

let databases: Databases
let url: string
let pool: pg.Pool

beforeAll(async () => {
  databases = await startDatabases()
  url = await databases.empty()
  pool = new pg.Pool({ connectionString: url, max: 4 })
  // A server that is told to end a session does so; that is what some of these tests are about.
  pool.on('error', () => undefined)
  await pool.query(`
    create table orders (id int primary key, tenant text not null, note text, paid boolean not null default false);
    insert into orders (id, tenant, note) values (1, 'acme', 'first'), (2, 'acme', 'second'), (3, 'globex', 'theirs');
    alter table orders enable row level security;
    create policy own on orders using (tenant = current_setting('app.tenant', true));
    create role app_user;
    grant select, insert, update on orders to app_user;
    create function sly_write() returns int language plpgsql as $$ begin update orders set note = 'written'; return 1; end $$;
    create function stubborn(int) returns int language plpgsql as $$ begin raise exception 'Order % is closed.', $1; end $$;
    create sequence numbers;
  `)
})

afterAll(async () => {
  await pool.end()
  await databases.end()
})

const read = (text: string, ...parameters: NonNullable<SqlStatement['parameters']>): SqlStatement => ({
  name: 'read',
  text,
  access: 'read',
  parameters,
})
const write = (text: string, ...parameters: NonNullable<SqlStatement['parameters']>): SqlStatement => ({
  name: 'write',
  text,
  access: 'write',
  parameters,
})

function run(
  statements: readonly SqlStatement[],
  args: JsonObject = {},
  options: { readonly role?: string; readonly maxRows?: number; readonly context?: Partial<ExecutionContext> } = {},
): Promise<unknown> {
  const { context, ...rest } = options
  return Promise.resolve(sql({ database: { pool }, statements, ...rest }).run(args, executionContext(context)))
}

const failure = (attempt: Promise<unknown>): Promise<ToolError> =>
  attempt.then(
    (value) => Promise.reject(new Error(`It returned ${JSON.stringify(value)}`)),
    (error) => {
      if (error instanceof ToolError) return error
      throw error
    },
  )

const notes = async () => (await pool.query('select note from orders order by id')).rows.map(({ note }) => note)

describe('what a statement returns', () => {
  it('is JSON that loses nothing', async () => {
    const text = `select true as yes, 7::int2 as small, 9007199254740993::bigint as big, 0.10::numeric as money,
      0.1::float8 as ratio, 'NaN'::float8 as nan, date '2026-01-31' as day, timestamptz '2026-01-31 12:00:00.25+02' as instant,
      timestamp '2026-01-31 12:00:00' as local, interval '1 day 2 hours' as span, '\\x00ff'::bytea as bytes,
      '{"a":[1,null]}'::jsonb as doc, '{"a":9007199254740993}'::jsonb as wide, null::int as none,
      array[1,null,3]::int[] as list, array['a "quoted" \\ one','',null,'NULL']::text[] as texts,
      array[[1.5,2],[3,4]]::numeric[] as grid, '{}'::text[] as empty, 'ada'::name as other`
    expect(await run([read(text)])).toEqual({
      truncated: false,
      rows: [
        {
          yes: true,
          small: 7,
          big: '9007199254740993',
          money: '0.10',
          ratio: 0.1,
          nan: 'NaN',
          day: '2026-01-31',
          instant: '2026-01-31T10:00:00.25Z',
          local: '2026-01-31T12:00:00',
          span: 'P1DT2H',
          bytes: 'AP8=',
          doc: { a: [1, null] },
          wide: '{"a": 9007199254740993}',
          none: null,
          list: [1, null, 3],
          texts: ['a "quoted" \\ one', '', null, 'NULL'],
          grid: [
            ['1.5', '2'],
            ['3', '4'],
          ],
          empty: [],
          other: 'ada',
        },
      ],
    })
  })

  it('has no more rows than the cap, and says that there are more [TC-146, TC-281]', async () => {
    const hundred = read('select n from generate_series(1, 100) n')
    expect(await run([hundred], {}, { maxRows: 2 })).toEqual({ rows: [{ n: 1 }, { n: 2 }], truncated: true })
    expect(await run([hundred], {}, { maxRows: 100 })).toMatchObject({ truncated: false })
  })

  it('does not read a billion rows to show two [TC-146]', async () => {
    const endless = read('select generate_series(1, 1000000000000) as n')
    expect(await run([endless], {}, { maxRows: 2 })).toMatchObject({ truncated: true })
  })

  it('is one row, a count, or everything by the names of the statements', async () => {
    const one: SqlStatement = {
      ...read('select id, note from orders where id = $1', { argument: '/id', type: 'integer' }),
      returns: 'row',
    }
    expect(await run([one], { id: 1 })).toEqual({ id: 1, note: 'first' })
    expect(await run([one], { id: 99 })).toBeNull()
    const touch = write('update orders set paid = paid where tenant = $1', { context: 'tenant' })
    expect(await run([touch])).toEqual({ count: 2 })
    expect(await run([one, touch], { id: 2 })).toEqual({ read: { id: 2, note: 'second' }, write: { count: 2 } })
  })

  it('names its columns apart', async () => {
    expect(await failure(run([read('select 1 as a, 2 as a')]))).toMatchObject({ code: 'sql_columns', effect: 'none' })
  })
})

describe('parameters', () => {
  it('are bound by their types', async () => {
    const text = `select $1::text as t, $2::int as i, $3::numeric as n, $4::boolean as b, $5::jsonb as j, $6::timestamptz as at,
      $7::text[] as texts, $8::date as day, $9::text as tenant, $10::text as nothing, $11::int as three`
    const statement = read(
      text,
      { argument: '/t', type: 'text' },
      { argument: '/i', type: 'integer' },
      { argument: '/n', type: 'numeric' },
      { argument: '/b', type: 'boolean' },
      { argument: '/j', type: 'json' },
      { argument: '/at', type: 'timestamp' },
      { argument: '/texts', type: 'text[]' },
      { argument: '/day', type: 'date' },
      { context: 'tenant' },
      { argument: '/absent', type: 'text', optional: true },
      { value: 3 },
    )
    const args = {
      t: "it's",
      i: '7',
      n: '12345678901234567890.5',
      b: false,
      j: { a: ['"', null] },
      at: '2026-01-31T12:00:00+01:00',
      texts: ['{a}', 'b,"c"', '\\', null, 'NULL', ''],
      day: '2026-01-31',
    }
    expect(await run([{ ...statement, returns: 'row' }], args)).toEqual({
      ...args,
      i: 7,
      at: '2026-01-31T11:00:00Z',
      tenant: 'acme',
      nothing: null,
      three: 3,
    })
  })

  const hostile: readonly (readonly [string, string])[] = [
    ['a quotation mark', "x' or '1'='1"],
    ['a second statement', "x'; drop table orders; --"],
    ['a comment', "x' /* "],
    ['the text of a parameter', '$1'],
    ['a dollar quote', '$$; drop table orders; $$'],
    ['a backslash', "\\'; drop table orders; --"],
    ['a copy', "x'; copy orders to program 'touch /tmp/owned'; --"],
    ['another character that looks like a quotation mark', 'xʼ or 1=1'],
  ]
  it.each(hostile)('stay a value: %s [arguments-never-become-sql] [TC-004, TC-276, TC-277]', async (_what, note) => {
    const find = read('select $1::text as given, count(*)::int as found from orders where note = $1', {
      argument: '/note',
      type: 'text',
    })
    expect(await run([{ ...find, returns: 'row' }], { note })).toEqual({ given: note, found: 0 })
    const list = read('select ($1::text[])[1] as given', { argument: '/note', type: 'text[]' })
    expect(await run([{ ...list, returns: 'row' }], { note: [note] })).toEqual({ given: note })
    expect(await notes()).toHaveLength(3)
  })

  const misfits: readonly (readonly [
    string,
    JsonObject,
    'text' | 'integer' | 'numeric' | 'boolean' | 'timestamp' | 'date' | 'text[]',
  ])[] = [
    ['a list where a text is bound', { v: ["' or 1=1"] }, 'text'],
    ['an object where a text is bound', { v: { toString: 'x' } }, 'text'],
    ['a NUL', { v: 'a\0b' }, 'text'],
    ['a NUL in a list', { v: ['a\0b'] }, 'text[]'],
    ['SQL where a number is bound', { v: '1; drop table orders' }, 'integer'],
    ['SQL where a decimal is bound', { v: '1 or 1=1' }, 'numeric'],
    ['a word where a boolean is bound', { v: 'true' }, 'boolean'],
    ['a word that Postgres would take for a time', { v: 'now' }, 'timestamp'],
    ['a word that Postgres would take for a date', { v: 'tomorrow' }, 'date'],
    ['an object in a list', { v: [{}] }, 'text[]'],
    ['nothing', {}, 'text'],
    ['null', { v: null }, 'text'],
    ['a name of the prototype', { constructor: 'x' }, 'text'],
  ]
  it.each(misfits)(
    'are refused before anything is sent: %s [arguments-never-become-sql] [TC-277]',
    async (_what, args, type) => {
      const statement = read('select $1', { argument: '/v', type })
      expect(await failure(run([statement], args))).toMatchObject({
        code: 'sql_argument',
        class: 'TYPE_MISMATCH',
        effect: 'none',
      })
    },
  )
})

describe('rows of another tenant', () => {
  const all = read('select id from orders order by id')
  it('are out of sight under row policies [tenants-stay-apart-in-sql] [TC-140, TC-280]', async () => {
    const seen = (tenant: string) => run([all], {}, { role: 'app_user', context: { tenant } })
    expect(await seen('acme')).toMatchObject({ rows: [{ id: 1 }, { id: 2 }] })
    expect(await seen('globex')).toMatchObject({ rows: [{ id: 3 }] })
    expect(await seen("acme' or true --")).toMatchObject({ rows: [] })
  })

  it('cannot be changed or made [TC-280]', async () => {
    const role = { role: 'app_user' }
    const change = write('update orders set note = $1 where id = 3', { argument: '/note', type: 'text' })
    expect(await run([change], { note: 'mine' }, role)).toEqual({ count: 0 })
    const make = write("insert into orders (id, tenant) values (9, 'globex')")
    expect(await failure(run([make], {}, role))).toMatchObject({ code: 'sql_42501', effect: 'none' })
  })

  it('stay out of sight on a connection that served their tenant a moment ago', async () => {
    const narrow = new pg.Pool({ connectionString: url, max: 1 })
    const executor = sql({ database: { pool: narrow }, statements: [all], role: 'app_user' })
    expect(await executor.run({}, executionContext({ tenant: 'globex' }))).toMatchObject({ rows: [{ id: 3 }] })
    expect(await executor.run({}, executionContext({ tenant: 'nobody' }))).toMatchObject({ rows: [] })
    const { rows } = await narrow.query("select current_user as who, current_setting('app.tenant', true) as tenant")
    expect(rows[0]).toMatchObject({ tenant: '' })
    expect(rows[0]?.who).not.toBe('app_user')
    await narrow.end()
  })
})

describe('a statement that reads', () => {
  const sly = read('select sly_write()')
  it.each([
    ['by a function', sly],
    ['by a sequence', read("select nextval('numbers')")],
    ['in a with clause', read('with gone as (delete from orders returning *) select * from gone')],
  ])('cannot write %s [reads-cannot-write] [TC-278, TC-279]', async (how, statement) => {
    expect(await failure(run([statement]))).toMatchObject({
      // What its own words say is refused before anything is sent, what a function does by the database.
      code: how === 'in a with clause' ? 'sql_statement' : 'sql_25006',
      class: 'POLICY_VIOLATION',
      effect: 'none',
    })
    expect(await notes()).toEqual(['first', 'second', 'theirs'])
  })

  it('cannot write within a tool that may, and the rest of it is undone', async () => {
    const paid = write('update orders set paid = true where id = 1')
    expect(await failure(run([paid, sly]))).toMatchObject({ code: 'sql_25006', effect: 'none' })
    expect((await pool.query('select paid from orders where id = 1')).rows).toEqual([{ paid: false }])
  })

  it('leaves what follows it free to write', async () => {
    const before = read('select paid from orders where id = 1')
    const touch = write('update orders set paid = false where id = 1')
    expect(await run([before, touch, { ...before, name: 'after' }])).toMatchObject({ write: { count: 1 } })
  })
})

describe('a change', () => {
  it('is undone as a whole where it meets another number of rows than it must', async () => {
    const first = write("update orders set note = 'changed' where id = 1")
    const second: SqlStatement = {
      ...write("update orders set note = 'changed' where id = 99"),
      name: 'second',
      expect: { rows: 1 },
    }
    expect(await failure(run([first, second]))).toMatchObject({
      code: 'sql_rows',
      class: 'STALE_STATE',
      effect: 'none',
    })
    expect(await notes()).toEqual(['first', 'second', 'theirs'])
  })

  it('may change more rows than are shown', async () => {
    const statement = write(
      'insert into orders (id, tenant) select n, $1 from generate_series(100, 149) n returning id',
      { context: 'tenant' },
    )
    expect(await run([statement], {}, { maxRows: 3 })).toMatchObject({ truncated: true })
    expect((await pool.query('delete from orders where id >= 100')).rowCount).toBe(50)
  })

  it('fails by the code of the database and without its words about values', async () => {
    const again = write(
      'insert into orders (id, tenant, note) values (1, $1, $2)',
      { context: 'tenant' },
      { argument: '/note', type: 'text' },
    )
    const twice = await failure(run([again], { note: 'top secret' }))
    expect(twice).toMatchObject({ code: 'sql_23505', class: 'SEMANTIC_INVALIDITY', effect: 'none' })
    expect(twice.message).toContain('orders_pkey')
    expect(twice.message).not.toContain('top secret')
    const refused = await failure(run([write('select stubborn(7)')]))
    expect(refused).toMatchObject({ code: 'sql_P0001', effect: 'none' })
    expect(refused.message).toContain('Order 7 is closed.')
  })

  it('ends with its time [TC-103]', async () => {
    const slow = write('select pg_sleep(30)')
    expect(await failure(run([slow], {}, { context: { timeoutMs: 50 } }))).toMatchObject({
      code: 'sql_57014',
      class: 'TIMEOUT',
      effect: 'none',
    })
  })

  it('is cancelled when the caller goes away, and says that nothing was done', async () => {
    const controller = new AbortController()
    const slow = run([write('select pg_sleep(30)')], {}, { context: { signal: controller.signal } })
    setTimeout(() => controller.abort(), 50)
    expect(await failure(slow)).toMatchObject({ effect: 'none' })
    const running =
      "select 1 from pg_stat_activity where query like '%pg_sleep(30)%' and state = 'active' and pid <> pg_backend_pid()"
    await expect.poll(async () => (await pool.query(running)).rowCount).toBe(0)
  })

  it('had no effect where the connection is lost before COMMIT', async () => {
    const lost = [
      write("update orders set note = 'lost' where id = 1"),
      { ...write('select pg_terminate_backend(pg_backend_pid())'), name: 'end' },
    ]
    expect(await failure(run(lost))).toMatchObject({ effect: 'none', class: 'DEPENDENCY_UNAVAILABLE' })
    expect(await notes()).toEqual(['first', 'second', 'theirs'])
  })
})

describe('a connection that is lost during COMMIT', () => {
  it('leaves the effect unknown', async () => {
    const proxy = await overTcp(url, { cutAtCommit: true })
    const through = new pg.Pool({ connectionString: proxy.url, max: 1 })
    through.on('error', () => undefined)
    const executor = sql({
      database: { pool: through },
      statements: [write('update orders set paid = true where id = 2')],
    })
    expect(await failure(Promise.resolve(executor.run({}, executionContext())))).toMatchObject({
      code: 'sql_connection',
      effect: 'unknown',
    })
    await expect
      .poll(async () => (await pool.query('select paid from orders where id = 2')).rows)
      .toEqual([{ paid: true }])
    await through.end()
    await proxy.close()
  })
})

describe('a database behind a credential', () => {
  const statements = [read('select 1 as one')]
  const executor = () => sql({ database: { credential: 'db' }, statements })
  let tcp: OverTcp
  beforeAll(async () => {
    tcp = await overTcp(url)
  })
  afterAll(() => tcp.close())
  const context = (changes: Partial<ExecutionContext['egress']> = {}, given = tcp.url): Partial<ExecutionContext> => ({
    credentials: new Map([['db', given]]),
    egress: {
      policy: 'private_network_only',
      domains: [],
      connections: { ports: [tcp.port], loopback: true, plain: false },
      ...changes,
    },
  })

  it('is connected to where the egress policy allows it', async () => {
    const one = executor()
    expect(await one.run({}, executionContext(context()))).toMatchObject({ rows: [{ one: 1 }] })
    await one.close?.()
    expect(one.connects).toBe(true)
  })

  it.each([
    ['its port is not listed', { connections: { ports: [], loopback: true, plain: true } }, 'egress_refused'],
    [
      'it is this machine and that is not allowed',
      { connections: { ports: [1], loopback: false, plain: true } },
      'egress_refused',
    ],
    ['the policy is none', { policy: 'none' as const }, 'egress_refused'],
    [
      'its name is not listed',
      { policy: 'allowlisted_domains' as const, domains: ['db.example.com'] },
      'egress_refused',
    ],
  ])('is not connected to where %s', async (_why, egress, code) => {
    const one = executor()
    expect(await failure(Promise.resolve(one.run({}, executionContext(context(egress)))))).toMatchObject({
      code,
      effect: 'none',
    })
  })

  it.each(['nonsense', 'https://example.com/', 'postgres://h/db?host=/tmp', 'postgres:///db'])(
    'is not connected to where its URL is %s',
    async (given) => {
      const attempt = Promise.resolve(executor().run({}, executionContext(context({}, given))))
      expect(await failure(attempt)).toMatchObject({ code: 'sql_url', effect: 'none' })
    },
  )

  it('is not connected to in the open where its URL asks for encryption and takes it back', async () => {
    const given = 'postgres://u:p@93.184.215.14/db?sslmode=require&sslmode=disable'
    const egress = {
      policy: 'unrestricted_with_approval' as const,
      connections: { ports: [], loopback: false, plain: false },
    }
    const attempt = Promise.resolve(executor().run({}, executionContext(context(egress, given))))
    expect(await failure(attempt)).toMatchObject({ code: 'egress_refused', effect: 'none' })
  })

  it('is told to be missing where the credential is', async () => {
    expect(await failure(Promise.resolve(executor().run({}, executionContext())))).toMatchObject({
      code: 'credential_missing',
      effect: 'none',
    })
  })
})
