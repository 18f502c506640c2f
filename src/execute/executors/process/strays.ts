// Outside of a sandbox a program can leave its group. What it started still carries the call's own variable in its environment, unless
// it was wiped on purpose: those that carry it are ended with the call. Against a program that means to stay only the sandbox helps.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { processesOf } from './processes.ts'

/** One may start another while we look, or be about to become another program: then it has no environment for a moment. */
const looks = 20
const betweenMs = 5

export async function endStrays(callId: string, uid: number): Promise<void> {
  const mark = `\0PROVISO_CALL=${callId}\0`
  for (let look = 0; look < looks; look++) {
    if (look > 0) await sleep(betweenMs)
    const seen = processesOf(uid, 'environ')
    const strays = seen.filter(({ text }) => `\0${text}`.includes(mark))
    for (const { pid } of strays) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // Gone already.
      }
    }
    if (strays.length === 0 && !seen.some(({ pid, text }) => text === '' && mayBecomeOne(pid))) return
  }
}

/** Neither gone already nor of the kernel's own, whose parent is the second process. */
function mayBecomeOne(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state !== 'Z' && state !== 'X' && Number(parent) !== 0 && Number(parent) !== 2
  } catch {
    return false
  }
}
