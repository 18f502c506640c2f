// The system user that Postgres runs as: the caller itself, or `nobody` for root, because Postgres refuses to run as root.
import { execFile } from 'node:child_process'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { Fault } from '../../contract/fault.ts'

export interface ServerUser {
  /** As `stat` reports it. */
  readonly uid: number
  readonly gid: number
  /** What `spawn` takes; empty when no change of user is needed. */
  readonly spawnAs: { readonly uid?: number; readonly gid?: number }
  readonly isNobody: boolean
  /** The name of the user that connects, which the server checks with the kernel. */
  readonly clientName: string
}

const run = promisify(execFile)

let found: Promise<ServerUser> | undefined

/** Looked up once; as root that takes two commands. */
export function findServerUser(): Promise<ServerUser> {
  found ??= lookUp()
  return found
}

async function lookUp(): Promise<ServerUser> {
  const { uid, gid, username } = self()
  if (uid !== 0) return { uid, gid, spawnAs: {}, isNobody: false, clientName: username }
  const [user, group] = await Promise.all([idOf('-u'), idOf('-g')])
  return {
    uid: user >>> 0,
    gid: group >>> 0,
    // macOS writes this user as -2, which is how spawn wants it; stat and chown want 4294967294.
    spawnAs: { uid: user | 0, gid: group | 0 },
    isNobody: true,
    clientName: username,
  }
}

function self() {
  try {
    return userInfo()
  } catch (cause) {
    const message = `The embedded Postgres needs a named user, and user ${process.geteuid?.()} is not in the user database; use postgres(url).`
    throw new Fault('embedded_unavailable', message, { cause })
  }
}

async function idOf(flag: '-u' | '-g'): Promise<number> {
  try {
    const id = Number((await run('id', [flag, 'nobody'])).stdout)
    return Number.isInteger(id) && id !== 0 ? id : 65534
  } catch {
    return 65534
  }
}
