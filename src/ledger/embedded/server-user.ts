// The system user that Postgres runs as: the caller itself. Postgres refuses to run as root, and wants an account: for root it is the one that
// the caller names, or `proviso` where the system has it, or else `nobody`. No program of a tool ever runs as the server's user: it could read
// the records of every tenant, and stop the server.
import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { Fault } from '../../contract/fault.ts'
import { errno } from '../files/private-file.ts'

export interface ServerUser {
  /** As `stat` reports it. */
  readonly uid: number
  readonly gid: number
  /** What `spawn` takes; empty when no change of user is needed. */
  readonly spawnAs: { readonly uid?: number; readonly gid?: number }
  /** Another one than the caller, who is root. */
  readonly isOther: boolean
  /** The name of the user that connects, which the server checks with the kernel. */
  readonly clientName: string
}

const run = promisify(execFile)

/**
 * The user of a new server, or of the one whose data are there.
 *
 * @param named The account that root has chosen; `data` decides where it is there already.
 */
export async function findServerUser(named?: string, data?: string): Promise<ServerUser> {
  const { uid, gid, username } = self()
  if (uid !== 0) {
    if (named !== undefined && named !== username)
      throw new Fault(
        'bad_options',
        `Only root can run the server as ${named}; leave user out, and it runs as ${username}.`,
      )
    return { uid, gid, spawnAs: {}, isOther: false, clientName: username }
  }
  const chosen = await account(named)
  const owner = data === undefined ? undefined : await ownerOf(data)
  if (owner !== undefined && named !== undefined && owner.uid !== chosen.uid)
    throw new Fault(
      'bad_options',
      `${data} belongs to user ${owner.uid} and not to ${named}: stop the server and give it to ${named} with chown -hR, or leave user out.`,
    )
  const { uid: user, gid: group } = owner ?? chosen
  return {
    uid: user,
    gid: group,
    // macOS writes `nobody` as -2, which is how spawn wants it; stat and chown want 4294967294.
    spawnAs: { uid: user | 0, gid: group | 0 },
    isOther: true,
    clientName: username,
  }
}

interface Ids {
  readonly uid: number
  readonly gid: number
}

async function account(named: string | undefined): Promise<Ids> {
  if (named === undefined) return (await idsOf('proviso')) ?? (await idsOf('nobody')) ?? { uid: 65_534, gid: 65_534 }
  const found = await idsOf(named)
  // Programs of tools never run as a service of the system; they may run as other accounts.
  if (found !== undefined && (found.uid < 1_000 || named === 'proviso' || named === 'nobody')) return found
  const message = `The system has no account ${named} for a service: make one, such as with useradd --system ${named}, or leave user out.`
  throw new Fault('bad_options', message)
}

/** The data of an earlier start say whose they are. Their folder is root's own, so that no other user can have put them there. */
async function ownerOf(data: string): Promise<Ids | undefined> {
  try {
    const { uid, gid } = await stat(data)
    return uid === 0 ? undefined : { uid, gid }
  } catch (error) {
    if (errno(error) === 'ENOENT') return undefined
    throw error
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

/** Undefined where there is no such account, or where it is root by another name. */
async function idsOf(name: string): Promise<Ids | undefined> {
  const [uid, gid] = await Promise.all([idOf('-u', name), idOf('-g', name)])
  return uid === undefined || gid === undefined ? undefined : { uid, gid }
}

async function idOf(flag: '-u' | '-g', name: string): Promise<number | undefined> {
  try {
    const id = Number((await run('id', [flag, '--', name])).stdout)
    return Number.isInteger(id) && id !== 0 ? id >>> 0 : undefined
  } catch {
    return undefined
  }
}
