// The sql executor in the ledger's own database and in tool files: through the whole pipeline.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  defineTool,
  loadContracts,
  openProviso,
  type Proviso,
  type SqlStatement,
  type ToolSource,
} from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { sql } from '../../src/public/executors.ts'
import { asTools, type Databases, startDatabases } from '../ledger/databases.ts'
import { executionContext } from './execution-context.ts'

const insert: SqlStatement = {
  name: 'book',
  access: 'write',
  text: 'insert into desk.notes (tenant, note, by) values ($1, $2, $3) returning id, note',
  parameters: [{ context: 'tenant' }, { argument: '/note', type: 'text' }, { context: 'user' }],
  expect: { rows: 1 },
  returns: 'row',
}
const count: SqlStatement = {
  name: 'count',
  access: 'read',
  text: 'select count(*) as notes from desk.notes',
  returns: 'row',
}
const find: SqlStatement = {
  name: 'find',
  access: 'read',
  text: 'select note, by from desk.notes where note = $1',
  parameters: [{ argument: '/note', type: 'text' }],
  returns: 'row',
}

const input = {
  type: 'object',
  properties: { note: { type: 'string' } },
  required: ['note'],
  additionalProperties: false,
} as const

const book = defineTool({
  name: 'book_v1',
  description: 'Books a note.',
  effect: 'MEDIUM_RISK_WRITE',
  trusted: true,
  input,
  executor: sql({ database: 'ledger', statements: [insert, count], result: 'book' }),
  verify: {
    target: { note: '/args/note' },
    read: sql({ database: 'ledger', statements: [find] }),
    expect: [{ path: '/by', is: 'equals', from: '/call/user', about: 'actor' }],
    creates: true,
  },
})
const search = defineTool({
  name: 'search_v1',
  description: 'Counts notes.',
  effect: 'READ_ONLY',
  trusted: true,
  input: { type: 'object', additionalProperties: false },
  executor: sql({ database: 'ledger', statements: [count] }),
})
const sly = defineTool({
  name: 'sly_v1',
  description: 'Says that it reads.',
  effect: 'READ_ONLY',
  trusted: true,
  input: { type: 'object', additionalProperties: false },
  executor: sql({ database: 'ledger', statements: [{ ...count, text: 'select sly_note() as notes' }] }),
})

let databases: Databases
let proviso: Proviso
let admin: pg.Client

beforeAll(async () => {
  databases = await startDatabases()
  const url = await databases.fresh()
  admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`
    create schema desk; create table desk.notes (id bigint generated always as identity, tenant text, note text unique, by text);
    alter table desk.notes enable row level security;
    create policy own on desk.notes using (tenant = (select proviso.tenant()));
    grant usage on schema desk, proviso to proviso_tools;
    grant select, insert on desk.notes to proviso_tools;
    create function public.sly_note() returns int language sql as $$ insert into desk.notes (note) values ('sly') returning 1 $$;
  `)
  proviso = await openProviso({ ledger: await postgres(url, asTools(url)), tools: [book, search, sly] })
})

afterAll(async () => {
  await proviso.close()
  await admin.end()
  await databases.end()
})

const call = (tool: string, args: object, callId: string, tenant = 'acme') =>
  proviso.call({ tool, arguments: args, callId }, { tenant, user: 'ada', run: 'run-1' })

describe("statements in the ledger's own database", () => {
  it('take effect with the record of the call, and once [sql-commits-with-record] [TC-174, TC-411]', async () => {
    const answer = await call('book_v1', { note: 'first' }, 'one')
    expect(answer).toMatchObject({ effect: 'happened', value: { id: '1', note: 'first' } })
    expect((await call('book_v1', { note: 'first' }, 'one')).value).toEqual(answer.value)
    expect((await admin.query('select note, tenant, by from desk.notes')).rows).toEqual([
      { note: 'first', tenant: 'acme', by: 'ada' },
    ])
  })

  it('leave nothing behind where one of them fails [sql-commits-with-record] [TC-174, TC-456]', async () => {
    await admin.query("insert into desk.notes (tenant, note) values ('globex', 'taken')")
    const answer = await call('book_v1', { note: 'taken' }, 'two')
    expect(answer).toMatchObject({ effect: 'none', observation: { status: { taxonomy_class: 'SEMANTIC_INVALIDITY' } } })
    expect(JSON.stringify(answer)).toContain('sql_23505')
  })

  it('of a tool that only reads see the rows of its tenant, and cannot write [reads-cannot-write]', async () => {
    expect(await call('search_v1', {}, 'three')).toMatchObject({ value: { notes: '1' } })
    expect(await call('search_v1', {}, 'four', 'nobody')).toMatchObject({ value: { notes: '0' } })
    expect(await call('sly_v1', {}, 'five')).toMatchObject({
      effect: 'none',
      observation: { status: { taxonomy_class: 'POLICY_VIOLATION' } },
    })
    expect((await admin.query("select 1 from desk.notes where note = 'sly'")).rowCount).toBe(0)
  })
})

describe('registration', () => {
  const refusal = async (source: ToolSource) =>
    openProviso({ ledger: memory(), tools: [source] }).then(
      () => 'taken',
      (error: Error) => error.message,
    )
  const tool = (effect: 'READ_ONLY' | 'MEDIUM_RISK_WRITE', statements: readonly SqlStatement[]) =>
    defineTool({
      name: 'tool_v1',
      description: 'Does something.',
      effect,
      input,
      executor: sql({ database: { pool: new pg.Pool() }, statements }),
    })

  it('refuses a ledger without a database', async () => {
    expect(await refusal(search)).toContain('commits-without-database')
  })

  it('refuses a statement that writes in a tool that is declared to read [TC-278, TC-279]', async () => {
    expect(await refusal(tool('READ_ONLY', [insert]))).toContain('refused')
    expect(await refusal(tool('READ_ONLY', [find]))).toBe('taken')
  })

  it.each([
    ['a second statement', { text: 'select 1; select 2' }, 'more than one statement'],
    ['the end of the transaction', { text: 'commit' }, 'begins with commit'],
    ['the end of the transaction in a nested comment', { text: '/* /* */ select */ commit' }, 'begins with commit'],
    ['the end of the role in a nested comment', { text: '/* /* */ select */ reset role' }, 'begins with reset'],
    ['a setting', { text: 'set role postgres' }, 'begins with set'],
    ['a comment before something else', { text: '/* select */ drop table notes' }, 'begins with drop'],
    ['a comment that ends at a carriage return', { text: '-- select\rdrop table notes' }, 'begins with drop'],
    ['a table made by select', { text: 'select 1 as one into notes_too' }, 'makes a table'],
    ['a write in a statement that reads', { text: 'insert into desk.notes values (1)' }, 'begins with insert'],
    [
      'a write within a statement that reads',
      { text: 'with gone as (delete from desk.notes returning 1) select * from gone' },
      'changes or locks rows',
    ],
    ['a lock in a statement that reads', { text: 'select note from desk.notes for update' }, 'changes or locks rows'],
    ['an open quotation mark', { text: "select 'a" }, 'unterminated'],
    ['a character that ends the text for the server', { text: 'select 1\0' }, 'no text in a database can hold'],
    ['a parameter without a value', { text: 'select $1, $2' }, 'no parameter for $2'],
    ['a value without a parameter', { text: 'select \'$1\', $$ $1 $$, "$1" -- $1' }, 'does not use $1'],
  ])('refuses %s [statements-read-by-postgres]', async (_what, change, message) => {
    const statement: SqlStatement = { ...find, ...change }
    expect(await refusal(tool('READ_ONLY', [statement]))).toContain(message)
  })

  it('refuses a broken statement before its first call where registration could not wait', async () => {
    const executor = sql({ database: { pool: new pg.Pool() }, statements: [{ ...find, text: '--\rdrop table notes' }] })
    await expect(executor.run({ note: 'x' }, executionContext())).rejects.toMatchObject({
      code: 'sql_statement',
      effect: 'none',
    })
  })

  it('refuses a pointer that is none as soon as it is defined', () => {
    const statement: SqlStatement = { ...find, parameters: [{ argument: 'note', type: 'text' }] }
    expect(() => sql({ database: 'ledger', statements: [statement] })).toThrow('no pointer')
  })

  it('refuses a setting of the database itself for the tenant', () => {
    expect(() => sql({ database: { pool: new pg.Pool() }, statements: [find], tenantSetting: 'role' })).toThrow(
      'app.tenant',
    )
  })
})

describe('a tool file', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proviso-sql-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const file = async (name: string, statements: readonly unknown[]) => {
    const path = join(folder, `${name}.tool.json`)
    const executor = { kind: 'sql', database: 'ledger', statements, max_rows: 10 }
    await writeFile(path, JSON.stringify({ contract: search.contract, binding: { executor } }))
    return path
  }

  it('declares statements as code does', async () => {
    const [tool] = await loadContracts(await file('good', [count]))
    expect(tool?.binding.executor).toMatchObject({ kind: 'sql', commits: 'ledger', readsOnly: true })
  })

  it('is refused with the place of what is wrong', async () => {
    await expect(loadContracts(await file('bad', [{ ...count, text: 'drop table notes' }]))).rejects.toThrow(
      /bad\.tool\.json#\/binding\/executor: Statement count begins with drop/,
    )
  })
})
