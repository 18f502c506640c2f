// The user and the group that a program runs as where this process is root. It is never root, because the kernel counts no processes of
// root, and root may raise its own limits. Its group is the call's own: a program cannot leave it, so that all it has started, and all it has
// left in shared memory, is known by it, also where it hides all else.
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ProcessSettings } from './settings.ts'

export interface RunAs {
  readonly uid: number
  readonly gid: number
}

/** Sandboxed programs of root where the host names no users: neither Debian nor systemd gives this number to an account. */
const sandboxed = 65_533

/** Above all that systems give to accounts and containers, and below what Node takes: each call takes one of them. */
const callGroups = { first: 1_900_000_000, count: 200_000_000 } as const

export const isRoot = (): boolean => process.geteuid?.() === 0

/** Undefined: as this process. `user`: the number that the host has given to the tenant. */
export function runAs(user: number | undefined): RunAs | undefined {
  if (!isRoot()) return undefined
  const uid = user ?? sandboxed
  return { uid, gid: hasCallGroups() ? callGroups.first + randomInt(callGroups.count) : uid }
}

/** The user that a program really has. */
export const uidOf = (user: RunAs | undefined): number => user?.uid ?? process.geteuid?.() ?? 0

/** Whether this group is of one call alone. */
export const isCallGroup = (user: RunAs | undefined): user is RunAs =>
  user !== undefined && user.gid >= callGroups.first

/** Why a program of this tenant cannot run at all. */
export function runAsProblem(
  { isolation }: Pick<ProcessSettings, 'isolation'>,
  user: number | undefined,
): string | undefined {
  if (!isRoot() || isolation === 'bubblewrap') return undefined
  if (user === undefined)
    return 'This tool runs without a sandbox and this process is root: openProviso has to name a user for programs of this tenant, as in programs: { users: { TENANT: 200001 } }.'
  return hasCallGroups() ? undefined : noCallGroups
}

export const noCallGroups = `Groups from ${callGroups.first} on do not exist in this container, and without one of its own a call outside of a sandbox cannot be ended as a whole: give the tool bubblewrap, or start Proviso as another user than root.`

let mapped: boolean | undefined

/** A container may know fewer numbers than the machine. */
export function hasCallGroups(): boolean {
  mapped ??= isMapped('gid', callGroups.first, callGroups.count)
  return mapped
}

/** Whether these numbers exist in our own user namespace. */
export function isMapped(kind: 'uid' | 'gid', first: number, count = 1): boolean {
  try {
    return readFileSync(`/proc/self/${kind}_map`, 'utf8')
      .trim()
      .split('\n')
      .some((line) => {
        const [inside = 0, , length = 0] = line.trim().split(/\s+/).map(Number)
        return inside <= first && first + count <= inside + length
      })
  } catch {
    return false
  }
}
