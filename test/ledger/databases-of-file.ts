// The databases of one test file: the server starts before its first test and ends after its last.
import { afterAll, beforeAll } from 'vitest'
import { type Databases, startDatabases } from './databases.ts'

export function databasesOfFile(): Pick<Databases, 'fresh' | 'empty'> {
  let started: Databases | undefined
  beforeAll(async () => {
    started = await startDatabases()
  }, 60_000)
  afterAll(async () => {
    await started?.end()
  }, 60_000)
  const running = (): Databases => {
    if (started === undefined) throw new Error('The databases are there for tests, not before them.')
    return started
  }
  return { fresh: () => running().fresh(), empty: () => running().empty() }
}
