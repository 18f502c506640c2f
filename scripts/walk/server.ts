// A Postgres for the walks: the embedded one, in a folder of its own that goes with it.
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../../src/ledger/embedded/start-embedded.ts'

export interface WalkServer {
  /** The URL of a new, empty database. */
  database(name: string): Promise<string>
  stop(): Promise<void>
}

export async function startServer(): Promise<WalkServer> {
  const dir = await mkdtemp(join(tmpdir(), 'proviso-walk-'))
  const server = await startEmbedded({ dir })
  const admin = new pg.Client(server.connection)
  await admin.connect()
  return {
    async database(name) {
      await admin.query(`create database walk_${name}`)
      const url = new URL(server.url)
      url.pathname = `/walk_${name}`
      return url.href
    },
    async stop() {
      await admin.end()
      await server.release()
      // As root the server's files may lie elsewhere, and the link in its folder says where.
      const home = await realpath(join(dir, 'home')).catch(() => dir)
      for (const folder of [home, dir]) await rm(folder, { recursive: true, force: true })
    },
  }
}
