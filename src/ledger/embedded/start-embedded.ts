// Starts the Postgres that npm ships, or attaches to the one that already runs in the folder; the last user to leave stops it.
// Invariant: joining, leaving, starting and stopping happen under one lock, so that no process is handed a server that is being stopped.
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../contract/fault.ts'
import { withLock } from '../files/lock.ts'
import { errno } from '../files/private-file.ts'
import { isAlive, nameOfThisProcess } from '../files/process-identity.ts'
import { type ServerAddress, waitForAnswer } from './answers.ts'
import { readyBinaries } from './binaries.ts'
import { dataFolderOf, ensureCluster } from './cluster.ts'
import { findHome } from './home.ts'
import { findPostgresPackage, type PostgresPackage, type TargetMachine } from './postgres-package.ts'
import { failed, findPostmaster, isPostmaster, launchPostmaster, stopPostmaster } from './postmaster.ts'
import { findServerUser, type ServerUser } from './server-user.ts'
import { checkSettings, databaseName, serverArguments, writeAccessRules } from './settings.ts'
import { findSocketFolder, makeSocketFolder, removeShortSocketFolder, socketPort } from './socket-folder.ts'

export interface EmbeddedOptions {
  /** The server's own folder, made if absent. Not to be shared between containers or machines. */
  readonly dir: string
  /**
   * The account that the server runs as where this process is root, which Postgres refuses: `proviso` by default where the system has it, else
   * `nobody`. A folder that has data already keeps the user whose they are.
   */
  readonly user?: string
  /** True leaves the server running when its last user leaves, now and later; false takes that back. */
  readonly stay?: boolean
  /** Settings of Postgres beyond ours; they count when this call starts the server, not when it attaches to one. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface EmbeddedServer {
  /** What the pool of `pg` takes. */
  readonly connection: ServerAddress
  /** The same as one text. */
  readonly url: string
  /**
   * Says that this caller is done; end its connections first. The last one stops the server, unless told to stay. A process that ends
   * without it leaves the server running, and no longer counts: the next to release stops it.
   */
  release(): Promise<void>
}

interface Site {
  readonly binaries: PostgresPackage
  readonly user: ServerUser
  readonly home: string
  readonly data: string
}

/** This process is one user of a server, however often it asked for it. */
const registrations = new Map<string, { readonly name: string; handles: number }>()

/** `machine` is the one to find binaries for: this one, except in tests. */
export async function startEmbedded(
  options: EmbeddedOptions,
  machine: TargetMachine = process,
): Promise<EmbeddedServer> {
  const settings = options.settings ?? {}
  checkSettings(settings)
  const binaries = findPostgresPackage(machine)
  try {
    const chosen = await findServerUser(options.user)
    const home = await findHome(options.dir, chosen)
    const user = await findServerUser(options.user, dataFolderOf(home))
    const site = { binaries, user, home, data: dataFolderOf(home) }
    const connection = await withLock(lockOf(home), () => enter(site, settings, options.stay))
    let released: Promise<void> | undefined
    return {
      connection,
      url: `postgres://${connection.user}@${encodeURIComponent(connection.host)}:${connection.port}/${connection.database}?sslmode=disable`,
      release() {
        released ??= release(home)
        return released
      },
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    const message = `Postgres could not be started in ${options.dir}: ${cause instanceof Error ? cause.message : cause}`
    throw new Fault('embedded_failed', message, { cause })
  }
}

const lockOf = (home: string) => join(home, 'start.lock')
const stayMarkOf = (home: string) => join(home, 'stay')

async function enter(
  site: Site,
  settings: Readonly<Record<string, string>>,
  stay: boolean | undefined,
): Promise<ServerAddress> {
  const { home } = site
  const registration = registrations.get(home) ?? { name: nameOfThisProcess(), handles: 0 }
  registrations.set(home, registration)
  registration.handles += 1
  try {
    await addUser(home, registration.name)
    if (stay === true) await writeFile(stayMarkOf(home), '')
    if (stay === false) await rm(stayMarkOf(home), { force: true })
    return await serve(site, settings)
  } catch (error) {
    // The reason it failed is worth more than a second failure while leaving.
    await leave(home).catch(() => {})
    throw error
  }
}

/** Attaches to the server that runs, or starts one; again if it went away in between. */
async function serve(site: Site, settings: Readonly<Record<string, string>>): Promise<ServerAddress> {
  const { home, data, user } = site
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if ((await findPostmaster(data)) === undefined) await start(site, settings)
    const pid = await findPostmaster(data)
    if (pid === undefined) continue
    const host = await findSocketFolder(home, user)
    const connection = { host, port: socketPort, user: databaseName, database: databaseName, ssl: false } as const
    try {
      if (await waitForAnswer(connection, () => isPostmaster(pid, data))) return connection
    } catch (cause) {
      throw await failed(home, `Postgres runs in ${home} and does not answer: ${String(cause)}`, cause)
    }
  }
  throw await failed(home, `Postgres in ${home} goes away whenever it is started`)
}

async function start({ binaries, user, home, data }: Site, settings: Readonly<Record<string, string>>): Promise<void> {
  const ready = await readyBinaries(binaries)
  await ensureCluster({ home, binaries: ready, user, version: binaries.version })
  const socketFolder = await makeSocketFolder(home, user)
  await writeAccessRules(home, user.clientName)
  const args = serverArguments({ home, data, socketFolder }, settings)
  await launchPostmaster({ home, data, binaries: ready, args, user })
}

async function release(home: string): Promise<void> {
  try {
    await withLock(lockOf(home), () => leave(home))
  } catch (error) {
    // The folder was removed under the server, which notices within a minute and ends by itself.
    if (errno(error) !== 'ENOENT') throw error
  }
}

async function leave(home: string): Promise<void> {
  const registration = registrations.get(home)
  if (registration === undefined) return
  registration.handles -= 1
  if (registration.handles > 0) return
  registrations.delete(home)
  await removeUser(home, registration.name)
  if (existsSync(stayMarkOf(home)) || (await anyUserLeft(home))) return
  const data = dataFolderOf(home)
  const pid = await findPostmaster(data)
  if (pid !== undefined) await stopPostmaster(home, data, pid)
  await removeShortSocketFolder(home)
}

/** One empty file for each process that uses the server, named after the process. A dead process never counts. */
const usersOf = (home: string) => join(home, 'users')

async function addUser(home: string, name: string): Promise<void> {
  await mkdir(usersOf(home), { recursive: true, mode: 0o700 })
  await writeFile(join(usersOf(home), name), '')
}

async function removeUser(home: string, name: string): Promise<void> {
  await rm(join(usersOf(home), name), { force: true })
}

/** Whether any living process is registered; removes the files of dead ones. */
async function anyUserLeft(home: string): Promise<boolean> {
  const names = await readdir(usersOf(home))
  const dead = names.filter((name) => !isAlive(name))
  await Promise.all(dead.map((name) => removeUser(home, name)))
  return dead.length < names.length
}
