// A gate before a real Postgres: it passes the protocol on in both directions, and does as it is told with the answer to COMMIT: keeps it,
// cuts it, exchanges it for another, or ends the transaction otherwise before it.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface CommitPlay {
  /** Whether COMMIT reaches the database; otherwise ROLLBACK does in its place. */
  readonly commits: boolean
  /** What is answered in place of the database's own answer; undefined: that one. */
  readonly answer?: Buffer
  /** How many bytes of the answer pass. */
  readonly cutAt?: number
  readonly leaves?: 'end' | 'reset' | 'hang'
}

export interface SqlGate {
  readonly port: number
  arrange(play: CommitPlay | undefined): void
  close(): Promise<void>
}

/** `path`: the socket on which the database listens. */
export async function sqlGate(path: string): Promise<SqlGate> {
  let play: CommitPlay | undefined
  const sockets = new Set<Socket>()
  const server = createServer((front) => {
    const back = connect(path)
    for (const socket of [front, back]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    let isCommitting = false
    front.on('data', (chunk) => {
      const asked = play !== undefined && /^Q....commit\0/s.test(chunk.toString('latin1'))
      if (!asked) return void back.write(chunk)
      isCommitting = true
      back.write(play?.commits === true ? chunk : query('rollback'))
    })
    back.on('data', (chunk) => {
      if (!isCommitting || play === undefined) return void front.write(chunk)
      isCommitting = false
      const { answer = chunk, cutAt, leaves } = play
      const bytes = cutAt === undefined ? answer : answer.subarray(0, cutAt)
      const leave = () => {
        if (leaves === 'end') front.end()
        if (leaves === 'reset') setImmediate(() => front.resetAndDestroy())
      }
      if (bytes.length === 0) leave()
      else front.write(bytes, leave)
    })
    front.on('close', () => back.destroy())
    back.on('close', () => front.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    arrange(next) {
      play = next
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function query(text: string): Buffer {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(5)
  head.write('Q')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** One message of the server: its letter, its length, its content. */
function message(letter: string, content: string | Buffer): Buffer {
  const body = Buffer.from(content)
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

export const ready = message('Z', 'I')
export const completed = (tag: string) => message('C', `${tag}\0`)
export const errorReply = (severity: string, code: string, letter: 'E' | 'N' = 'E') =>
  message(letter, `S${severity}\0V${severity}\0C${code}\0Mword\0\0`)
