import { beforeAll, describe, expect, it } from 'vitest'
import { type ReadStatement, statementReader } from '../../../ledger/exact/read-statement.ts'

let read: ReadStatement
beforeAll(async () => {
  read = await statementReader()
})

describe('the text of a statement', () => {
  it.each([
    ['select $1, $2', 'select', [1, 2]],
    ["SELECT '$1 -- ;' , $2", 'select', [2]],
    ["select E'it\\'s $1', $2", 'select', [2]],
    ["select 'it''s $1', $2", 'select', [2]],
    ['select "a$1""b", $2', 'select', [2]],
    ['select $$ $1; $$, $2', 'select', [2]],
    ['select $tag$ $1 $$ $tag$, $2', 'select', [2]],
    ['/* a /* nested $1 */ comment */ select $2', 'select', [2]],
    ['-- $1\nselect $2', 'select', [2]],
    ['-- $1\rselect $2', 'select', [2]],
    ['select a$1 from t where b = $2', 'select', [2]],
    ['  with x as (select 1) select $1;  -- the end', 'select', [1]],
    ['table orders', 'select', []],
    ['values ($1)', 'select', [1]],
    ['merge into a using b on true when matched then delete', 'merge', []],
  ])('is read as Postgres reads it: %s', (text, kind, parameters) => {
    const reading = read(text)
    expect(reading).toMatchObject({ ok: true, kind })
    expect(reading.ok && [...reading.parameters].sort()).toEqual(parameters)
  })

  it.each([
    'select 1; select 2',
    'select 1;;drop table t',
    "select 'a",
    'select "a',
    'select $$a',
    'select /* a /* b */',
    '',
    '-- nothing',
    '--\rdrop table t',
    '/* /* */ select */ commit',
    'select 1 into t',
    'select 1 union (select 2 into t)',
    `select ${'(select '.repeat(50_000)}`,
    `select 1${'+1'.repeat(100_000)}`,
    'select 1\0',
    "select '\ud800'",
  ])('has no kind where it is none, more than one, or one that no tool may send: %s', (text) => {
    expect(read(text)).toMatchObject({ ok: false })
  })

  it.each([
    ['select 1', false],
    ['select pg_sleep(1)', false],
    ['select 1 for update', true],
    ['with x as (delete from t returning 1) select 1', true],
    ['select (select 1 from t for share)', true],
    ['insert into t values (1)', true],
    ["select 'for update', 'delete from t'", false],
  ])('says whether it writes by its own words: %s', (text, writes) => {
    expect(read(text)).toMatchObject({ ok: true, writes })
  })
})
