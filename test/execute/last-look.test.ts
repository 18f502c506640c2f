// Executors by themselves: each asks whether it may act at its last moment, and what is refused there is not to be seen in the world.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fn } from '../../src/execute/executors/fn.ts'
import type { Executor } from '../../src/index.ts'
import { email, http, mcp } from '../../src/public/executors.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { executionContext } from './execution-context.ts'
import { answerJson, localServer } from './local-server.ts'
import { serveHttp } from './mcp-servers/over-http.ts'
import { failureOf, runExecutor, trialEgress } from './run-executor.ts'
import { smtpServer } from './smtp-server.ts'
import { testCertificate } from './test-certificate.ts'
import { type World, type WorldRow, worldRows } from './worlds.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.end())

/** Says yes until it is asked for the time of this number. */
const untilAsked = (refusedAt: number) => {
  let asked = 0
  return { mayAct: () => ++asked < refusedAt, asked: () => asked }
}

async function inWorld(row: WorldRow, work: (world: World) => Promise<void>): Promise<void> {
  const world = await row.open(databases.empty)
  try {
    await work(world)
  } finally {
    await world.close()
  }
}

const perform = ({ executor, args, ports, credentials = new Map() }: World, mayAct: () => boolean) =>
  runExecutor(executor, args, { egress: trialEgress(ports), credentials, mayAct })

describe.each(worldRows)('$name', (row) => {
  it('asks at its last moment, and is done when it may be [asks-before-it-acts]', () =>
    inWorld(row, async (world) => {
      const { mayAct, asked } = untilAsked(Number.POSITIVE_INFINITY)
      await perform(world, mayAct)
      expect([asked(), await world.seen()]).toEqual([row.looks, 1])
    }))

  it('is not to be seen where any of these looks says no [asks-before-it-acts]', async () => {
    for (let at = 1; at <= row.looks; at++)
      await inWorld(row, async (world) => {
        const { code, effect } = await failureOf(perform(world, untilAsked(at).mayAct))
        expect([code, effect]).toEqual(at === row.unknownAt ? ['ended', 'unknown'] : ['withheld', 'none'])
        expect(await world.seen()).toBe(0)
        // What comes now comes behind anything that had left.
        await perform(world, () => true)
        expect(await world.seen()).toBe(1)
      })
  })
})

describe('a request', () => {
  const network = { resolve: async () => [{ address: '127.0.0.1', family: 4 }], ca: testCertificate }
  const post = (port: number, tls = true): Executor =>
    http({ method: 'POST', url: `http${tls ? 's' : ''}://api.proviso.test:${port}/`, json: true, network })

  it.each([true, false])('is judged over the open connection, right before it is written (TLS: %s)', async (tls) => {
    await using server = await localServer(answerJson({}), { tls })
    let connections: number | undefined
    const mayAct = () => {
      connections = server.connections
      return false
    }
    const run = runExecutor(post(server.port, tls), { a: 1 }, { egress: trialEgress([server.port]), mayAct })
    expect(await failureOf(run)).toMatchObject({ code: 'withheld', effect: 'none' })
    await expect.poll(() => server.connections).toBe(1)
    if (tls) expect(connections).toBe(1)
    expect(server.begun).toBe(0)
  })

  it('is judged anew on a connection that was kept', async () => {
    await using server = await localServer(answerJson({ ok: true }))
    const get = http({ method: 'GET', url: `${server.origin}/`, network })
    const egress = trialEgress([server.port])
    const { mayAct } = untilAsked(2)
    await runExecutor(get, {}, { egress, mayAct })
    expect(await failureOf(runExecutor(get, {}, { egress, mayAct }))).toMatchObject({ code: 'withheld' })
    expect([server.begun, server.connections]).toEqual([1, 1])
  })

  it.each([
    // Not taken where it was sent first, so nothing has happened.
    [307, 'none'],
    // Sent on after the deed.
    [303, 'unknown'],
  ])('is judged anew behind a redirect with %i, and says what the first hop may have done', async (status, effect) => {
    await using server = await localServer((_seen, response) => response.writeHead(status, { location: '/next' }).end())
    const executor = http({ method: 'POST', url: `${server.origin}/first`, json: true, network })
    const run = runExecutor(executor, {}, { egress: trialEgress([server.port]), mayAct: untilAsked(2).mayAct })
    expect(await failureOf(run)).toMatchObject({ code: 'withheld', effect })
    expect(server.seen.map(({ url }) => url)).toEqual(['/first'])
  })

  it('of context.fetch is judged too, and says that nothing was sent', async () => {
    await using server = await localServer(answerJson({ ok: true }))
    const fetching = fn(async (_args, { fetch }) => (await fetch(`${server.origin}/`, { method: 'POST' })).status)
    const egress = trialEgress([server.port])
    const run = (refusedAt: number) => runExecutor(fetching, {}, { egress, mayAct: untilAsked(refusedAt).mayAct })
    expect(await run(3)).toBe(200)
    expect(await failureOf(run(2))).toMatchObject({ name: 'FetchError', code: 'withheld', sent: false })
    expect(server.begun).toBe(1)
  })
})

it('a function is not called where it is too late [asks-before-it-acts]', async () => {
  let calls = 0
  const executor = fn(() => ++calls)
  expect(await failureOf(runExecutor(executor, {}, { mayAct: () => false }))).toMatchObject({ effect: 'none' })
  await runExecutor(executor)
  expect(calls).toBe(1)
})

it('a large mail is judged piece by piece, and what is cut off within it is not delivered', async () => {
  await using server = await smtpServer()
  const network = { resolve: async () => [{ address: '127.0.0.1', family: 4 }] }
  const executor = email({
    from: 'billing@kestrel.example',
    to: 'ann@example.com',
    subject: 'Long',
    text: `${'A line of a long letter.\n'.repeat(8_000)}`,
    recipients: ['example.com'],
    smtp: { host: 'mail.example.com', port: server.port, security: 'none', network },
  })
  const egress = trialEgress([server.port])
  const { mayAct, asked } = untilAsked(Number.POSITIVE_INFINITY)
  await runExecutor(executor, {}, { egress, mayAct })
  expect([asked() > 10, server.mails.length]).toEqual([true, 1])
  for (const at of [2, 5, asked()])
    expect(await failureOf(runExecutor(executor, {}, { egress, mayAct: untilAsked(at).mayAct }))).toMatchObject({
      code: 'withheld',
      effect: 'none',
    })
  await runExecutor(executor, {}, { egress, mayAct })
  expect(server.mails).toHaveLength(2)
})

it('what an MCP server is asked besides is no matter of one call', async () => {
  // Connecting, listing and parting belong to every call of the connection.
  await using stack = new AsyncDisposableStack()
  const server = stack.adopt(await serveHttp(), (one) => one.close())
  const executor = stack.adopt(mcp({ server: { url: server.url }, tool: 'say' }), (one) => one.close?.())
  const egress = executionContext().egress
  const context = { egress: { ...egress, connections: { ...egress.connections, ports: [server.port] } } }
  expect(await failureOf(runExecutor(executor, { text: 'a' }, { ...context, mayAct: () => false }))).toMatchObject({
    code: 'withheld',
    effect: 'none',
  })
  expect(await runExecutor(executor, { text: 'a' }, context)).toBe('a')
  expect(server.seen.filter(({ body }) => body.includes('tools/call'))).toHaveLength(1)
  expect(server.seen.filter(({ body }) => body.includes('tools/list'))).toHaveLength(1)
})
