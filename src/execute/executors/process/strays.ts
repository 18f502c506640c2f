// Outside of a sandbox a program can leave its group. What it started still carries the call's own variable in its environment, unless
// it was wiped on purpose: those that carry it are ended with the call. Against a program that means to stay only the sandbox helps.
import { setTimeout as sleep } from 'node:timers/promises'
import { processesOf, type Seen, type Standing, standingOf } from './processes.ts'

/**
 * One may start another while we look, or be about to become another program: then it has no environment for a moment. Whatever is left
 * after the last look stays.
 */
const looks = 20
const betweenMs = 5

export interface Machine {
  environments(): readonly Seen[]
  standing(pid: number): Standing | undefined
  end(pid: number): void
}

export const machineOf = (uid: number): Machine => ({
  environments: () => processesOf(uid, 'environ'),
  standing: standingOf,
  end(pid) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Gone already.
    }
  },
})

/** @param since When the program itself was started: what is older than that is none of its own. */
export async function endStrays(callId: string, since: number, machine: Machine): Promise<void> {
  const mark = `\0PROVISO_CALL=${callId}\0`
  /** Without an environment, it is younger than the program, and neither gone already nor of the kernel's own. */
  const mayBecomeOne = ({ pid, text }: Seen) => {
    const standing = text === '' ? machine.standing(pid) : undefined
    return standing?.runs === true && !standing.kernel && standing.startedAt >= since
  }
  for (let look = 0; look < looks; look++) {
    if (look > 0) await sleep(betweenMs)
    const seen = machine.environments()
    const strays = seen.filter(({ text }) => `\0${text}`.includes(mark))
    for (const { pid } of strays) machine.end(pid)
    if (strays.length === 0 && !seen.some(mayBecomeOne)) return
  }
}
