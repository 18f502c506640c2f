// A database of the tests, which listens on a socket in the file system alone, made reachable on a port of this machine.
import { connect, createServer, type Socket } from 'node:net'
import pg from 'pg'

export interface OverTcp {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

/** `cutAtCommit`: COMMIT is passed on, and its answer is not. */
export async function overTcp(url: string, { cutAtCommit = false } = {}): Promise<OverTcp> {
  const { host, port: socketPort, user, password, database } = new pg.Client(url)
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(`${host}/.s.PGSQL.${socketPort}`)
    let cut = false
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    near.on('data', (chunk) => {
      cut ||= cutAtCommit && chunk.includes('commit\0')
      far.write(chunk)
    })
    far.on('data', (chunk) => {
      if (cut) near.destroy()
      else near.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const secret = typeof password === 'string' ? `:${encodeURIComponent(password)}` : ''
  return {
    port,
    url: `postgres://${encodeURIComponent(user ?? '')}${secret}@127.0.0.1:${port}/${database}`,
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
