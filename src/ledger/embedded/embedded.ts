// The ledger on the Postgres that npm ships: a real server in a folder, shared by every process on the machine that opens the same one.
import { join } from 'node:path'
import { checkOptions, nonEmptyText, type OptionTable, textsByName, trueOrFalse } from '../../contract/options.ts'
import type { Ledger } from '../ports/ledger.ts'
import { type PostgresOptions, postgresOptions } from '../postgres/options.ts'
import { postgres } from '../postgres/postgres.ts'
import { toolUrlOf } from './settings.ts'
import { type EmbeddedOptions, startEmbedded } from './start-embedded.ts'

type Options = EmbeddedOptions & Omit<PostgresOptions, 'onClose'>

const { onClose: _ours, ...postgresRows } = postgresOptions

const embeddedOptions: OptionTable<Options> = {
  ...postgresRows,
  dir: nonEmptyText('Give the path of a folder for the server.'),
  user: nonEmptyText('Give the name of an account of this system.'),
  stay: trueOrFalse,
  settings: textsByName('Give settings of Postgres by name, each as a text.'),
}

/** Opens the ledger in this folder, starting its server or attaching to the one that runs. */
export async function embedded(options: Options): Promise<Ledger> {
  checkOptions('embedded', embeddedOptions, options, ['dir'])
  const { dir, user: _user, stay: _stay, settings: _settings, ...others } = options
  const server = await startEmbedded(options)
  try {
    const log = { keyFile: join(dir, 'audit.key'), ...options.log }
    const toolUrl = options.toolUrl ?? toolUrlOf(server.url)
    return await postgres(server.url, { ...others, toolUrl, log, onClose: () => server.release() })
  } catch (error) {
    await server.release()
    throw error
  }
}
