// Outside of a sandbox a program can leave its group. What it started still carries the call's own variable in its environment, unless
// it was wiped on purpose: those that carry it are ended with the call. Against a program that means to stay only the sandbox helps.
import { processesOf } from './processes.ts'

/** One may start another while we look. */
const rounds = 5

export function endStrays(callId: string, uid: number): void {
  const mark = `\0PROVISO_CALL=${callId}\0`
  for (let round = 0; round < rounds; round++) {
    const strays = processesOf(uid, 'environ').filter(({ text }) => `\0${text}`.includes(mark))
    if (strays.length === 0) return
    for (const { pid } of strays) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // Gone already.
      }
    }
  }
}
