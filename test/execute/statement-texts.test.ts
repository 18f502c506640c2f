// What may run for a tool, by us and by a real server: a part of what `npm run measure:statements` judges.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { disagrees, judgeTexts } from '../../bench/statements/judge-texts.ts'
import { statementTexts } from '../../bench/statements/texts.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.end())

it('is judged alike for hundreds of texts with comments, quotes, escapes and carriage returns [statements-read-by-postgres]', async () => {
  const some = statementTexts.filter((_, index) => index % 5 === 0)
  expect(some.length).toBeGreaterThan(300)
  const judged = await judgeTexts(await databases.empty(), some)
  expect(judged.filter(disagrees)).toEqual([])
  // The server lets some run and refuses others: it is no judge that says one thing.
  expect(judged.filter(({ server: [writes] }) => writes).length).toBeGreaterThan(50)
  expect(judged.filter(({ server: [writes, reads] }) => writes && !reads).length).toBeGreaterThan(5)
  expect(judged.filter(({ server: [writes] }) => !writes).length).toBeGreaterThan(50)
  const [first] = judged
  expect(first && disagrees({ ...first, ours: [!first.server[0], first.server[1]] })).toBe(true)
})
