// The user that a program runs as. It is never root: the kernel counts no processes of root, and root may raise its own limits.
import { processesOf } from './processes.ts'

export interface RunAs {
  readonly uid: number
  readonly gid: number
}

const unprivileged: RunAs = { uid: 65_534, gid: 65_534 }

/** Undefined: as this process. */
export function runAs(chosen: RunAs | undefined): RunAs | undefined {
  return process.geteuid?.() === 0 ? (chosen ?? unprivileged) : undefined
}

/** The user that a program really has. */
export const uidOf = (user: RunAs | undefined): number => user?.uid ?? process.geteuid?.() ?? 0

/** Why a program cannot run as this user. */
export function runAsProblem(chosen: RunAs | undefined): string | undefined {
  const own = process.geteuid?.()
  return chosen === undefined || own === 0 || own === chosen.uid
    ? undefined
    : 'This tool runs as another user, and only root can do that.'
}

/** How many processes and threads a user has now: outside of a namespace the kernel's limit counts them all. */
export function tasksOf(uid: number): number {
  const threads = processesOf(uid, 'status').map(({ text }) => Number(/^Threads:\t([0-9]+)/m.exec(text)?.[1] ?? 1))
  return threads.reduce((sum, count) => sum + count, 0)
}
