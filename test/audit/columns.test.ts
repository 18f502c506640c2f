// What facts do not vouch for stands in one table: here every column of every table is edited once, in its first row, and rows are inserted
// and deleted. npm run measure:audit does the same to more rows.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { countSwept, sweepColumns } from '../../bench/audit/columns.ts'
import { boundTables } from '../../src/ledger/log/unbound.ts'
import { statement } from '../../src/ledger/postgres/driver/statements.ts'
import { currentFunctions } from '../../src/ledger/postgres/functions/functions.ts'
import { auditDesk } from './audit-desk.ts'

const desk = auditDesk()

it('finds every edit, insert and delete that is not declared harmless [audit-leaves-out-by-name]', async () => {
  const swept = await sweepColumns(await desk.databases.fresh(), join(desk.folder, 'swept.key'), 1)
  const { missed, tables, columns } = countSwept(swept)
  expect(missed).toEqual([])
  expect(tables).toBeGreaterThan(25)
  expect(columns).toBeGreaterThan(180)
}, 600_000)

const writesBound = new RegExp(
  `(?:insert into|update|delete from) proviso\\.(?:${Object.keys(boundTables).join('|')})\\b`,
)
const says = /set_config\('proviso\.writes', 'on', true\)/
/** They change only what facts need not vouch for. */
const changesNothingBound = ['saga-renew', 'saga-wake', 'verifications-claim']

it('binds what every statement and function writes', () => {
  const folder = new URL('../../src/ledger/postgres/statements/', import.meta.url)
  const names = readdirSync(folder).flatMap((file) =>
    [...readFileSync(new URL(file, folder), 'utf8').matchAll(/^-- name: (.+)/gm)].map(([, name = '']) => name),
  )
  const silent = names.filter((name) => writesBound.test(statement(name)) && !says.test(statement(name)))
  expect(silent.toSorted()).toEqual(changesNothingBound)
  const functions = currentFunctions().text.split(/^(?=create function )/m)
  // It is called by one that says so.
  const mute = functions.filter((text) => writesBound.test(text) && !says.test(text))
  expect(mute.map((text) => /proviso\.(\w+)/.exec(text)?.[1])).toEqual(['join_families_v1'])
})
