// What a server asks in the middle of a call: it is answered at once, by the host where the host answers such questions.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import type { ExecutionContext, Executor } from '../../src/contract/tool/executor.ts'
import type { JsonObject, McpOptions } from '../../src/index.ts'
import { mcp } from '../../src/public/executors.ts'
import { executionContext } from './execution-context.ts'
import { type DeedServer, type DeedServerOptions, deedServer, oneText, resultOf } from './mcp-servers/deed-server.ts'

const openServers: DeedServer[] = []
const openExecutors: Executor[] = []
afterEach(async () => {
  await Promise.all(openExecutors.splice(0).map((executor) => executor.close?.()))
  await Promise.all(openServers.splice(0).map((server) => server.close()))
})

const around = ({ port }: { port: number }, changes: Partial<ExecutionContext> = {}): Partial<ExecutionContext> => ({
  egress: { policy: 'private_network_only', domains: [], connections: { ports: [port], loopback: true, plain: false } },
  ...changes,
})
const serve = async (options: DeedServerOptions): Promise<DeedServer> => {
  const server = await deedServer(options)
  openServers.push(server)
  return server
}
const made = (options: McpOptions): Executor => {
  const executor = mcp(options)
  openExecutors.push(executor)
  return executor
}
const run = (executor: Executor, args: JsonObject, context: Partial<ExecutionContext>) =>
  Promise.resolve(executor.run(args, executionContext(context)))

interface Wire {
  readonly id?: unknown
  readonly result?: JsonObject
  readonly error?: { readonly code: number }
}

/** Asks on the stream of the call, and goes on when it has been answered. */
async function asking(revision: '2025' | '2026-07-28', requests: readonly object[]) {
  const answers: Wire[] = []
  let goOn: () => void = () => undefined
  const server = await serve({
    revision,
    onAnswer: (message) => {
      answers.push(message as Wire)
      if (answers.length === requests.length) goOn()
    },
    onCall: ({ id, deed }) => {
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          const say = (message: object) => controller.enqueue(Buffer.from(`data: ${JSON.stringify(message)}\n\n`))
          const answered = new Promise<void>((resolve) => {
            goOn = resolve
          })
          for (const request of requests) say(request)
          await answered
          deed()
          say(resultOf(id, { resultType: 'complete', ...oneText('done') }))
          controller.close()
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  return { server, answers }
}

const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: `q-${method}`, method, params })
const question = (properties: object, mode: object = { mode: 'form' }) =>
  request('elicitation/create', { ...mode, message: 'Sure?', requestedSchema: { type: 'object', properties } })

describe.each(['2025', '2026-07-28'] as const)('a request of a server by the revision of %s', (revision) => {
  it.each(['sampling/createMessage', 'elicitation/create', 'roots/list', 'tools/list', 'no/such/method'])(
    'is refused at once, and the call goes on: %s [mcp-server-is-answered]',
    async (method) => {
      const { server, answers } = await asking(revision, [request(method)])
      const executor = made({ server: { url: server.url, revision }, tool: 'act' })
      expect(await run(executor, {}, around(server, { timeoutMs: 5_000 }))).toBe('done')
      expect(answers).toMatchObject([{ id: `q-${method}`, error: { code: -32601 } }])
    },
    3_000,
  )

  it('by the thousand keeps no more than 64 answers under way', async () => {
    const open = new Set<object>()
    let most = 0
    const server = await serve({
      revision,
      onAnswer: (message) => {
        open.add(message)
        most = Math.max(most, open.size)
        setImmediate(() => open.delete(message))
      },
      onCall: ({ id }) => [
        ...Array.from({ length: 1_000 }, (_, at) => ({ ...request('no/such/method'), id: `q-${at}` })),
        resultOf(id, { resultType: 'complete', ...oneText('done') }),
      ],
    })
    const executor = made({ server: { url: server.url, revision }, tool: 'act' })
    expect(await run(executor, {}, around(server))).toBe('done')
    expect(most).toBeLessThanOrEqual(64)
  })

  it('is refused by a program too', async () => {
    const program = fileURLToPath(new URL('./mcp-servers/hostile.ts', import.meta.url))
    const executor = made({ server: { command: [process.execPath, program, 'waits'], revision: '2025' }, tool: 'act' })
    expect(await run(executor, {}, {})).toBe('answered -32601')
  }, 5_000)
})

/** Asks on the stream on which it speaks unasked, as servers of the official SDK do that do not say for which call they ask. */
async function askingAside(asked: object) {
  const answers: Wire[] = []
  let goOn: () => void = () => undefined
  let aside: ReadableStreamDefaultController<Uint8Array> | undefined
  const say = (to: typeof aside, message: object) => to?.enqueue(Buffer.from(`data: ${JSON.stringify(message)}\n\n`))
  const events = (start: (controller: ReadableStreamDefaultController<Uint8Array>) => unknown) =>
    new Response(new ReadableStream<Uint8Array>({ start: async (controller) => void (await start(controller)) }), {
      headers: { 'content-type': 'text/event-stream' },
    })
  const server = await serve({
    revision: '2025',
    session: true,
    onAnswer: (message) => {
      answers.push(message as Wire)
      goOn()
    },
    onListen: () =>
      events((controller) => {
        aside = controller
        controller.enqueue(Buffer.from(': here\n\n'))
      }),
    onCall: ({ id, deed }) =>
      events(async (controller) => {
        while (aside === undefined) await new Promise((resolve) => setTimeout(resolve, 10))
        const answered = new Promise<void>((resolve) => {
          goOn = resolve
        })
        say(aside, asked)
        await answered
        deed()
        say(controller, resultOf(id, oneText('done')))
        controller.close()
      }),
  })
  return { server, answers }
}

describe('a request of a server beside the call', () => {
  it('is refused at once, and the call goes on [mcp-server-is-answered]', async () => {
    const { server, answers } = await askingAside(request('sampling/createMessage'))
    const executor = made({ server: { url: server.url, revision: '2025' }, tool: 'act' })
    expect(await run(executor, {}, around(server))).toBe('done')
    expect(answers).toMatchObject([{ error: { code: -32601 } }])
  }, 3_000)

  it('is answered by the host [mcp-host-answers-questions]', async () => {
    const { server, answers } = await askingAside(question({ name: { type: 'string', default: 'ada' } }))
    const executor = made({
      server: { url: server.url, revision: '2025' },
      tool: 'act',
      onElicit: () => ({ action: 'accept', content: {} }),
    })
    expect(await run(executor, {}, around(server))).toBe('done')
    expect(answers[0]?.result).toEqual({ action: 'accept', content: { name: 'ada' } })
  }, 3_000)

  it('is listened to without keeping the process', async () => {
    const server = await serve({
      revision: '2025',
      session: true,
      onListen: () =>
        new Response(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from(': here\n\n')) }), {
          headers: { 'content-type': 'text/event-stream' },
        }),
      onCall: ({ id }) => [resultOf(id, oneText('done'))],
    })
    const program = fileURLToPath(new URL('./mcp-servers/one-call.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [program, server.url], { timeout: 30_000 })
    expect(stdout).toBe('done')
  })

  it('that ends its stream again and again is not listened to for ever', async () => {
    let opened = 0
    const server = await serve({
      revision: '2025',
      onListen: () => {
        opened++
        return new Response('retry: 0\n\n', { headers: { 'content-type': 'text/event-stream' } })
      },
      onCall: async ({ id }) => {
        await new Promise((resolve) => setTimeout(resolve, 1_500))
        return [resultOf(id, oneText('done'))]
      },
    })
    const executor = made({ server: { url: server.url, revision: '2025' }, tool: 'act' })
    expect(await run(executor, {}, around(server))).toBe('done')
    expect(opened).toBe(5)
  })
})

describe('a question of a server to a person', () => {
  const properties = {
    sure: { type: 'boolean', default: true },
    name: { type: 'string', default: 'ada' },
    count: { type: 'integer', default: 3 },
  }

  it('is answered by the host, with the defaults of what is left out [mcp-host-answers-questions]', async () => {
    const { server, answers } = await asking('2025', [question(properties)])
    const seen: unknown[] = []
    const executor = made({
      server: { url: server.url, revision: '2025' },
      tool: 'act',
      onElicit: ({ message, schema }, { tenant, callId }) => {
        seen.push([message, Object.keys(schema), tenant, callId])
        return { action: 'accept', content: { count: 7 } }
      },
    })
    expect(await run(executor, {}, around(server, { tenant: 'kestrel', callId: 'c-1' }))).toBe('done')
    expect(seen).toEqual([['Sure?', ['properties', 'type'], 'kestrel', 'c-1']])
    expect(answers[0]?.result).toEqual({ action: 'accept', content: { sure: true, name: 'ada', count: 7 } })
  })

  it('that wants a page opened, or is none, is refused', async () => {
    const url = question({}, { mode: 'url', url: 'https://example.com/', elicitationId: 'e' })
    const { server, answers } = await asking('2025', [url])
    const executor = made({
      server: { url: server.url, revision: '2025' },
      tool: 'act',
      onElicit: () => ({ action: 'accept', content: {} }),
    })
    expect(await run(executor, {}, around(server))).toBe('done')
    expect(answers).toMatchObject([{ error: { code: -32602 } }])
  })

  it.each([
    ['throws', () => Promise.reject(new Error('no person there'))],
    ['answers what is no answer', () => 'yes' as never],
    ['accepts with what is no object', () => ({ action: 'accept', content: 'x' }) as never],
  ])('is dismissed where the host %s', async (_what, onElicit) => {
    const { server, answers } = await asking('2025', [question(properties)])
    const executor = made({ server: { url: server.url, revision: '2025' }, tool: 'act', onElicit })
    expect(await run(executor, {}, around(server))).toBe('done')
    expect(answers[0]?.result).toEqual({ action: 'cancel' })
  })

  it('is put to the host by the revision of 2026 in the rounds of the call, with its state', async () => {
    const got: unknown[] = []
    const server = await serve({
      revision: '2026-07-28',
      onCall: ({ id, params, nth, deed }) => {
        got.push([params.requestState, params.inputResponses])
        if (nth === 1) {
          const { params: asked } = question(properties)
          const inputRequests = { who: { method: 'elicitation/create', params: asked } }
          return [resultOf(id, { resultType: 'input_required', inputRequests, requestState: 'opaque ☃' })]
        }
        deed()
        return [resultOf(id, { resultType: 'complete', ...oneText('done') })]
      },
    })
    const executor = made({
      server: { url: server.url, revision: '2026-07-28' },
      tool: 'act',
      onElicit: () => ({ action: 'accept', content: { sure: false } }),
    })
    expect(await run(executor, {}, around(server))).toBe('done')
    const answer = { who: { action: 'accept', content: { sure: false, name: 'ada', count: 3 } } }
    expect(got).toEqual([
      [undefined, undefined],
      ['opaque ☃', answer],
    ])
    expect([server.deeds(), server.calls()]).toEqual([1, 2])
  })

  it('is put to the host by a task, once, and its answer is handed on with the defaults', async () => {
    const updates: unknown[] = []
    const server = await serve({
      revision: '2026-07-28',
      onCall: ({ id, deed }) => {
        deed()
        return [resultOf(id, { resultType: 'task', taskId: 't', status: 'working', pollIntervalMs: 10 })]
      },
      onOther: (method, params) => {
        if (method === 'tasks/update') {
          updates.push(params.inputResponses)
          return { resultType: 'complete' }
        }
        const task = { resultType: 'complete', taskId: 't', pollIntervalMs: 10 }
        if (updates.length > 0) return { ...task, status: 'completed', result: oneText('done') }
        const { params: asked } = question(properties)
        const inputRequests = { who: { method: 'elicitation/create', params: asked } }
        return { ...task, status: 'input_required', inputRequests }
      },
    })
    let asked = 0
    const executor = made({
      server: { url: server.url, revision: '2026-07-28' },
      tool: 'act',
      onElicit: () => {
        asked++
        return { action: 'accept', content: { name: 'eve' } }
      },
    })
    expect(await run(executor, {}, around(server))).toBe('done')
    expect(updates).toEqual([{ who: { action: 'accept', content: { sure: true, name: 'eve', count: 3 } } }])
    expect(asked).toBe(1)
  })

  it('is not waited for longer than the call may take', async () => {
    const { server } = await asking('2025', [question(properties)])
    const executor = made({
      server: { url: server.url, revision: '2025' },
      tool: 'act',
      onElicit: () => new Promise(() => undefined),
    })
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('time is up')), 100)
    const waiting = run(executor, {}, around(server, { signal: controller.signal }))
    await expect(waiting).rejects.toMatchObject({ code: 'canceled', effect: 'unknown' })
  })

  it('is dismissed from the twenty-first of a call on', async () => {
    const requests = Array.from({ length: 25 }, (_, at) => ({ ...question({}), id: `q-${at}` }))
    const { server, answers } = await asking('2025', requests)
    let shown = 0
    const executor = made({
      server: { url: server.url, revision: '2025' },
      tool: 'act',
      onElicit: () => {
        shown++
        return { action: 'accept', content: {} }
      },
    })
    expect(await run(executor, {}, around(server))).toBe('done')
    expect(shown).toBe(20)
    expect(answers.filter(({ result }) => result?.action === 'cancel')).toHaveLength(5)
  })

  it('is withdrawn when its call has ended', async () => {
    const server = await serve({
      revision: '2025',
      onCall: ({ id }) => [question({}), resultOf(id, oneText('done'))],
    })
    let withdrawn: Promise<void> | undefined
    const executor = made({
      server: { url: server.url, revision: '2025' },
      tool: 'act',
      onElicit: (_question, { signal }) => {
        withdrawn = new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve())
        })
        return new Promise(() => undefined)
      },
    })
    expect(await run(executor, {}, around(server))).toBe('done')
    await withdrawn
  })

  it('on a connection of several calls is not shown to a person of another one', async () => {
    const program = fileURLToPath(new URL('./mcp-servers/hostile.ts', import.meta.url))
    const seen: string[] = []
    const executor = made({
      server: { command: [process.execPath, program, 'asks-people'], stateless: true },
      tool: 'act',
      onElicit: (_question, { tenant }) => {
        seen.push(tenant)
        return { action: 'accept', content: {} }
      },
    })
    const [one, other] = await Promise.all(['kestrel', 'merlin'].map((tenant) => run(executor, {}, { tenant })))
    expect([one, other]).toEqual(['cancel', 'cancel'])
    expect(await run(executor, {}, { tenant: 'kestrel' })).toBe('accept')
    expect(seen).toEqual(['kestrel'])
  })
})
