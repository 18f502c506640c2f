// The mcp executor against real servers, over standard input and output and over HTTP, and against servers that mean harm.
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ExecutionContext, Executor } from '../../src/contract/tool/executor.ts'
import { type McpOptions, ToolError } from '../../src/index.ts'
import type { JsonObject } from '../../src/json/value.ts'
import { mcp } from '../../src/public/executors.ts'
import { executionContext } from './execution-context.ts'
import { type HttpServer, serveHttp } from './mcp-servers/over-http.ts'

const stdioServer = fileURLToPath(new URL('./mcp-servers/stdio.ts', import.meta.url))
const hostileServer = fileURLToPath(new URL('./mcp-servers/hostile.ts', import.meta.url))
const program = {
  command: [process.execPath, stdioServer, '; touch /tmp/owned', '$(id)'],
  env: { GREETING: 'hello' },
}

const executors: Executor[] = []
const made = (options: McpOptions): Executor => {
  const executor = mcp(options)
  executors.push(executor)
  return executor
}
afterAll(() => Promise.all(executors.map((executor) => executor.close?.())))

const run = (executor: Executor, args: JsonObject = {}, context: Partial<ExecutionContext> = {}): Promise<unknown> =>
  Promise.resolve(executor.run(args, executionContext(context)))

const failure = (attempt: Promise<unknown>): Promise<ToolError> =>
  attempt.then(
    (value) => Promise.reject(new Error(`It returned ${JSON.stringify(value)}`)),
    (error) => {
      if (error instanceof ToolError) return error
      throw error
    },
  )

let web: HttpServer
beforeAll(async () => {
  web = await serveHttp()
})
afterAll(() => web.close())

const loopback = (
  server: HttpServer,
  changes: Partial<ExecutionContext['egress']> = {},
): Partial<ExecutionContext> => ({
  egress: {
    policy: 'private_network_only',
    domains: [],
    connections: { ports: [server.port], loopback: true, plain: false },
    ...changes,
  },
})

const routes = [
  ['standard input and output', () => program, () => ({})],
  ['standard input and output, revision of 2026', () => ({ ...program, revision: '2026-07-28' as const }), () => ({})],
  ['HTTP', () => ({ url: web.url, revision: '2025' as const }), () => loopback(web)],
  ['HTTP, whichever revision it offers', () => ({ url: web.url }), () => loopback(web)],
] as const

describe.each(routes)('a tool over %s', (_route, server, around) => {
  const call = (tool: string, args: JsonObject = {}, context: Partial<ExecutionContext> = {}) =>
    run(made({ server: server(), tool }), args, { ...around(), ...context })

  it('returns its structured content, and its text where there is none', async () => {
    expect(await call('add', { a: 2, b: 40 })).toEqual({ sum: 42 })
    expect(await call('say', { text: 'as it is: {"a":1}' })).toBe('as it is: {"a":1}')
    expect(await call('nothing')).toBeNull()
  })

  it('returns images, sounds and files as data, and leaves out what is too large', async () => {
    const executor = made({ server: server(), tool: 'media', maxContentBytes: 1_000 })
    expect(await run(executor, {}, around())).toEqual({
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', mimeType: 'image/png', data: 'c21hbGw=' },
        { type: 'audio', mimeType: 'audio/wav', bytes: 4_000, omitted: true },
        { type: 'resource', uri: 'file:///note.txt', mimeType: 'text/plain', text: 'a note' },
        { type: 'resource_link', uri: 'file:///more.txt', name: 'more' },
      ],
    })
  })

  it('fails by its own word, and then its effect is unknown', async () => {
    expect(await failure(call('fail'))).toMatchObject({
      code: 'mcp_tool_error',
      message: 'The server says: No such invoice.',
      effect: 'unknown',
    })
    const known = made({ server: server(), tool: 'fail', withoutEffect: ['mcp_tool_error'] })
    expect(await failure(run(known, {}, around()))).toMatchObject({ code: 'mcp_tool_error', effect: 'none' })
  })

  it('tells how far it is', async () => {
    const told: string[] = []
    expect(await call('steps', {}, { progress: (text) => told.push(text) })).toBe('done')
    expect(told).toEqual(['1/2 step 1', '2/2 step 2'])
  })

  it('is told when its caller goes away', async () => {
    const before = Number(await call('cancelled'))
    const controller = new AbortController()
    const progress = () => controller.abort(new Error('gone'))
    const waiting = call('wait', {}, { signal: controller.signal, progress })
    expect(await failure(waiting)).toMatchObject({ code: 'canceled', effect: 'unknown' })
    await expect.poll(() => call('cancelled')).toBe(String(before + 1))
  })

  it('is not called where the server does not have it, or is another one', async () => {
    expect(await failure(call('no_such_tool'))).toMatchObject({
      code: 'mcp_no_such_tool',
      class: 'DEPENDENCY_UNAVAILABLE',
      effect: 'none',
    })
    const other = made({ server: server(), tool: 'say', serverName: 'another-server' })
    expect(await failure(run(other, {}, around()))).toMatchObject({ code: 'mcp_other_server', effect: 'none' })
  })

  it('carries the idempotency key where the binding says so, and only there', async () => {
    const keyed = made({ server: server(), tool: 'meta', keyMeta: 'example.com/key' })
    const meta = async (executor: Executor) => JSON.parse(String(await run(executor, {}, around())))
    expect(await meta(keyed)).toMatchObject({ 'example.com/key': 'key-1' })
    expect(JSON.stringify(await meta(made({ server: server(), tool: 'meta' })))).not.toContain('key-1')
  })
})

describe('a server on standard input and output', () => {
  const text = async (tool: string, options: Partial<McpOptions> = {}) =>
    String(await run(made({ server: program, tool, ...options })))

  it('gets its arguments as they are, its own variables, PATH, and nothing else of ours', async () => {
    process.env.SECRET_OF_OURS = 'never-to-be-seen'
    try {
      const server = { ...program, env: { GREETING: '{credential:greeting}' } }
      const executor = made({ server, tool: 'environment' })
      const seen = JSON.parse(String(await run(executor, {}, { credentials: new Map([['greeting', 'a secret one']]) })))
      expect(seen.GREETING).toBe('a secret one')
      expect(seen.argv).toEqual(['; touch /tmp/owned', '$(id)'])
      const names = Object.keys(seen).filter((name) => !['GREETING', 'PATH', 'argv', '_'].includes(name))
      expect(names).toEqual([])
    } finally {
      delete process.env.SECRET_OF_OURS
    }
  })

  it('is started once for all who mean the same one, and not for those with another secret', async () => {
    const pid = await text('pid')
    expect(await text('pid')).toBe(pid)
    const keyed = { ...program, env: { KEY: '{credential:key}' } }
    const of = (secret: string) =>
      run(made({ server: keyed, tool: 'pid' }), {}, { credentials: new Map([['key', secret]]) })
    const [one, other, again] = await Promise.all([of('secret-of-one'), of('secret-of-other'), of('secret-of-one')])
    expect(again).toBe(one)
    expect(new Set([pid, one, other]).size).toBe(3)
  })

  it('is started again when it has ended, and closed when the last who used it closes', async () => {
    const own = { ...program, env: { FOR: 'this test' } }
    const [first, second] = [made({ server: own, tool: 'pid' }), made({ server: own, tool: 'leave' })]
    const pid = Number(await run(first))
    await run(second)
    await expect.poll(() => isAlive(pid)).toBe(false)
    const next = Number(await run(first))
    expect(next).not.toBe(pid)
    await second.close?.()
    expect(Number(await run(first))).toBe(next)
    await first.close?.()
    await expect.poll(() => isAlive(next)).toBe(false)
  })

  it('whose list has changed is looked at again before the next call', async () => {
    const own = { ...program, env: { FOR: 'the list' } }
    const fleeting = made({ server: own, tool: 'fleeting' })
    expect(await run(fleeting)).toBe('still here')
    await run(made({ server: own, tool: 'withdraw' }))
    const code = () => failure(run(fleeting)).then(({ code, effect }) => `${code}, ${effect}`)
    await expect.poll(code).toBe('mcp_no_such_tool, none')
  })

  it('that cannot be started has had no effect', async () => {
    for (const command of [['/no/such/program'], [process.execPath, '-e', 'process.exit(3)']]) {
      const executor = made({ server: { command }, tool: 'act' })
      expect(await failure(run(executor))).toMatchObject({ class: 'DEPENDENCY_UNAVAILABLE', effect: 'none' })
    }
  })
})

describe('a hostile server', () => {
  it.each([
    ['never ends', 'endless-list', 'more than 64 pages'],
    ['breaks off', 'half-list', 'Page 2'],
  ])('whose list %s is not called, because not all of it was seen', async (_what, way, why) => {
    expect(await failure(act(way))).toMatchObject({
      code: 'mcp_list_cut_off',
      class: 'DEPENDENCY_UNAVAILABLE',
      effect: 'none',
      message: expect.stringContaining(why),
    })
  })

  const act = (way: string, context: Partial<ExecutionContext> = {}, options: Partial<McpOptions> = {}) =>
    run(made({ server: { command: [process.execPath, hostileServer, way] }, tool: 'act', ...options }), {}, context)

  it.each([
    ['answers what is no object', 'no-object'],
    ['answers without a list of content', 'no-content'],
    ['answers with content of an unknown type', 'odd-content'],
    ['answers with bytes that are none', 'bad-base64'],
  ])('that %s leaves the effect unknown', async (_what, way) => {
    expect(await failure(act(way))).toMatchObject({ effect: 'unknown' })
  })

  it.each([
    ['never answers', 'never'],
    ['answers with garbage', 'garbage'],
    ['answers with half a message', 'broken-json'],
    ['answers another call', 'other-id'],
    ['answers no request', 'no-id'],
  ])('that %s is waited for no longer than the call may take', async (_what, way) => {
    const controller = new AbortController()
    // Its time is up a moment after it was heard.
    const progress = () => void setTimeout(() => controller.abort(new Error('time is up')), 100)
    const waiting = act(way, { signal: controller.signal, progress })
    expect(await failure(waiting)).toMatchObject({ class: 'TIMEOUT', effect: 'unknown' })
  })

  it('that answers too much is cut off', async () => {
    expect(await failure(act('huge', {}, { maxResponseBytes: 50_000 }))).toMatchObject({
      code: 'mcp_too_large',
      message: expect.stringContaining('50000 bytes'),
      effect: 'unknown',
    })
  })

  it('that answers twice is believed once', async () => {
    expect(await act('twice')).toBe('first')
    expect(await act('twice')).toBe('first')
  })

  it('that dies in the middle leaves the effect unknown, and the call is not sent again [mcp-call-is-sent-once]', async () => {
    expect(await failure(act('dies'))).toMatchObject({ code: 'mcp_connection_lost', effect: 'unknown' })
  })

  it('that refuses a request by the word of the protocol has done nothing', async () => {
    expect(await failure(act('invalid-params'))).toMatchObject({
      code: 'mcp_-32602',
      class: 'SEMANTIC_INVALIDITY',
      effect: 'none',
    })
    expect(await failure(act('internal-error'))).toMatchObject({ code: 'mcp_-32603', effect: 'unknown' })
  })

  it('that breaks its own word about its output is judged by the contract alone', async () => {
    expect(await act('bad-structure')).toEqual({ sum: 'many' })
  })

  it('that wants to use our model is not answered, and still has to answer', async () => {
    expect(await act('asks')).toBe('asked')
  })
})

describe('a server over HTTP', () => {
  const servers: HttpServer[] = []
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()))
  })
  const serve = async (...given: Parameters<typeof serveHttp>) => {
    const server = await serveHttp(...given)
    servers.push(server)
    return server
  }
  const json = (id: unknown, result: unknown, headers = {}) =>
    Response.json({ jsonrpc: '2.0', id, result }, { headers })

  /** Answers everything as it should, but calls. */
  const answering =
    (onCall: (id: number) => Response | Promise<Response>) =>
    async (request: Request): Promise<Response> => {
      if (request.method !== 'POST') return new Response(null, { status: 405 })
      const { id, method, params } = (await request.json()) as { id: number; method: string; params: JsonObject }
      if (method === 'initialize') {
        const { protocolVersion } = params
        const serverInfo = { name: 'odd', version: '1' }
        return json(id, { protocolVersion, capabilities: { tools: {} }, serverInfo }, { 'mcp-session-id': 'session-1' })
      }
      if (method === 'tools/list') return json(id, { tools: [{ name: 'act', inputSchema: { type: 'object' } }] })
      return method === 'tools/call' ? onCall(id) : new Response(null, { status: 202 })
    }
  const act = (server: HttpServer, options: Partial<McpOptions> = {}, context: Partial<ExecutionContext> = {}) =>
    run(
      made({ server: { url: server.url, revision: '2025' }, tool: 'act', ...options }),
      {},
      {
        ...loopback(server),
        ...context,
      },
    )

  it('gets the headers of the binding, with secrets filled in', async () => {
    const server = await serve()
    const executor = made({
      server: { url: server.url, headers: { authorization: 'Bearer {credential:token}' } },
      tool: 'say',
    })
    await run(executor, { text: 'x' }, { ...loopback(server), credentials: new Map([['token', 'a-long-secret']]) })
    expect(server.seen.every(({ headers }) => headers.get('authorization') === 'Bearer a-long-secret')).toBe(true)
    expect(server.seen.some(({ headers }) => headers.has('proviso-watch'))).toBe(false)
    expect(await failure(run(executor, { text: 'x' }, loopback(server)))).toMatchObject({ code: 'credential_missing' })
  })

  it.each([
    ['the policy allows none', { policy: 'none' as const }],
    ['this machine is not allowed', { connections: { ports: [1], loopback: false, plain: true } }],
    ['its name is not listed', { policy: 'allowlisted_domains' as const, domains: ['mcp.example.com'] }],
  ])('is not connected to where %s', async (_why, egress) => {
    const server = await serve()
    expect(await failure(act(server, {}, loopback(server, egress)))).toMatchObject({
      code: 'egress_refused',
      effect: 'none',
    })
    expect(server.seen).toEqual([])
  })

  it('that is not there has had no effect', async () => {
    const server = await serveHttp()
    await server.close()
    expect(await failure(act(server))).toMatchObject({ class: 'DEPENDENCY_UNAVAILABLE', effect: 'none' })
  })

  it.each([
    [400, 'none', 'DEPENDENCY_UNAVAILABLE'],
    [401, 'none', 'PERMISSION_DENIED'],
    [403, 'none', 'PERMISSION_DENIED'],
    [429, 'none', 'RATE_LIMITED'],
    [500, 'unknown', 'DEPENDENCY_UNAVAILABLE'],
    [503, 'unknown', 'DEPENDENCY_UNAVAILABLE'],
  ])('that answers a call with the status %s: the effect is %s', async (status, effect, taxonomyClass) => {
    const server = await serve(answering(() => new Response('no', { status })))
    expect(await failure(act(server))).toMatchObject({ code: `mcp_http_${status}`, effect, class: taxonomyClass })
    expect(calls(server)).toBe(1)
  })

  const calls = ({ seen }: HttpServer) => seen.filter(({ body }) => body.includes('tools/call')).length

  it('that redirects a call is not followed', async () => {
    const elsewhere = await serve()
    const server = await serve(
      answering(() => new Response(null, { status: 307, headers: { location: elsewhere.url } })),
    )
    expect(
      await failure(
        act(
          server,
          {},
          loopback(server, { connections: { ports: [server.port, elsewhere.port], loopback: true, plain: false } }),
        ),
      ),
    ).toMatchObject({ code: 'redirect_refused', effect: 'none' })
    expect(elsewhere.seen).toEqual([])
  })

  it('that forgets its session is greeted again, and the call is sent to the new one [mcp-call-is-sent-once]', async () => {
    let forgotten = true
    const server = await serve(
      answering((id) => {
        if (!forgotten) return json(id, { content: [{ type: 'text', text: 'taken' }] })
        forgotten = false
        return new Response('no such session', { status: 404 })
      }),
    )
    expect(await act(server)).toBe('taken')
    expect(server.seen.filter(({ body }) => body.includes('"initialize"'))).toHaveLength(2)
  })

  it('that ends its stream without an answer leaves the effect unknown at once', async () => {
    const stream = () => new Response('event: message\n\n', { headers: { 'content-type': 'text/event-stream' } })
    const server = await serve(answering(stream))
    expect(await failure(act(server))).toMatchObject({ code: 'mcp_connection_lost', effect: 'unknown' })
  })

  it('that breaks off in the middle leaves the effect unknown', async () => {
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"jsonrpc":"2.0",'))
        setTimeout(() => controller.error(new Error('cut')), 50)
      },
    })
    const server = await serve(
      answering(() => new Response(broken, { headers: { 'content-type': 'application/json' } })),
    )
    expect(await failure(act(server))).toMatchObject({ effect: 'unknown' })
  })

  it.each(['application/json', 'text/event-stream'])('that answers too much as %s is cut off', async (type) => {
    const text = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { text: 'x'.repeat(200_000) } })}\n\n`
    const server = await serve(answering(() => new Response(text, { headers: { 'content-type': type } })))
    expect(await failure(act(server, { maxResponseBytes: 50_000 }))).toMatchObject({
      code: 'mcp_too_large',
      message: expect.stringContaining('50000 bytes'),
      effect: 'unknown',
    })
  })

  it('that answers with a web page is no server', async () => {
    const page = () => new Response('<html></html>', { headers: { 'content-type': 'text/html' } })
    const server = await serve(answering(page))
    expect(await failure(act(server))).toMatchObject({ effect: 'unknown' })
  })
})

describe('a server that cannot be one', () => {
  it.each([
    ['no program', { command: [] }, 'needs a program'],
    ['a NUL in its arguments', { command: ['node', 'a\0b'] }, 'without NUL'],
    ['an argument of the call in its environment', { command: ['node'], env: { A: '{text}' } }, 'no arguments'],
    ['another protocol', { url: 'file:///etc/passwd' }, 'found by a URL'],
    ['a user in its URL', { url: 'https://user:password@example.com/mcp' }, 'without a user'],
    ['a password alone in its URL', { url: 'https://:password@example.com/mcp' }, 'without a user'],
    [
      'a header that is the protocol’s own',
      { url: 'https://example.com/mcp', headers: { 'Mcp-Session-Id': 'x' } },
      'Mcp-Session-Id',
    ],
    ['a header that is none', { url: 'https://example.com/mcp', headers: { 'a b': 'x' } }, 'names no header'],
  ])('is refused when the tool is defined: %s', (_what, server, why) => {
    expect(() => mcp({ server, tool: 'act' })).toThrow(
      expect.objectContaining({ code: 'bad_options', message: expect.stringContaining(why) }),
    )
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
