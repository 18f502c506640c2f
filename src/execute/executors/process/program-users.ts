// The users that programs run as where Proviso is root: a number for each tenant, given by the host, so that no tenant's program reads, ends
// or traces what belongs to another one or to the ledger. Each is tried once, when a Proviso is opened.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Fault } from '../../../contract/fault.ts'
import { systemProgram } from './program.ts'
import { hasCallGroups, isMapped, isRoot, noCallGroups, runAs } from './run-as.ts'

export interface ProgramOptions {
  /**
   * The user that programs of each tenant run as where this process is root: numbers that need no account, each for one tenant alone, as in
   * `{ acme: 200001 }`. They count for nothing where this process is not root.
   */
  readonly users?: Readonly<Record<string, number>> | undefined
}

export interface ProgramUsers {
  readonly users: ReadonlyMap<string, number>
  /** This process is root, and there are none. */
  readonly isMissing: boolean
}

/** Throws a Fault that says what to write instead. */
export function openProgramUsers(options: ProgramOptions): ProgramUsers {
  const entries = Object.entries(options.users ?? {})
  if (entries.length === 0 || !isRoot()) return { users: new Map(), isMissing: isRoot() }
  const accounts = systemAccounts()
  const tenantOf = new Map<number, string>()
  for (const [tenant, user] of entries) {
    const at = `openProviso: programs.users.${tenant} is ${user}`
    if (!Number.isSafeInteger(user) || user < 1 || user > 0x7fff_fffe)
      throw refused(`${at}. Give a whole number above 0, such as 200001; programs never run as root.`)
    const account = accounts.get(user)
    if (account !== undefined)
      throw refused(
        `${at}, which is the account ${account} of this system. Give a number that no service runs as, such as 200001.`,
      )
    const other = tenantOf.get(user)
    if (other !== undefined)
      throw refused(
        `${at}, as is ${other}. Give each tenant a number of its own: one user can read what the other runs.`,
      )
    if (!isMapped('uid', user))
      throw refused(`${at}, and this container has no such user. Give a number that /proc/self/uid_map lists.`)
    tenantOf.set(user, tenant)
  }
  if (!hasCallGroups()) throw refused(`openProviso: programs.users. ${noCallGroups}`)
  const problem = tried(entries[0]?.[1])
  if (problem !== undefined)
    throw refused(
      `openProviso: programs.users. No program can be started as another user here (${problem}): leave it out, and give tools bubblewrap.`,
    )
  return { users: new Map(entries), isMissing: false }
}

/** Runs a program that does nothing; about 2 ms. */
function tried(user: number | undefined): string | undefined {
  const { status, error } = spawnSync(systemProgram('true') ?? '/bin/true', [], {
    ...runAs(user),
    env: {},
    cwd: '/',
    stdio: 'ignore',
    timeout: 10_000,
  })
  return error?.message ?? (status === 0 ? undefined : `it ended with ${status}`)
}

/** Services run as these, an embedded or another Postgres among them: `nobody`, and what has a number below 1000. */
function systemAccounts(): ReadonlyMap<number, string> {
  const accounts = new Map([[65_534, 'nobody']])
  try {
    for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
      const [name = '', , uid = ''] = line.split(':')
      if (uid !== '' && (Number(uid) < 1_000 || name === 'proviso')) accounts.set(Number(uid), name)
    }
  } catch {
    // Then there is no account to meet.
  }
  return accounts
}

const refused = (message: string) => new Fault('bad_options', message)
