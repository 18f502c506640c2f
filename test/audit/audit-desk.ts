// What the tests of the log work on: databases of their own, and a folder for keys and checkpoints, both gone with the last of them.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Databases, startDatabases } from '../ledger/databases.ts'

export interface AuditDesk {
  databases: Databases
  folder: string
}

/** Filled before the first test of the file that asks for it. */
export function auditDesk(): AuditDesk {
  const desk = {} as AuditDesk
  beforeAll(async () => {
    desk.databases = await startDatabases()
    desk.folder = await mkdtemp(join(tmpdir(), 'proviso-audit-'))
  }, 60_000)
  afterAll(async () => {
    await desk.databases.end()
    await rm(desk.folder, { recursive: true, force: true })
  }, 60_000)
  return desk
}
