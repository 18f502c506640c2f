// The ledger on the Postgres that npm ships: a real server in a folder, shared by every process on the machine that opens the same one.
import { join } from 'node:path'
import type { Ledger } from '../ports/ledger.ts'
import { type PostgresOptions, postgres } from '../postgres/postgres.ts'
import { type EmbeddedOptions, startEmbedded } from './start-embedded.ts'

/** Opens the ledger in this folder, starting its server or attaching to the one that runs. */
export async function embedded(options: EmbeddedOptions & Omit<PostgresOptions, 'onClose'>): Promise<Ledger> {
  const server = await startEmbedded(options)
  try {
    const log = { keyFile: join(options.dir, 'audit.key'), ...options.log }
    return await postgres(server.url, { ...options, log, onClose: () => server.release() })
  } catch (error) {
    await server.release()
    throw error
  }
}
