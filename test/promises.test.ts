// Every promise is kept by a test that names it, and no test names a promise that is not made.
import { expect, test } from 'vitest'
import { citations } from './citations.ts'
import { promises } from './promises.ts'
import { sourceFiles } from './source-files.ts'

const tests = sourceFiles('src', 'test', 'examples').filter(
  // A suite that several engines run lies in files of its own.
  ({ path }) =>
    (path.endsWith('.test.ts') || path.startsWith('test/ledger/suite/')) && path !== 'test/promises.test.ts',
)
const cited = citations(tests)

test('every promise is cited by a test', () => {
  const kept = new Set(cited.map(({ id }) => id))
  expect(Object.keys(promises).filter((id) => !kept.has(id))).toEqual([])
})

test('every citation is a promise', () => {
  expect(cited.filter(({ id }) => !Object.hasOwn(promises, id))).toEqual([])
})

test('citations are found in every form of title', () => {
  const text = [
    "it('replays [same-operation-replays]', () => {})",
    'test("[strict-reading] refuses", () => {})',
    "it.each(rows.map(({ id }) => [id]))('holds for %s [any-deny-wins]', () => {})",
    'describe.skipIf(absent)(`on memory [rate-window] [budget-per-run]`, () => {})',
    "onEveryLedger(\n  'waits [locks-serialize]',\n  () => {},\n)",
    "const pattern = '^[a-z]+$'; const other = /[a-z0-9-]/; rows[first-second]",
  ].join('\n')
  const found = citations([{ path: 'planted.test.ts', text }]).map(({ id }) => id)
  expect(found).toEqual([
    'same-operation-replays',
    'strict-reading',
    'any-deny-wins',
    'rate-window',
    'budget-per-run',
    'locks-serialize',
  ])
})
