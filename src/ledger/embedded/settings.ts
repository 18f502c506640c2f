// How the server is configured: everything on its command line, nothing in its data folder. Invariant: it is reachable only through its
// socket, and only by the system user that started it; a caller's settings cannot change that.
import { createHash } from 'node:crypto'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../contract/fault.ts'
import { socketPort } from './socket-folder.ts'

/** The environment of initdb and postgres: fixed, so that no PGDATA, PGOPTIONS or locale of the caller changes what they do. */
export const serverEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** The role and the database, both. */
export const databaseName = 'proviso'

/** The role of tools that commit with the ledger. */
export const toolRoleName = 'proviso_tools'

/** The same server and database, as the role of tools. */
export const toolUrlOf = (url: string): string => url.replace(`//${databaseName}@`, `//${toolRoleName}@`)

interface Place {
  readonly home: string
  readonly data: string
  readonly socketFolder: string
}

/** The title that every process of the server bears, by which orphans of a killed one are found. */
export function clusterName(data: string): string {
  return `proviso-${createHash('sha256').update(data).digest('hex').slice(0, 12)}`
}

const tuning = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '128MB',
  max_connections: '100',
  // At full load 1 GB is a checkpoint every 25 seconds, and after each the first change of every page goes to the log as a whole page.
  max_wal_size: '2GB',
  // Compressing those pages took a tenth of the server's time.
  wal_compression: 'off',
  log_checkpoints: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

const isolation = ({ home, data, socketFolder }: Place) => ({
  listen_addresses: '',
  port: String(socketPort),
  unix_socket_directories: `"${socketFolder}"`,
  unix_socket_permissions: '0700',
  unix_socket_group: '',
  hba_file: join(home, 'pg_hba.conf'),
  ident_file: join(home, 'pg_ident.conf'),
  cluster_name: clusterName(data),
  data_directory: data,
  logging_collector: 'off',
  log_destination: 'stderr',
})

const fixed: ReadonlySet<string> = new Set(Object.keys(isolation({ home: '', data: '', socketFolder: '' })))

/** Refuses names that are none, and settings that would open the server to others. */
export function checkSettings(extra: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(extra)) {
    if (!/^[a-z_][a-z0-9_.]*$/.test(name) || fixed.has(name)) {
      throw new Fault('bad_options', `The setting ${name} is not one that an embedded Postgres takes.`)
    }
  }
}

/** The arguments of the postgres command. */
export function serverArguments(place: Place, extra: Readonly<Record<string, string>>): readonly string[] {
  const all = { ...tuning, ...extra, ...isolation(place) }
  return ['-D', place.data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/**
 * Who may connect: through the socket, the system user `client`, as the kernel reports it. The socket's folder keeps strangers out;
 * this also keeps out other programs of the server's user. The files lie in home, which the server's user cannot write.
 */
export async function writeAccessRules(home: string, client: string): Promise<void> {
  await writeReadable(join(home, 'pg_hba.conf'), 'local all all peer map=proviso\n')
  await writeReadable(
    join(home, 'pg_ident.conf'),
    `proviso "${client}" ${databaseName}\nproviso "${client}" ${toolRoleName}\n`,
  )
}

/** Readable to the server's user under every umask. */
async function writeReadable(path: string, text: string): Promise<void> {
  await writeFile(path, text)
  await chmod(path, 0o644)
}
