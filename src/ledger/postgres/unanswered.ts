// Cuts a connection on which the server has owed an answer for too long: what was sent on it is then lost with it, and sent again on
// another. One look now and then at all of them, instead of the driver's own timer for each statement: such a timer keeps its statement,
// and all that belongs to its call, alive until the next full collection of garbage.
import type { ClientBase } from 'pg'

export interface Unanswered {
  /** From now until it ends. */
  watch(client: ClientBase): void
}

/** What of a connection is looked at; pg is pinned for that. */
interface Watched {
  /** The server waits for the next statement. */
  readonly readyForQuery: boolean
  readonly connection: { readonly stream: { readonly bytesRead: number; destroy(error: Error): void } }
}

interface Silence {
  bytesRead: number
  /** In how many looks it has said nothing. Not a time: a process that stood still itself has not waited for the server. */
  looks: number
}

const looksWithin = 15

const patient = new WeakSet<ClientBase>()

/** No statement that `work` sends on this connection is waited for too long. */
export async function patientOn<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  patient.add(client)
  try {
    return await work()
  } finally {
    patient.delete(client)
  }
}

/** @param limitMs 0: for ever. */
export function cutUnanswered(limitMs: number): Unanswered {
  const silences = new Map<ClientBase, Silence>()
  let timer: ReturnType<typeof setInterval> | undefined

  const look = () => {
    for (const [client, silence] of silences) {
      const { readyForQuery, connection } = client as unknown as Watched
      const { bytesRead } = connection.stream
      if (readyForQuery || bytesRead !== silence.bytesRead || patient.has(client)) {
        silence.bytesRead = bytesRead
        silence.looks = 0
      } else if (++silence.looks >= looksWithin) {
        connection.stream.destroy(
          new Error(`The database did not answer within ${limitMs} ms; the connection was cut.`),
        )
      }
    }
  }

  return {
    watch(client) {
      if (limitMs === 0) return
      silences.set(client, { bytesRead: 0, looks: 0 })
      timer ??= setInterval(look, Math.ceil(limitMs / looksWithin)).unref()
      client.once('end', () => {
        silences.delete(client)
        if (silences.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
    },
  }
}
