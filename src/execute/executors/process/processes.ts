// What a user runs on this machine, from /proc. Read at one go: through the thread pool it takes several times as long. Outside of a
// sandbox a program can leave its group, but what it started still carries the call's own variable in its environment, unless that was
// wiped on purpose: processes that carry it are ended with the call. Only the sandbox helps against a program that means to stay.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ProcessEntry {
  readonly pid: number
  readonly text: string
}

/** One file of every process of a user. */
function processesOf(uid: number, file: 'status' | 'environ'): readonly ProcessEntry[] {
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

export interface ProcessState {
  /** It has not ended. */
  readonly runs: boolean
  /** A thread of the kernel: it never has an environment. */
  readonly kernel: boolean
  /** In ticks since the machine was started. */
  readonly startedAt: number
}

const kernelThread = 0x0020_0000

/** Undefined where it has ended, or cannot be looked at. */
export function processState(pid: number): ProcessState | undefined {
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

/**
 * A process may start another one while we look, or be about to become another program: then it has no environment for a moment. A process
 * that is left after the last look stays.
 */
const looks = 20
const betweenMs = 5

export interface ProcessTable {
  environments(): readonly ProcessEntry[]
  stateOf(pid: number): ProcessState | undefined
  end(pid: number): void
}

export const processTableOf = (uid: number): ProcessTable => ({
  environments: () => processesOf(uid, 'environ'),
  stateOf: processState,
  end(pid) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Gone already.
    }
  },
})

/** @param since When the program itself was started: an older process is not one of its own. */
export async function endStrays(callId: string, since: number, table: ProcessTable): Promise<void> {
  const mark = `\0PROVISO_CALL=${callId}\0`
  /** Without an environment, it is younger than the program, and neither gone already nor of the kernel's own. */
  const mayBecomeOne = ({ pid, text }: ProcessEntry) => {
    const state = text === '' ? table.stateOf(pid) : undefined
    return state?.runs === true && !state.kernel && state.startedAt >= since
  }
  for (let look = 0; look < looks; look++) {
    if (look > 0) await sleep(betweenMs)
    const seen = table.environments()
    const strays = seen.filter(({ text }) => `\0${text}`.includes(mark))
    for (const { pid } of strays) table.end(pid)
    if (strays.length === 0 && !seen.some(mayBecomeOne)) return
  }
}

/** How many processes and threads a user has now: outside of a namespace the kernel's limit counts them all. */
export function tasksOf(uid: number): number {
  const threads = processesOf(uid, 'status').map(({ text }) => Number(/^Threads:\t([0-9]+)/m.exec(text)?.[1] ?? 1))
  return threads.reduce((sum, count) => sum + count, 0)
}
