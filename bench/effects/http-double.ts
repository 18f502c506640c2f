// A server over a bare socket: it reads a request whole, does the deed or leaves it, and writes bytes as it was told, right or wrong.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Deed } from './effect-table.ts'

export interface Reply {
  readonly bytes: string | Buffer
  /** What it does with the connection once they are written. */
  readonly leaves?: 'end' | 'reset' | 'hang'
}

export interface HttpPlay {
  /** Answers in the order of the requests; the last one is repeated. */
  readonly replies: readonly Reply[]
  /** Which of the requests is the one that the deed belongs to; a look by GET or HEAD never is. 0 by default. */
  readonly deedAt?: number
}

export interface HttpDouble {
  readonly port: number
  readonly origin: string
  seen(): number
  arrange(play: HttpPlay, deed: Deed): void
  close(): Promise<void>
}

export async function httpDouble(): Promise<HttpDouble> {
  let play: HttpPlay = { replies: [] }
  let deed: Deed = 'left'
  let requests = 0
  let seen = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    let unread = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      unread = Buffer.concat([unread, chunk])
      for (let end = requestEnd(unread); end !== undefined; end = requestEnd(unread)) {
        const isLook = /^(?:GET|HEAD) /.test(unread.subarray(0, 5).toString('latin1'))
        unread = unread.subarray(end)
        const at = requests++
        // What comes again by itself is a deed as well.
        if (deed === 'done' && !isLook && at >= (play.deedAt ?? 0)) seen++
        answer(socket, play.replies[Math.min(at, play.replies.length - 1)])
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    seen: () => seen,
    arrange(next, does) {
      play = next
      deed = does
      requests = 0
      seen = 0
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(socket: Socket, reply: Reply | undefined): void {
  if (reply === undefined) return void socket.destroy()
  const { bytes, leaves = 'end' } = reply
  const after = () => {
    if (leaves === 'end') socket.end()
    // Once its bytes are on their way: a reset takes back what is not read yet.
    if (leaves === 'reset') setImmediate(() => socket.resetAndDestroy())
  }
  if (bytes.length === 0) after()
  else socket.write(bytes, after)
}

/** Where the first whole request ends. */
function requestEnd(bytes: Buffer): number | undefined {
  const head = bytes.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const length = /\r\ncontent-length: *([0-9]+)/i.exec(bytes.subarray(0, head).toString('latin1'))?.[1] ?? '0'
  const end = head + 4 + Number(length)
  return bytes.length < end ? undefined : end
}
