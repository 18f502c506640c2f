// Ends the statement of one connection, and of no other. The request names the connection's process and its secret, so that a server that
// has given the number to another session, or a pooler that has lent its own, does nothing. The connection is not used again: a request
// that arrives late would end the statement of the next call on it.
import pg, { type Pool, type PoolClient } from 'pg'

/** What the driver knows of a session, and has no public name for. */
interface Session {
  readonly processID?: number | null
  readonly secretKey?: number | null
}

interface Wire {
  readonly host: string
  readonly port: number
  readonly connection: {
    once(event: 'connect' | 'sslconnect' | 'end' | 'error', listener: (error?: Error) => void): void
    on(event: 'error', listener: (error: Error) => void): void
    connect(portOrPath: number | string, host?: string): void
    cancel(processID: number, secretKey: number): void
    readonly stream: { destroy(): void }
  }
}

/** Resolves once the server has heard it, or cannot be reached, or after this time. */
export function cancelStatement(pool: Pool, client: PoolClient, patienceMs: number): Promise<void> {
  const { processID, secretKey } = client as Session
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return Promise.resolve()
  const { host, port, connection } = new pg.Client(pool.options) as unknown as Wire
  return new Promise((resolve) => {
    const ended = () => {
      clearTimeout(timer)
      connection.stream.destroy()
      resolve()
    }
    const timer = setTimeout(ended, patienceMs).unref()
    const send = () => connection.cancel(processID, secretKey)
    connection.on('error', ended)
    connection.once('end', ended)
    // A request goes over an encrypted connection where the statement did.
    connection.once('connect', send)
    connection.once('sslconnect', send)
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
  })
}
