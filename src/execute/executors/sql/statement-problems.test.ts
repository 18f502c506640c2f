import { describe, expect, it } from 'vitest'
import { scanStatement } from './statement-problems.ts'

const parametersOf = (text: string) => [...scanStatement(text).parameters]

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
    ['select a$1 from t where b = $2', 'select', [2]],
    ['  with x as (select 1) select $1;  -- the end', 'with', [1]],
    ['', '', []],
  ])('is read as Postgres reads it: %s', (text, verb, parameters) => {
    expect(scanStatement(text)).toMatchObject({ verb, broken: undefined })
    expect(parametersOf(text)).toEqual(parameters)
  })

  it.each([
    'select 1; select 2',
    'select 1;;drop table t',
    "select 'a",
    'select "a',
    'select $$a',
    'select /* a /* b */',
  ])('is broken where it is more than one statement, or never ends: %s', (text) => {
    expect(scanStatement(text).broken).toBeDefined()
  })
})
