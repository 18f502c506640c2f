// What came back of a call of an MCP server, and what its effect is then: a server does the deed and answers anything. The effect in the
// world never contradicts the answer, and no answer sends the call again.
import { appendFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import type { Executor } from '../../src/contract/tool/executor.ts'
import { defineTool, openProviso, type Proviso } from '../../src/index.ts'
import { mcp } from '../../src/public/executors.ts'
import {
  type DeedCall,
  type DeedServer,
  type DeedServerOptions,
  deedServer,
  errorOf,
  oneText,
  resultOf,
  type Said,
} from './mcp-servers/deed-server.ts'

type Revision = DeedServerOptions['revision']

interface Row {
  readonly name: string
  readonly revisions?: readonly Revision[]
  readonly answer: (call: DeedCall) => Said | Promise<Said>
  readonly other?: DeedServerOptions['onOther']
  readonly effect: 'happened' | 'unknown' | 'none'
  /** The sentence of a standard by which nothing was done. Then this server has done nothing, as the sentence says. */
  readonly says?: string
  /** It does the deed in `answer`, and not before. */
  readonly late?: boolean
  readonly code?: string
  readonly class?: string
  /** Calls of the tool that it gets, where that is not one. */
  readonly calls?: number
  readonly session?: boolean
  readonly timeoutMs?: number
}

const both: readonly Revision[] = ['2025', '2026-07-28']
const old: readonly Revision[] = ['2025']
const modern: readonly Revision[] = ['2026-07-28']
const complete = { resultType: 'complete' }
const said = ({ id }: DeedCall, result: object): Said => [resultOf(id, { ...complete, ...result })]
const raw = ({ id }: DeedCall, result: unknown): Said => [{ jsonrpc: '2.0', id, result }]
const failed = ({ id }: DeedCall, code: number, message = 'no', data?: unknown): Said => [
  errorOf(id, code, message, data),
]
const status =
  (code: number, body: string | null = 'no') =>
  () =>
    new Response(body, { status: code })
const progressOf = ({ params }: DeedCall): object => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: (params._meta as { progressToken?: unknown } | undefined)?.progressToken, progress: 1 },
})
const done = oneText('done')

/** What the tool returned, or did not. */
const results: readonly Row[] = [
  { name: 'a result', answer: (call) => said(call, done), effect: 'happened' },
  {
    name: 'a result as one document',
    answer: ({ id }) => Response.json(resultOf(id, { ...complete, ...done })),
    effect: 'happened',
  },
  { name: 'a result of no content', answer: (call) => said(call, { content: [] }), effect: 'happened' },
  {
    name: 'structured content alone',
    answer: (call) => said(call, { structuredContent: { sum: 1 } }),
    effect: 'happened',
    revisions: old,
  },
  {
    name: 'a result that is an error',
    answer: (call) => said(call, { ...oneText('no'), isError: true }),
    effect: 'unknown',
    code: 'mcp_tool_error',
  },
  { name: 'a result without content', answer: (call) => said(call, {}), effect: 'unknown', code: 'mcp_bad_result' },
  { name: 'a result that is a number', answer: (call) => raw(call, 7), effect: 'unknown' },
  { name: 'a result that is null', answer: (call) => raw(call, null), effect: 'unknown' },
  { name: 'a result that is a list', answer: (call) => raw(call, []), effect: 'unknown' },
  {
    name: 'no word on whether it is an error',
    answer: (call) => said(call, { ...done, isError: 'no' }),
    effect: 'unknown',
  },
  {
    name: 'content of an unknown type',
    answer: (call) => said(call, { content: [{ type: 'spell' }] }),
    effect: 'unknown',
  },
  { name: 'no resultType', answer: (call) => raw(call, done), effect: 'happened', revisions: old },
  {
    name: 'no resultType',
    answer: (call) => raw(call, done),
    effect: 'unknown',
    code: 'mcp_bad_result',
    revisions: modern,
  },
  {
    name: 'a resultType of its own',
    answer: (call) => raw(call, { ...done, resultType: 'odd' }),
    effect: 'unknown',
    code: 'mcp_bad_result',
  },
  {
    name: 'a resultType that is no text',
    answer: (call) => raw(call, { ...done, resultType: 7 }),
    effect: 'unknown',
    code: 'mcp_bad_result',
  },
]

const elicitation = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Sure?',
    requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
  },
}
const wants = (call: DeedCall, more: object): Said => raw(call, { resultType: 'input_required', ...more })

/** The server wants more before it goes on. */
const rounds: readonly Row[] = [
  {
    name: 'input required, carried on with its state',
    revisions: modern,
    late: true,
    answer: (call) => {
      if (call.nth === 1) return wants(call, { requestState: 'as it is' })
      if (call.params.requestState !== 'as it is') return failed(call, -32602, 'another state')
      call.deed()
      return said(call, done)
    },
    effect: 'happened',
    calls: 2,
  },
  {
    name: 'input required from a person, where none can be asked',
    revisions: modern,
    answer: (call) => wants(call, { inputRequests: { sure: elicitation }, requestState: 's' }),
    effect: 'unknown',
    code: 'mcp_input_required',
  },
  {
    name: 'input required of our model',
    revisions: modern,
    answer: (call) =>
      wants(call, {
        inputRequests: { say: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } },
      }),
    effect: 'unknown',
    code: 'mcp_input_required',
  },
  {
    name: 'input required, and not which',
    revisions: modern,
    answer: (call) => wants(call, {}),
    effect: 'unknown',
    code: 'mcp_bad_result',
  },
  {
    name: 'input required without end',
    revisions: modern,
    late: true,
    answer: (call) => {
      if (call.nth === 1) call.deed()
      return wants(call, { requestState: String(call.nth) })
    },
    effect: 'unknown',
    calls: 11,
    timeoutMs: 10_000,
  },
  ...[-32602, -32600, -32601].map(
    (code): Row => ({
      name: `input required, and then ${code}`,
      revisions: modern,
      late: true,
      answer: (call) => {
        if (call.nth > 1) return failed(call, code, 'no such state')
        call.deed()
        return wants(call, { requestState: 's' })
      },
      effect: 'unknown',
      calls: 2,
    }),
  ),
  {
    name: 'input required, and then 400',
    revisions: modern,
    late: true,
    answer: (call) => {
      if (call.nth > 1) return new Response('no', { status: 400 })
      call.deed()
      return wants(call, { requestState: 's' })
    },
    effect: 'unknown',
    calls: 2,
  },
  {
    name: 'input required by a revision that has no such thing',
    revisions: old,
    answer: (call) => wants(call, { requestState: 's' }),
    effect: 'unknown',
    code: 'mcp_bad_result',
  },
]

const made = (revision: Revision, state: object) =>
  revision === '2025'
    ? {
        task: {
          taskId: 't1',
          ttl: 60_000,
          pollInterval: 10,
          createdAt: '2026-01-01T00:00:00Z',
          lastUpdatedAt: '2026-01-01T00:00:00Z',
          ...state,
        },
      }
    : {
        resultType: 'task',
        taskId: 't1',
        ttlMs: 60_000,
        pollIntervalMs: 10,
        createdAt: '2026-01-01T00:00:00Z',
        lastUpdatedAt: '2026-01-01T00:00:00Z',
        ...state,
      }

interface TaskRow {
  readonly name: string
  readonly effect: Row['effect']
  readonly code?: string
  readonly timeoutMs?: number
  readonly first?: object
  /** What tasks/get says, one after the other, the last for ever; without it there is no such method. */
  readonly states?: readonly object[]
  /** What the task came to. */
  readonly end?: object
}

/** It made a task of the call, and the deed is done. */
const taskRows: readonly TaskRow[] = [
  {
    name: 'that is completed later',
    states: [{ status: 'working' }, { status: 'completed' }],
    end: done,
    effect: 'happened',
  },
  {
    name: 'that is completed at once',
    first: { status: 'completed' },
    states: [{ status: 'completed' }],
    end: done,
    effect: 'happened',
  },
  {
    name: 'that is completed with an error of the tool',
    states: [{ status: 'completed' }],
    end: { ...oneText('no'), isError: true },
    effect: 'unknown',
    code: 'mcp_tool_error',
  },
  {
    name: 'that is completed with no result',
    states: [{ status: 'completed' }],
    end: {},
    effect: 'unknown',
    code: 'mcp_bad_result',
  },
  { name: 'that goes on for ever', states: [{ status: 'working' }], effect: 'unknown', timeoutMs: 400 },
  {
    name: 'that failed',
    states: [{ status: 'working' }, { status: 'failed' }],
    effect: 'unknown',
    code: 'mcp_task_failed',
  },
  {
    name: 'that failed at once',
    first: { status: 'failed' },
    states: [{ status: 'failed' }],
    effect: 'unknown',
    code: 'mcp_task_failed',
  },
  { name: 'that was cancelled', states: [{ status: 'cancelled' }], effect: 'unknown', code: 'mcp_task_cancelled' },
  { name: 'that needs input', states: [{ status: 'input_required' }], effect: 'unknown', timeoutMs: 400 },
  { name: 'in a state of its own', states: [{ status: 'odd' }], effect: 'unknown', code: 'mcp_bad_result' },
  {
    name: 'that is not found again',
    states: [{ error: { code: -32602, message: 'Task not found' } }],
    effect: 'unknown',
  },
  { name: 'of which nothing can be asked', effect: 'unknown' },
  { name: 'without a name', first: { taskId: undefined }, effect: 'unknown', code: 'mcp_bad_result' },
]

const tasks: readonly Row[] = both.flatMap((revision) =>
  taskRows.map(({ name, effect, code, timeoutMs, first = { status: 'working' }, states, end }): Row => {
    let asked = 0
    const ended = end === undefined ? {} : { result: { ...complete, ...end } }
    const failure = { code: -32602, message: 'It failed while it ran.' }
    return {
      name: `a task ${name}`,
      revisions: [revision],
      effect,
      ...(code === undefined ? {} : { code }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      answer: (call) => raw(call, made(revision, { status: 'working', ...first })),
      other: (method) => {
        if (states === undefined) return undefined
        const state = states[Math.min(asked, states.length - 1)] as { readonly status?: string }
        if (method === 'tasks/cancel') return complete
        if (method === 'tasks/get') {
          asked++
          if ('error' in state) return state
          if (revision === '2025') return (made(revision, state) as { task: object }).task
          const error = state.status === 'failed' ? { error: failure } : {}
          return { ...made(revision, state), ...complete, ...(state.status === 'completed' ? ended : {}), ...error }
        }
        if (method !== 'tasks/result' || revision !== '2025') return undefined
        return end ?? { error: failure }
      },
    }
  }),
)

const jsonRpc = 'JSON-RPC 2.0, section 5.1'
const invalidRequest = `${jsonRpc}: the JSON sent is not a valid Request object.`
const notFound = `${jsonRpc}: the method does not exist or is not available.`
const badParams = `${jsonRpc}: invalid method parameters.`
const mismatch = 'MCP, streamable HTTP: servers reject requests whose headers do not match their body.'

/** Errors of the protocol. */
const errors: readonly Row[] = [
  {
    name: 'a parse error',
    answer: (call) => failed(call, -32700),
    effect: 'none',
    says: `${jsonRpc}: invalid JSON was received.`,
  },
  { name: 'an invalid request', answer: (call) => failed(call, -32600), effect: 'none', says: invalidRequest },
  { name: 'no such method', answer: (call) => failed(call, -32601), effect: 'none', says: notFound },
  { name: 'invalid arguments', answer: (call) => failed(call, -32602), effect: 'none', says: badParams },
  {
    name: 'invalid arguments, said of what the tool returned',
    answer: (call) => failed(call, -32602, 'Tool act has an output schema but no structured content was provided'),
    effect: 'unknown',
  },
  {
    name: 'invalid arguments, after it had begun',
    answer: (call) => [progressOf(call), ...(failed(call, -32602) as object[])],
    effect: 'unknown',
  },
  { name: 'other headers than arguments', answer: (call) => failed(call, -32020), effect: 'none', says: mismatch },
  {
    name: 'another revision',
    answer: (call) => failed(call, -32022),
    effect: 'none',
    says: 'MCP, versioning: a server that does not implement the requested version responds with this error.',
  },
  {
    name: 'a capability of ours is missing',
    answer: (call) => failed(call, -32021, 'Missing', { requiredCapabilities: { sampling: {} } }),
    effect: 'none',
    says: 'MCP, schema: processing the request requires a capability that the client did not declare.',
  },
  {
    name: 'a person has to open a page first',
    answer: (call) => failed(call, -32042, 'Log in', { elicitations: [] }),
    effect: 'none',
    class: 'PERMISSION_DENIED',
    says: 'MCP, elicitation: the request cannot be processed until an elicitation is completed.',
  },
  ...[-32603, -32000, -32001, -32002, -32099, 1, 404].map(
    (code): Row => ({
      name: `the error ${code}`,
      answer: (call) => failed(call, code),
      effect: 'unknown',
    }),
  ),
  ...[404, 400, 401, 429, 503].flatMap((code): Row[] => [
    {
      name: `an error whose data says status ${code}`,
      answer: (call) => failed(call, -32000, `Upstream said ${code}`, { status: code }),
      effect: 'unknown',
    },
    {
      name: `an internal error in a session whose data says status ${code}`,
      answer: (call) => failed(call, -32603, `Upstream said ${code}`, { status: code }),
      effect: 'unknown',
      session: true,
      revisions: old,
    },
  ]),
  {
    name: 'an error of no words',
    answer: ({ id }) => [{ jsonrpc: '2.0', id, error: { code: -32602 } }],
    effect: 'unknown',
  },
  {
    name: 'an error whose code is a text',
    answer: ({ id }) => [{ jsonrpc: '2.0', id, error: { code: 'EPIPE', message: 'x' } }],
    effect: 'unknown',
  },
]

const http = 'RFC 9110, section 15.5'
const refusals: readonly (readonly [number, string, string])[] = [
  [400, 'DEPENDENCY_UNAVAILABLE', `${http}.1: the server cannot or will not process the request.`],
  [401, 'PERMISSION_DENIED', `${http}.2: the request has not been applied.`],
  [403, 'PERMISSION_DENIED', `${http}.4: the server refuses to fulfill the request.`],
  [404, 'DEPENDENCY_UNAVAILABLE', `${http}.5: there is no such resource to process it.`],
  [405, 'DEPENDENCY_UNAVAILABLE', `${http}.6: the method is not supported by the resource.`],
  [413, 'DEPENDENCY_UNAVAILABLE', `${http}.14: the server is refusing to process the request.`],
  [415, 'DEPENDENCY_UNAVAILABLE', `${http}.16: the server is refusing to service the request.`],
]

/** Statuses of HTTP: the transport's own word. */
const statuses: readonly Row[] = [
  ...refusals.map(
    ([code, taxonomyClass, says]): Row => ({
      name: `the status ${code}`,
      answer: status(code),
      effect: 'none',
      class: taxonomyClass,
      code: `mcp_http_${code}`,
      says,
    }),
  ),
  ...[402, 406, 408, 409, 410, 418, 423, 424, 499, 500, 502, 503, 504, 520].map(
    (code): Row => ({
      name: `the status ${code}`,
      answer: status(code),
      effect: 'unknown',
      code: `mcp_http_${code}`,
    }),
  ),
  ...[300, 301, 302, 303].map(
    (code): Row => ({
      name: `the status ${code}`,
      answer: () => new Response(null, { status: code, headers: { location: 'http://127.0.0.1:1/' } }),
      effect: 'unknown',
    }),
  ),
  { name: 'the status 202', answer: status(202, null), effect: 'unknown', code: 'mcp_bad_result' },
  { name: 'the status 204', answer: status(204, null), effect: 'unknown' },
  {
    name: 'the status 404 in a session, once',
    revisions: old,
    session: true,
    late: true,
    answer: (call) => {
      if (call.nth === 1) return new Response('no such session', { status: 404 })
      call.deed()
      return said(call, done)
    },
    effect: 'happened',
    calls: 2,
  },
]

const cut = (text: string): Response =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text))
        setTimeout(() => controller.error(new Error('cut')), 20)
      },
    }),
    { headers: { 'content-type': text.startsWith('{') ? 'application/json' : 'text/event-stream' } },
  )
const document = (text: string, type = 'application/json') => new Response(text, { headers: { 'content-type': type } })

/** Half answers, answers of others, and answers that are none. */
const broken: readonly Row[] = [
  { name: 'half a document', answer: () => cut('{"jsonrpc":"2.0","id":'), effect: 'unknown' },
  { name: 'half an event', answer: () => cut('data: {"jsonrpc":'), effect: 'unknown' },
  { name: 'a document that is cut off', answer: () => document('{"jsonrpc":"2.0"'), effect: 'unknown' },
  { name: 'an empty document', answer: () => document(''), effect: 'unknown' },
  { name: 'a web page', answer: () => document('<html></html>', 'text/html'), effect: 'unknown' },
  { name: 'a stream without an answer', answer: () => [], effect: 'unknown' },
  { name: 'an answer to another call', answer: ({ id }) => [resultOf(id + 1_000, done)], effect: 'unknown' },
  {
    name: 'a document that answers another call',
    answer: ({ id }) => Response.json(resultOf(id + 1_000, { ...complete, ...done })),
    effect: 'unknown',
  },
  { name: 'an error of another call', answer: ({ id }) => [errorOf(id + 1_000, -32602, 'no')], effect: 'unknown' },
  {
    name: 'a document with an error of no call',
    answer: () => Response.json(errorOf(null, -32602, 'no')),
    effect: 'unknown',
  },
  { name: 'an answer to no call', answer: () => [resultOf(null, done)], effect: 'unknown' },
  {
    name: 'a list of answers',
    answer: ({ id }) => Response.json([resultOf(id, { ...complete, ...done })]),
    effect: 'happened',
  },
  {
    name: 'two answers, the first of which counts',
    answer: (call) => [...(said(call, done) as object[]), ...(failed(call, -32602) as object[])],
    effect: 'happened',
  },
  {
    name: 'the same answer twice',
    answer: (call) => [...(said(call, done) as object[]), ...(said(call, done) as object[])],
    effect: 'happened',
  },
]

const rows: readonly Row[] = [...results, ...rounds, ...tasks, ...errors, ...statuses, ...broken]

const opened: { server: DeedServer; executor: Executor; proviso: Proviso }[] = []
afterAll(async () => {
  for (const { server, proviso } of opened) {
    await proviso.close()
    await server.close()
  }
})

async function outcome(row: Row, revision: Revision) {
  const server = await deedServer({
    revision,
    session: row.session === true,
    ...(row.other === undefined ? {} : { onOther: row.other }),
    onCall: (call) => {
      if (row.says === undefined && row.late !== true) call.deed()
      return row.answer(call)
    },
  })
  const executor = mcp({ server: { url: server.url, revision }, tool: 'act' })
  const tool = defineTool({
    name: 'act_v1',
    description: 'Does the deed.',
    effect: 'MEDIUM_RISK_WRITE',
    input: { type: 'object', properties: {}, additionalProperties: false },
    output: {},
    egress: 'private_network_only',
    connections: { ports: [server.port], loopback: true },
    executor,
    trusted: true,
    timeoutMs: row.timeoutMs ?? 3_000,
    maxRetries: 2,
  })
  const proviso = await openProviso({ tools: [tool] })
  opened.push({ server, executor, proviso })
  const answer = await proviso.call(
    { tool: 'act_v1', arguments: {}, callId: 'c' },
    { tenant: 'acme', user: 'ada', run: 'r' },
  )
  return { answer, server }
}

describe.each(both)('what came back by the revision of %s', (revision) => {
  it.each(rows.filter(({ revisions = both }) => revisions.includes(revision)))('$name: $effect', async (row) => {
    const { answer, server } = await outcome(row, revision)
    const seen = server.deeds()
    appendFileSync(
      '/tmp/mcp-rows.txt',
      [
        revision,
        row.name,
        row.effect,
        answer.effect,
        answer.observation.status.taxonomy_class,
        seen,
        server.calls(),
        JSON.stringify(answer.observation),
        server.methods.join(' '),
      ].join(' | ') + '\n',
    )
    expect(answer.effect).toBe(row.effect)
    expect(seen).toBeLessThanOrEqual(1)
    if (answer.effect !== 'unknown') expect(seen).toBe(answer.effect === 'happened' ? 1 : 0)
    expect(row.effect === 'none').toBe(row.says !== undefined)
    if (row.effect !== 'none') expect(server.calls()).toBe(row.calls ?? 1)
  })
})
