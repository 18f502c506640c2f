// The connections that statements are sent on. The driver's pool opens and closes them; those that are in use all the time are kept here,
// at hand: taking one from the pool and giving it back, timers and all, takes longer than sending a statement.
import type { ClientBase, Pool, PoolClient } from 'pg'
import { atMost, closedFault } from '../../closing.ts'
import { cutWire } from './unanswered.ts'

/** So often all go back to the pool for a moment, which closes what is old, or has not been used for some time. */
const sweepMs = 10_000

export interface Clients {
  take(): PoolClient | Promise<PoolClient>
  /** `broken`: it is not used again. */
  give(client: PoolClient, broken: boolean): void
  /** The server has refused a statement and is about to say that it waits for the next. */
  giveWhenReady(client: PoolClient): void
  /** Once all that are in use were given back; those that are not within this time are cut. The same end, however often it is asked for. */
  end(patienceMs: number): Promise<void>
}

/** How long connections that were cut are waited for. */
const cutMs = 1_000

export function createClients(pool: Pool): Clients {
  // The one that was used last is taken first.
  const atHand: PoolClient[] = []
  const dead = new WeakSet<PoolClient>()
  const becomingReady = new Set<PoolClient>()
  const all = new Set<ClientBase>()
  /** Those who wait at the pool, which forgets them when it ends. */
  const waiting = new Set<(error: Error) => void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let ending: Promise<void> | undefined

  // A connection that the server closes while it is not in use is no error: the next statement opens another. Nor is one that is closed
  // while it is in use: what is sent on it next fails, and says so. Without a listener the error would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    all.add(client)
    client.once('end', () => void all.delete(client))
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
    else if (ending !== undefined || pool.waitingCount > 0) client.release()
    else {
      atHand.push(client)
      timer ??= setTimeout(sweep, sweepMs)
    }
  }

  const connect = (): Promise<PoolClient> =>
    new Promise((resolve, reject) => {
      if (ending !== undefined) return reject(closedFault())
      waiting.add(reject)
      pool.connect().then(
        (client) => {
          if (waiting.delete(reject)) resolve(client)
          else client.release()
        },
        (error: Error) => {
          waiting.delete(reject)
          reject(error)
        },
      )
    })

  const end = async (patienceMs: number) => {
    clearTimeout(timer)
    for (const client of atHand.splice(0)) client.release()
    const ended = pool.end()
    for (const reject of waiting) reject(closedFault())
    waiting.clear()
    await atMost(patienceMs, ended)
    if (all.size === 0) return
    for (const client of all) cutWire(client)
    await atMost(cutMs, ended)
  }

  return {
    take: () => atHand.pop() ?? connect(),
    give,
    giveWhenReady(client) {
      becomingReady.add(client)
      client.once('drain', () => {
        if (becomingReady.delete(client)) give(client, false)
      })
    },
    end(patienceMs) {
      ending ??= end(patienceMs)
      return ending
    },
  }
}
