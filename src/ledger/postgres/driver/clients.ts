// The connections that statements are sent on. The driver's pool opens and closes them; those that are in use all the time are kept here,
// at hand: taking one from the pool and giving it back, timers and all, takes longer than sending a statement.
import type { Pool, PoolClient } from 'pg'

/** So often all go back to the pool for a moment, which closes what is old, or has not been used for some time. */
const sweepMs = 10_000

export interface Clients {
  take(): PoolClient | Promise<PoolClient>
  /** `broken`: it is not used again. */
  give(client: PoolClient, broken: boolean): void
  /** The server has refused a statement and is about to say that it waits for the next. */
  giveWhenReady(client: PoolClient): void
  end(): Promise<void>
}

export function createClients(pool: Pool): Clients {
  // The one that was used last is taken first.
  const atHand: PoolClient[] = []
  const dead = new WeakSet<PoolClient>()
  const becomingReady = new Set<PoolClient>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let ended = false

  // A connection that the server closes while it is not in use is no error: the next statement opens another. Nor is one that is closed
  // while it is in use: what is sent on it next fails, and says so. Without a listener the error would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('error', () => {
      dead.add(client as PoolClient)
      const place = atHand.indexOf(client)
      if (place >= 0) atHand.splice(place, 1)[0]?.release(true)
      else if (becomingReady.delete(client as PoolClient)) (client as PoolClient).release(true)
    })
  })

  const sweep = () => {
    timer = undefined
    for (const client of atHand.splice(0)) client.release()
  }

  const give = (client: PoolClient, broken: boolean) => {
    // It may have ended between its last answer and now.
    if (broken || dead.has(client)) client.release(true)
    // Those who wait for one wait at the pool.
    else if (ended || pool.waitingCount > 0) client.release()
    else {
      atHand.push(client)
      timer ??= setTimeout(sweep, sweepMs)
    }
  }

  return {
    take: () => atHand.pop() ?? pool.connect(),
    give,
    giveWhenReady(client) {
      becomingReady.add(client)
      client.once('drain', () => {
        if (becomingReady.delete(client)) give(client, false)
      })
    },
    end() {
      ended = true
      clearTimeout(timer)
      for (const client of atHand.splice(0)) client.release()
      return pool.end()
    },
  }
}
