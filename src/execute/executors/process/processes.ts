// What a user runs on this machine, from /proc. Read at one go: through the thread pool it takes several times as long.
import { readdirSync, readFileSync, statSync } from 'node:fs'

export interface Seen {
  readonly pid: number
  readonly text: string
}

/** One file of every process of a user. */
export function processesOf(uid: number, file: 'status' | 'environ'): readonly Seen[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^[0-9]+$/.test(name)) return []
    try {
      if (statSync(`/proc/${name}`).uid !== uid) return []
      return [{ pid: Number(name), text: readFileSync(`/proc/${name}/${file}`, 'latin1') }]
    } catch {
      // It has ended meanwhile, or is not ours to look at.
      return []
    }
  })
}

export interface Standing {
  /** Neither gone nor waiting for its parent to notice. */
  readonly runs: boolean
  /** A thread of the kernel: it never has an environment. */
  readonly kernel: boolean
  /** In ticks since the machine was started. */
  readonly startedAt: number
}

const kernelThread = 0x0020_0000

/** Undefined where it has ended, or cannot be looked at. */
export function standingOf(pid: number): Standing | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name, in parentheses, may hold anything; what follows it are the fields from the third on.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const state = fields[0]
    return {
      runs: state !== 'Z' && state !== 'X',
      kernel: (Number(fields[6]) & kernelThread) !== 0,
      startedAt: Number(fields[19]),
    }
  } catch {
    return undefined
  }
}
