// Cuts a connection on which the server has owed an answer for too long: what was sent on it is lost with it, as with any other. One look
// now and then at all of them, instead of the driver's own timer for each statement: such a timer keeps its statement, and all that
// belongs to its call, alive until the next full collection of garbage.
import type { ClientBase } from 'pg'
import { timerMs } from '../../../json/clock.ts'

export interface Unanswered {
  /** From now until it ends. */
  watch(client: ClientBase): void
}

/** What of a connection is looked at; pg is pinned for that. */
interface Watched {
  /** The server waits for the next statement. */
  readonly readyForQuery: boolean
  readonly connection: { readonly stream: { readonly bytesRead: number } }
  readonly connectionParameters: { query_timeout: number | false }
}

interface Silence {
  bytesRead: number
  /** In how many looks it has said nothing. Not a time: a process that stood still itself has not waited for the server. */
  looks: number
}

/** So many that a connection is cut soon after its time is up, and so few that looking costs nothing. */
const looksWithin = 15

/** Reading a whole ledger takes longer than a call may wait. */
const patientMs = 3_600_000

/** How much patient work is under way on a connection. */
const patient = new WeakMap<ClientBase, number>()

/** Every answer to what `work` sends on this connection is waited for, for up to an hour. */
export async function patientOn<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  const add = (count: number) => patient.set(client, (patient.get(client) ?? 0) + count)
  add(1)
  try {
    return await work()
  } finally {
    add(-1)
  }
}

/** @param limitMs 0: for ever. */
export function cutUnanswered(limitMs: number): Unanswered {
  const everyMs = timerMs(Math.ceil(limitMs / looksWithin))
  const silences = new Map<ClientBase, Silence>()
  let timer: ReturnType<typeof setInterval> | undefined

  const look = () => {
    for (const [client, silence] of silences) {
      const { readyForQuery, connection } = client as unknown as Watched
      const { bytesRead } = connection.stream
      if (readyForQuery || bytesRead !== silence.bytesRead) {
        silence.bytesRead = bytesRead
        silence.looks = 0
      } else if (++silence.looks * everyMs > ((patient.get(client) ?? 0) > 0 ? patientMs : limitMs)) {
        cutWire(client, new Unheard(limitMs))
      }
    }
  }

  return {
    watch(client) {
      // A URL may set the driver's limit as well.
      const { connectionParameters } = client as unknown as Watched
      connectionParameters.query_timeout = false
      if (limitMs === 0) return
      silences.set(client, { bytesRead: 0, looks: 0 })
      timer ??= setInterval(look, everyMs).unref()
      client.once('end', () => {
        silences.delete(client)
        if (silences.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
    },
  }
}

class Unheard extends Error {
  /** The system's word for it: as for any connection that is lost. */
  readonly code = 'ETIMEDOUT'

  constructor(limitMs: number) {
    super(`The database did not answer within ${limitMs} ms; the connection was cut.`)
  }
}

/** The wire of a connection, which pg keeps to itself; pg is pinned for that. */
interface Wired {
  readonly connection: { readonly stream: { destroy(error?: Error): void } }
}

/** Ends a connection at once, in the middle of a statement too; the server undoes what was not committed. */
export const cutWire = (client: ClientBase, why?: Error): void => {
  ;(client as unknown as Wired).connection.stream.destroy(why)
}
