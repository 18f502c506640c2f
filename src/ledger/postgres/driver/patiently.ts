// Sends again what was lost with its connection, for as long as a call waits for a database that is gone. Only for statements that may
// be done twice: those that change nothing then, or nothing that is missed.
import { setTimeout as sleep } from 'node:timers/promises'
import { isSentAgain } from './errors.ts'

const firstPauseMs = 20
const longestPauseMs = 500

export async function patiently<T>(patienceMs: number, send: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  for (let tries = 0; ; tries++) {
    try {
      return await send()
    } catch (error) {
      if (!isSentAgain(error, tries, performance.now() - startedAt - patienceMs)) throw error
      await sleep(Math.min(firstPauseMs * 2 ** tries, longestPauseMs))
    }
  }
}
