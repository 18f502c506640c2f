// Every row of the specification is shown by a test that cites it, or says why not; and no test cites what is no row.
import { expect, test } from 'vitest'
import { projectFiles, specificationPage } from '../scripts/specification-page.ts'
import { rowCitations } from './citations.ts'
import { nameOf, reasonOf, reasons, specification } from './specification.ts'

const cited = rowCitations(projectFiles())
const rows = new Map(specification.flatMap(({ rows }) => Object.entries(rows)))
const shown = new Set(cited.map(({ id }) => id))

const numbered = (prefix: string, last: number, digits: number) =>
  Array.from({ length: last }, (_, index) => `${prefix}-${String(index + 1).padStart(digits, '0')}`)

test('the rows are those of the specification, each once', () => {
  const ids = [...numbered('TC', 465, 3), ...numbered('DR', 52, 2), ...numbered('VD', 13, 2), ...numbered('EP', 92, 2)]
  expect([...rows.keys()].toSorted()).toEqual(ids.toSorted())
  expect(specification.reduce((sum, part) => sum + Object.keys(part.rows).length, 0)).toBe(622)
})

test('every row is cited by a test or says why not', () => {
  expect([...rows].filter(([id, row]) => !shown.has(id) && reasonOf(row) === undefined).map(([id]) => id)).toEqual([])
})

test('no row that says why it is not shown is cited', () => {
  expect([...rows].filter(([id, row]) => shown.has(id) && reasonOf(row) !== undefined).map(([id]) => id)).toEqual([])
})

test('every citation is a row', () => {
  expect(cited.filter(({ id }) => !rows.has(id))).toEqual([])
})

test('names differ, and every reason is one of the list and is used', () => {
  const all = [...rows.values()]
  expect(new Set(all.map(nameOf)).size).toBe(all.length)
  const used = new Set(all.map(reasonOf))
  expect(Object.keys(reasons).filter((reason) => !used.has(reason as keyof typeof reasons))).toEqual(unused)
})

/** Reasons that stay in the list though no row has them now: nothing is left to look at, and no row waits for other adapters. */
const unused = ['not looked at yet', 'adapters']

test('forty rows at most are decided otherwise, each with its page', () => {
  const decided = [...rows.values()].flatMap((row) => reasonOf(row)?.match(/^ADR (\d+)$/)?.[1] ?? [])
  expect(decided.length).toBeLessThanOrEqual(40)
})

test('what was not looked at is not printed as shown', () => {
  const page = specificationPage({ 'TC-001': ['A row', 'not looked at yet'], 'TC-002': 'Another' }, [
    { id: 'TC-002', title: 'does it', where: 'test/a.test.ts' },
  ])
  expect(page).toContain('| `TC-001` | A row | Not looked at yet. |')
  expect(page).toContain('| `TC-002` | Another | test/a.test.ts: does it |')
})

test('citations are found in every form of title, and ranges are taken apart', () => {
  const text = [
    "it('replays [same-operation-replays] [TC-101, TC-169 to TC-171]', () => {})",
    'test.each(rows)("holds for %s [VD-03]", () => {})',
    'describe.skipIf(absent)(`is so, too [EP-92]`, () => {})',
    "  'in a line of its own [DR-05] [DR-07]',",
    "const other = ['TC-1', 'TC-999'] // [TC-003]",
  ].join('\n')
  const found = rowCitations([{ path: 'planted.test.ts', text }])
  expect(found.map(({ id }) => id)).toEqual([
    'TC-101',
    'TC-169',
    'TC-170',
    'TC-171',
    'VD-03',
    'EP-92',
    'DR-05',
    'DR-07',
  ])
  expect(found.map(({ title }) => title).filter((title, index, all) => all.indexOf(title) === index)).toEqual([
    'replays',
    'holds for %s',
    'is so, too',
    'in a line of its own',
  ])
})
