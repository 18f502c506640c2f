// Opening a ledger survives a connection that is cut in the middle of it, wherever that is: what was being made is made again, or found done.
import net from 'node:net'
import { expect, it } from 'vitest'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { databasesOfFile } from './databases-of-file.ts'
import { admission } from './requests.ts'

const databases = databasesOfFile()

interface Line {
  readonly url: string
  /** How many messages the process has sent, over all connections. */
  readonly sent: () => number
  close(): void
}

/** Cuts one connection at this message, before the server hears it or after it has answered, and none after that. */
async function lineTo(url: string, at: number, when: 'before' | 'after'): Promise<Line> {
  const { hostname, pathname, username } = new URL(url)
  const path = `${decodeURIComponent(hostname)}/.s.PGSQL.5432`
  let count = 0
  const listener = net.createServer((client) => {
    const server = net.connect({ path })
    const end = () => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) socket.on('error', end).on('close', end)
    let isCut = false
    client.on('data', (asked) => {
      count++
      isCut = count === at
      if (isCut && when === 'before') end()
      else server.write(asked)
    })
    server.on('data', (said) => {
      if (isCut) end()
      else client.write(said)
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as net.AddressInfo
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    sent: () => count,
    close: () => void listener.close(),
  }
}

it.each([
  ['a ledger that is there', 'before', 'fresh'],
  ['a ledger that is there', 'after', 'fresh'],
  ['a ledger that is made', 'before', 'empty'],
  ['a ledger that is made', 'after', 'empty'],
] as const)(
  'of %s, with a connection cut at any message, %s it is heard [opening-survives-cuts]',
  async (_, when, kind) => {
    const there = await databases.fresh()
    let at = 1
    // Making one takes long: every third message is cut there.
    for (; ; at += kind === 'fresh' ? 1 : 3) {
      const line = await lineTo(kind === 'fresh' ? there : await databases.empty(), at, when)
      const ledger = await postgres(line.url, { connections: 2, log: { sequence: false } })
      const isOver = line.sent() < at
      if (isOver) expect(await ledger.operations.admit(admission())).toMatchObject({ kind: 'admitted' })
      await ledger.close()
      line.close()
      if (isOver) break
    }
    expect(at).toBeGreaterThan(10)
  },
  240_000,
)
