// Whether the server answers, and in our database: asked with a real query, patiently while it starts up.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { errno } from '../files/private-file.ts'
import { toolRoleName } from './settings.ts'

export interface ServerAddress {
  /** The folder of the server's socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  /** There is nothing to encrypt on a socket; said outright, because PGSSLMODE would demand it. */
  readonly ssl: false
}

const cannotConnectNow = '57P03'
const noSuchDatabase = '3D000'
const patienceMs = 120_000
const notListening: ReadonlySet<string | undefined> = new Set([
  cannotConnectNow,
  'ENOENT',
  'ECONNREFUSED',
  'ECONNRESET',
])

/** Made with the first answer, also by a version that found a server without it. */
const makeToolRole = `do $$ begin
  if not exists (select 1 from pg_roles where rolname = '${toolRoleName}') then create role ${toolRoleName} login; end if;
exception when duplicate_object or unique_violation then null;
end $$`

/** True once it answers; false when it has gone meanwhile. Makes the database if it is absent. */
export async function waitForAnswer(connection: ServerAddress, stillRuns: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      await query(connection, makeToolRole)
      return true
    } catch (error) {
      if (errno(error) === noSuchDatabase) {
        await query({ ...connection, database: 'postgres' }, `CREATE DATABASE "${connection.database}"`)
      } else {
        const hopeless = !notListening.has(errno(error)) || performance.now() > deadline
        if (hopeless && (await stillRuns())) throw error
      }
    }
    if (!(await stillRuns())) return false
    await sleep(10)
  }
}

async function query(connection: ServerAddress, text: string): Promise<void> {
  const client = new Client({ ...connection, connectionTimeoutMillis: 30_000 })
  // A server that stops mid-query also emits an error, which would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(text)
  } finally {
    await client.end()
  }
}
