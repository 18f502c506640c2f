// A pooler in transaction mode, of our own: many connections share a few of the server's, each for one transaction.
import net from 'node:net'
import { onTestFinished } from 'vitest'

/** Which of the servers that are free is given next. */
export type Choice = 'the last one' | 'the first one' | 'any'

interface Server {
  readonly socket: net.Socket
  /** Told what it says, while it is given to a connection. */
  hear: ((said: Buffer) => void) | undefined
}

const readyForQuery = 0x5a
const terminate = 0x58
const idle = 0x49
const protocol = 196_608

/** The URL behind which it listens. */
export async function poolerTo(url: string, { servers, choice }: { servers: number; choice: Choice }): Promise<string> {
  const { hostname, pathname, username } = new URL(url)
  const path = `${decodeURIComponent(hostname)}/.s.PGSQL.5432`
  const free: Server[] = []
  const waiting: (() => void)[] = []
  let greeting: Buffer = Buffer.alloc(0)
  for (let number = 0; number < servers; number++) {
    const opened = await openServer(path, startup(username, pathname.slice(1)))
    greeting = opened.greeting
    free.push(opened.server)
  }

  const take = async (): Promise<Server> => {
    while (free.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    const places = { 'the last one': free.length - 1, 'the first one': 0, any: Math.floor(Math.random() * free.length) }
    return free.splice(places[choice], 1)[0] as Server
  }

  const serve = (client: net.Socket) => {
    let server: Server | undefined
    let isGreeted = false
    let turn = Promise.resolve()
    const giveBack = (given: Server) => {
      given.hear = undefined
      server = undefined
      free.push(given)
      waiting.shift()?.()
    }
    const hold = async (): Promise<Server> => {
      const given = await take()
      const isOver = transactionEnds()
      given.hear = (said) => {
        client.write(said)
        if (isOver(said)) giveBack(given)
      }
      return given
    }
    client.on('error', () => undefined)
    client.on('data', (asked) => {
      if (!isGreeted) {
        isGreeted = true
        client.write(greeting)
      } else if (asked[0] === terminate) client.end()
      else
        turn = turn.then(async () => {
          server ??= await hold()
          server.socket.write(asked)
        })
    })
  }
  const listener = net.createServer(serve)
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void listener.close())
  const { port } = listener.address() as net.AddressInfo
  return `postgres://${username}@127.0.0.1:${port}${pathname}?sslmode=disable`
}

async function openServer(path: string, hello: Buffer) {
  const socket = net.connect({ path })
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  const server: Server = { socket, hear: undefined }
  const said: Buffer[] = []
  const greeting = await new Promise<Buffer>((resolve) => {
    const isReady = transactionEnds()
    server.hear = (bytes) => {
      said.push(bytes)
      if (isReady(bytes)) resolve(Buffer.concat(said))
    }
    socket.on('data', (bytes) => server.hear?.(bytes))
    socket.write(hello)
  })
  server.hear = undefined
  return { server, greeting }
}

function startup(user: string, database: string): Buffer {
  const named = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(head.length + named.length, 0)
  head.writeInt32BE(protocol, 4)
  return Buffer.concat([head, named])
}

/** Given all that a server says, piece by piece: whether it is in no transaction by now. */
function transactionEnds(): (said: Buffer) => boolean {
  let rest = Buffer.alloc(0)
  return (said) => {
    let isOver = false
    rest = Buffer.concat([rest, said])
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const length = 1 + rest.readInt32BE(1)
      if (rest[0] === readyForQuery) isOver = rest[5] === idle
      rest = rest.subarray(length)
    }
    return isOver
  }
}
