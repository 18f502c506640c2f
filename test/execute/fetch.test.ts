// context.fetch against hostile servers and careless functions: it ends with the call, and what it cannot read is an error.
import { createServer } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { guardedFetch } from '../../src/execute/egress/guarded-fetch.ts'
import { defineTool, openProviso } from '../../src/index.ts'
import { FetchError } from '../../src/public/executors.ts'
import { localServer } from './local-server.ts'
import { trialEgress } from './run-executor.ts'

const egressTo = (port: number) =>
  trialEgress([port], {
    policy: 'unrestricted_with_approval',
    connections: { ports: [port], loopback: true, plain: true },
  })

/** A server that answers with these bytes and nothing else. */
async function rawServer(reply: string) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

const outcomeOf = (work: Promise<Response>) =>
  work.then(
    async (response) => response.text().then((text) => `${response.status} ${text}`),
    (error) => error,
  )

describe('a response that cannot be read', () => {
  it.each(['deflate', 'zstd', 'gzip, br', 'compress', 'none', 'gzip;q=1'])(
    'is an error and no empty body: encoding %s [fetch-unreadable-is-error]',
    async (encoding) => {
      await using server = await localServer((_seen, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end('paid'),
      )
      const outcome = await outcomeOf(guardedFetch(egressTo(server.port))(server.origin))
      expect(outcome).toBeInstanceOf(FetchError)
      expect(outcome).toMatchObject({ code: 'response_encoding', sent: true })
    },
  )

  it.each([
    ['199', 'HTTP/1.1 199 Odd\r\ncontent-length: 4\r\n\r\npaid'],
    ['600', 'HTTP/1.1 600 Odd\r\ncontent-length: 4\r\n\r\npaid'],
    ['999', 'HTTP/1.1 999 Odd\r\ncontent-length: 4\r\n\r\npaid'],
    ['000', 'HTTP/1.1 000 Odd\r\ncontent-length: 4\r\n\r\npaid'],
    ['a reason that no text can hold', 'HTTP/1.1 200 \u0001\r\ncontent-length: 4\r\n\r\npaid'],
    ['a header whose value is none', 'HTTP/1.1 200 OK\r\nx-odd: a\u0001b\r\ncontent-length: 4\r\n\r\npaid'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\ncontent-length: 4\r\n\r\npaid'],
  ])('is an error of its own: %s [fetch-unreadable-is-error]', async (_what, reply) => {
    await using server = await rawServer(reply)
    const outcome = await outcomeOf(guardedFetch(egressTo(server.port))(server.origin))
    expect(outcome).toBeInstanceOf(FetchError)
    expect(outcome).toMatchObject({ sent: true })
  })

  it('is still read where its encoding was asked for, however it is spelt', async () => {
    for (const [encoding, body] of [
      ['GZIP', gzipSync('paid')],
      ['x-gzip', gzipSync('paid')],
      [' br ', brotliCompressSync('paid')],
      ['identity', Buffer.from('paid')],
    ] as const) {
      await using server = await localServer((_seen, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end(body),
      )
      expect(await outcomeOf(guardedFetch(egressTo(server.port))(server.origin))).toBe('200 paid')
    }
  })

  it.each([204, 304])('has no body at %i, whatever it says', async (status) => {
    await using server = await rawServer(`HTTP/1.1 ${status} Odd\r\ncontent-encoding: zstd\r\n\r\n`)
    expect(await outcomeOf(guardedFetch(egressTo(server.port))(server.origin))).toBe(`${status} `)
  })
})

describe('a request that a function leaves behind', () => {
  const toolOf = (port: number, execute: (fetch: (url: string) => Promise<Response>) => unknown) =>
    defineTool({
      name: 'leave_v1',
      description: 'Leaves a request behind.',
      effect: 'READ_ONLY',
      trusted: true,
      input: { type: 'object', additionalProperties: false },
      egress: 'private_network_only',
      connections: { ports: [port], loopback: true, plain: true },
      execute: async (_args, context) => {
        await execute(context.fetch)
        return { left: true }
      },
    })

  it('ends with its call, its body too [fetch-ends-with-call]', async () => {
    let open = 0
    await using server = await localServer((_seen, response, request) => {
      open++
      request.once('close', () => open--)
      response.writeHead(200).write('begun')
    })
    let kept: Response | undefined
    const tool = toolOf(server.port, async (fetch) => {
      kept = await fetch(`${server.origin}/body`)
      void fetch(`${server.origin}/late`)
      // It ends only after the server has heard of both.
      while (server.seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    })
    const proviso = await openProviso({ tools: [tool] })
    const answer = await proviso.call({ tool: 'leave_v1', arguments: {} })
    expect(answer.value).toEqual({ left: true })
    await expect.poll(() => open).toBe(0)
    await expect(kept?.text()).rejects.toThrow()
    await proviso.close()
  })

  it('is not begun after it [fetch-ends-with-call]', async () => {
    await using server = await localServer((_seen, response) => response.end('ok'))
    let later: ((url: string) => Promise<Response>) | undefined
    const proviso = await openProviso({
      tools: [
        toolOf(server.port, (fetch) => {
          later = fetch
        }),
      ],
    })
    await proviso.call({ tool: 'leave_v1', arguments: {} })
    await expect(later?.(server.origin)).rejects.toMatchObject({ sent: false })
    expect(server.seen).toEqual([])
    await proviso.close()
  })
})
