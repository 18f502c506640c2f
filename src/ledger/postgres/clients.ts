// The connections that statements are sent on. The driver's pool opens and closes them; those that are in use all the time are kept here,
// at hand: taking one from the pool and giving it back, timers and all, takes longer than sending a statement.
import type { Pool, PoolClient } from 'pg'

/** What nobody has used from one sweep to the next goes back to the pool, which closes it after some time more. */
const sweepMs = 10_000

export interface Clients {
  take(): PoolClient | Promise<PoolClient>
  /** `broken`: nobody may find it again. */
  give(client: PoolClient, broken: boolean): void
  end(): Promise<void>
}

export function createClients(pool: Pool): Clients {
  // The one that was used last is taken first.
  const atHand: PoolClient[] = []
  /** So many, from the bottom, were not taken since the last sweep. */
  let untouched = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let ended = false

  // A connection that the server closes while nobody has it in hand is no error of anybody's; the next statement opens another. Nor is one
  // that is closed in somebody's hand: whatever is sent on it next fails, and says so. Unheard, it would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('error', () => {
      const place = atHand.indexOf(client)
      if (place < 0) return
      atHand.splice(place, 1)
      if (place < untouched) untouched--
      client.release(true)
    })
  })

  const sweep = () => {
    for (const client of atHand.splice(0, untouched)) client.release()
    untouched = atHand.length
    timer = untouched === 0 ? undefined : setTimeout(sweep, sweepMs)
  }

  return {
    take() {
      const client = atHand.pop()
      if (client === undefined) return pool.connect()
      if (atHand.length < untouched) untouched = atHand.length
      return client
    },
    give(client, broken) {
      if (broken) client.release(true)
      // Whoever waits for one waits at the pool.
      else if (ended || pool.waitingCount > 0) client.release()
      else {
        atHand.push(client)
        timer ??= setTimeout(sweep, sweepMs)
      }
    },
    end() {
      ended = true
      clearTimeout(timer)
      for (const client of atHand.splice(0)) client.release()
      return pool.end()
    },
  }
}
