// What calls of an MCP server share: a connection within one tenant, and one for all only where nothing of a call stays there. And what a
// tool wants mirrored into headers.
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import type { ExecutionContext, Executor } from '../../src/contract/tool/executor.ts'
import type { JsonObject, McpOptions } from '../../src/index.ts'
import { mcp } from '../../src/public/executors.ts'
import { executionContext } from './execution-context.ts'
import { type DeedServer, type DeedServerOptions, deedServer, oneText, resultOf } from './mcp-servers/deed-server.ts'
import { serveHttp } from './mcp-servers/over-http.ts'

const openServers: DeedServer[] = []
const openExecutors: Executor[] = []
afterEach(async () => {
  await Promise.all(openExecutors.splice(0).map((executor) => executor.close?.()))
  await Promise.all(openServers.splice(0).map((server) => server.close()))
})
const made = (options: McpOptions): Executor => {
  const executor = mcp(options)
  openExecutors.push(executor)
  return executor
}
const serve = async (options: DeedServerOptions): Promise<DeedServer> => {
  const server = await deedServer(options)
  openServers.push(server)
  return server
}
const around = ({ port }: { port: number }, changes: Partial<ExecutionContext> = {}): Partial<ExecutionContext> => ({
  egress: { policy: 'private_network_only', domains: [], connections: { ports: [port], loopback: true, plain: false } },
  ...changes,
})
const run = (executor: Executor, args: JsonObject, context: Partial<ExecutionContext>) =>
  Promise.resolve(executor.run(args, executionContext(context)))

describe('a program', () => {
  const command = [process.execPath, fileURLToPath(new URL('./mcp-servers/stdio.ts', import.meta.url))]
  const pidFor = (executor: Executor, tenant: string) => run(executor, {}, { tenant })

  it('serves one tenant alone, so that nothing of one is met by another [mcp-programs-one-tenant]', async () => {
    const [one, same] = [made({ server: { command }, tool: 'pid' }), made({ server: { command }, tool: 'pid' })]
    const pids = await Promise.all([pidFor(one, 'kestrel'), pidFor(one, 'merlin'), pidFor(same, 'kestrel')])
    expect(pids[0]).not.toBe(pids[1])
    expect(pids[2]).toBe(pids[0])
    expect(await pidFor(same, 'merlin')).toBe(pids[1])
  })

  it('serves all tenants where it was declared stateless', async () => {
    const executor = made({ server: { command, stateless: true }, tool: 'pid' })
    expect(await pidFor(executor, 'kestrel')).toBe(await pidFor(executor, 'merlin'))
    const other = made({ server: { command }, tool: 'pid' })
    expect(await pidFor(other, 'kestrel')).not.toBe(await pidFor(executor, 'kestrel'))
  })

  it.each([
    ['another word than true or false', { command, stateless: 'yes' as never }, 'true or false'],
    ['a server over HTTP', { url: 'https://example.com/mcp', stateless: true } as never, 'is said of a program'],
  ])('is not declared stateless by %s', (_what, server, why) => {
    expect(() => mcp({ server, tool: 'act' })).toThrow(
      expect.objectContaining({ code: 'bad_options', message: expect.stringContaining(why) }),
    )
  })
})

describe('a server over HTTP', () => {
  const answering = { onCall: ({ id }: { id: number }) => [resultOf(id, oneText('done'))] }
  const opened = ({ methods }: DeedServer) => methods.filter((method) => method === 'initialize').length

  it.each([
    ['that opens a session is met in one for each tenant [mcp-programs-one-tenant]', true, 3],
    ['that keeps none is met in one connection by all', false, 1],
  ])('%s', async (_what, session, connections) => {
    const server = await serve({ revision: '2025', session, ...answering })
    const executor = made({ server: { url: server.url, revision: '2025' }, tool: 'act' })
    const tenants = ['kestrel', 'merlin', 'hobby', 'kestrel', 'merlin']
    await Promise.all(tenants.map((tenant) => run(executor, {}, around(server, { tenant }))))
    for (const tenant of tenants) await run(executor, {}, around(server, { tenant }))
    expect(opened(server)).toBe(connections)
    expect(server.calls()).toBe(10)
  })

  it('that refuses what it was asked before the call has had no effect, by every word of it', async () => {
    const server = await serve({
      revision: '2025',
      ...answering,
      onOther: () => ({ error: { code: -32603, message: 'x' } }),
    })
    const executor = made({ server: { url: server.url, revision: '2026-07-28' }, tool: 'act' })
    await expect(run(executor, {}, around(server))).rejects.toMatchObject({ effect: 'none' })
    expect(server.calls()).toBe(0)
  })
})

describe('a server that lets no one in', () => {
  it.each([
    ['2025', 401, 'PERMISSION_DENIED'],
    ['2025', 403, 'PERMISSION_DENIED'],
    ['2026-07-28', 401, 'PERMISSION_DENIED'],
    ['2026-07-28', 403, 'PERMISSION_DENIED'],
    ['auto', 401, 'PERMISSION_DENIED'],
    ['auto', 403, 'PERMISSION_DENIED'],
    ['auto', 503, 'DEPENDENCY_UNAVAILABLE'],
  ] as const)('is not asked again by the revision of %s: status %i', async (revision, status, taxonomyClass) => {
    const server = await serveHttp(async () => {
      const headers = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' }
      return new Response('no', { status, headers })
    })
    try {
      const executor = made({ server: { url: server.url, revision }, tool: 'act' })
      await expect(run(executor, {}, around(server))).rejects.toMatchObject({ class: taxonomyClass, effect: 'none' })
    } finally {
      await server.close()
    }
  })
})

describe('a tool by the revision of 2026', () => {
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  const seen: Record<string, string>[] = []
  const listing = (tools: readonly unknown[]) =>
    serve({
      revision: '2026-07-28',
      tools,
      onCall: ({ id, headers }) => {
        seen.push(Object.fromEntries([...headers].filter(([name]) => name.startsWith('mcp-'))))
        return [resultOf(id, { resultType: 'complete', ...oneText('done') })]
      },
    })

  it('gets the arguments that it marks in header lines too [mcp-arguments-in-headers]', async () => {
    const server = await listing([
      { name: 'act', inputSchema: { type: 'object', properties: { region, note: { type: 'string' } } } },
    ])
    const executor = made({ server: { url: server.url, revision: '2026-07-28' }, tool: 'act' })
    expect(await run(executor, { region: 'us-west1', note: 'x' }, around(server))).toBe('done')
    expect(seen.at(-1)).toEqual({
      'mcp-method': 'tools/call',
      'mcp-name': 'act',
      'mcp-param-region': 'us-west1',
      'mcp-protocol-version': '2026-07-28',
    })
  })

  it('that marks them wrongly is not called, and does not hide the others', async () => {
    const server = await listing([
      { name: 'odd', inputSchema: { type: 'object', properties: { region: { ...region, type: 'object' } } } },
      { name: 'broken', inputSchema: 'none at all' },
      7,
      { name: 'act', inputSchema: { type: 'object' } },
    ])
    const by = (tool: string) =>
      run(made({ server: { url: server.url, revision: '2026-07-28' }, tool }), {}, around(server))
    await expect(by('odd')).rejects.toMatchObject({ code: 'mcp_bad_tool', effect: 'none' })
    expect(server.calls()).toBe(0)
    expect(await by('act')).toBe('done')
  })
})

describe('a tool of 2025 that is called as a task alone', () => {
  it('is called as one, and waited for', async () => {
    const asked: unknown[] = []
    const server = await serve({
      revision: '2025',
      tools: [{ name: 'act', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }],
      onCall: ({ id, params, deed }) => {
        asked.push(params.task)
        deed()
        return [resultOf(id, { task: { taskId: 't', status: 'working', pollInterval: 10 } })]
      },
      onOther: (method) => (method === 'tasks/get' ? { taskId: 't', status: 'completed' } : oneText('done')),
    })
    const executor = made({ server: { url: server.url, revision: '2025' }, tool: 'act' })
    expect(await run(executor, {}, around(server, { timeoutMs: 5_000 }))).toBe('done')
    expect(asked).toEqual([{ ttl: 5_000 }])
  })

  it('is told to stop where its caller goes away', async () => {
    const server = await serve({
      revision: '2025',
      onCall: ({ id }) => [resultOf(id, { task: { taskId: 't', status: 'working', pollInterval: 10 } })],
      onOther: () => ({ taskId: 't', status: 'working', pollInterval: 10 }),
    })
    const executor = made({ server: { url: server.url, revision: '2025' }, tool: 'act' })
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('gone')), 200)
    const waiting = run(executor, {}, around(server, { signal: controller.signal }))
    await expect(waiting).rejects.toMatchObject({ code: 'canceled', effect: 'unknown' })
    await expect.poll(() => server.methods.at(-1)).toBe('tasks/cancel')
  })
})
