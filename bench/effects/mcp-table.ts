// What may come back from an MCP server: results and what is none, rounds, tasks in every state, errors of the protocol, statuses of HTTP,
// and answers that are cut, doubled, of another call or of none. By both revisions over HTTP, and from a program.
import { errorOf, oneText, resultOf } from '../../test/execute/mcp-servers/deed-server.ts'
import type { EffectCase, EffectRow, EffectTable } from './effect-table.ts'
import { undone } from './http-table.ts'
import {
  complete,
  done,
  failed,
  type McpPlay,
  type McpStage,
  openMcpStage,
  type Revision,
  raw,
  revisions,
  said,
} from './mcp-stage.ts'
import { taskRows } from './mcp-tasks.ts'

type Answer = McpPlay['answer']
type Answers = readonly (readonly [name: string, answer: Answer])[]

export const mcpTable: EffectTable = {
  executor: 'mcp',
  async open() {
    const stage = await openMcpStage()
    const { ports, seen, close } = stage
    const rows = [
      ...resultRows(stage),
      ...roundRows(stage),
      ...taskRows(stage),
      ...errorRows(stage),
      ...statusRows(stage),
      ...brokenRows(stage),
      ...programRows(stage),
    ]
    return { ports, rows, seen, close }
  },
}

const old: readonly Revision[] = ['2025']
const modern: readonly Revision[] = ['2026-07-28']

const answersOf = (stage: McpStage, by: readonly Revision[], answers: Answers): readonly EffectCase[] =>
  answers.flatMap(([name, answer]) => by.map((revision) => stage.over(revision, name, { answer })))

const isComplete = 'MCP 2026-07-28, basic: complete says that the request completed, and so does no resultType at all'

function resultRows(stage: McpStage): readonly EffectRow[] {
  const good: Answers = [
    ['a result', (call) => said(call, done)],
    ['a result as one document', ({ id }) => Response.json(resultOf(id, { ...complete, ...done }))],
    ['a result in a list of answers', ({ id }) => Response.json([resultOf(id, { ...complete, ...done })])],
    ['a result of no content', (call) => said(call, { content: [] })],
    ['data alone', (call) => said(call, { structuredContent: { sum: 1 } })],
    ['a result that does not say its type', (call) => raw(call, done)],
    ['two answers, the first of which counts', (call) => [...said(call, done), ...failed(call, -32602)]],
    ['the same answer twice', (call) => [...said(call, done), ...said(call, done)]],
  ]
  const bad: Answers = [
    ['a result that is an error', (call) => said(call, { ...oneText('no'), isError: true })],
    ['a result without content', (call) => said(call, {})],
    ['a result that is a number', (call) => raw(call, 7)],
    ['a result that is null', (call) => raw(call, null)],
    ['a result that is a list', (call) => raw(call, [])],
    ['no word on whether it is an error', (call) => said(call, { ...done, isError: 'no' })],
    ['content that is no list', (call) => said(call, { content: 'text' })],
    ['content of an unknown type', (call) => said(call, { content: [{ type: 'spell' }] })],
    ['a type of its own', (call) => raw(call, { ...done, resultType: 'odd' })],
    ['a type that is no text', (call) => raw(call, { ...done, resultType: 7 })],
    ['a type that is null', (call) => raw(call, { ...done, resultType: null })],
  ]
  return [
    {
      came: 'a result of the tool',
      effect: 'happened',
      because: isComplete,
      cases: () => answersOf(stage, revisions, good),
    },
    {
      came: 'an error of the tool, or what is no result',
      effect: 'unknown',
      cases: () => answersOf(stage, revisions, bad),
    },
  ]
}

const elicitation = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Sure?',
    requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
  },
}
const sampling = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }

/** The server wants more before it goes on. */
function roundRows(stage: McpStage): readonly EffectRow[] {
  const wants =
    (more: object): Answer =>
    (call) =>
      raw(call, { resultType: 'input_required', ...more })
  const carriedOn: Answer = (call) => {
    if (call.nth === 1) return wants({ requestState: 'as it is' })(call)
    return call.params.requestState === 'as it is' ? said(call, done) : failed(call, -32602, 'another state')
  }
  const thenRefused =
    (refuse: Answer): Answer =>
    (call) =>
      call.nth === 1 ? wants({ requestState: 's' })(call) : refuse(call)
  return [
    {
      came: 'a result, once it got its state again',
      effect: 'happened',
      because: isComplete,
      cases: () => [stage.over('2026-07-28', 'carried on', { answer: carriedOn, deedLater: true })],
    },
    {
      came: 'more is wanted than the tool gives, again and again, or not said what',
      effect: 'unknown',
      cases: () =>
        answersOf(stage, modern, [
          ['of a person', wants({ inputRequests: { sure: elicitation }, requestState: 's' })],
          ['of our model', wants({ inputRequests: { say: sampling } })],
          ['of no known kind', wants({ inputRequests: { odd: { method: 'odd/ask' } } })],
          ['and not which', wants({})],
        ]),
    },
    {
      came: 'more is wanted, and what came then is refused: it had begun before',
      effect: 'unknown',
      cases: () => [
        ...[-32602, -32600, -32601].map((code) =>
          stage.over('2026-07-28', String(code), {
            answer: thenRefused((call) => failed(call, code, 'no such state')),
          }),
        ),
        ...[400, 401, 404, 429].map((status) =>
          stage.over('2026-07-28', String(status), { answer: thenRefused(() => new Response('no', { status })) }),
        ),
      ],
    },
    {
      came: 'more is wanted without end',
      effect: 'unknown',
      cases: () => [
        stage.over(
          '2026-07-28',
          'for ever',
          { answer: (call) => wants({ requestState: String(call.nth) })(call) },
          300,
        ),
      ],
    },
    {
      came: 'more is wanted by a revision that has no such thing',
      effect: 'unknown',
      cases: () => answersOf(stage, old, [['a state', wants({ requestState: 's' })]]),
    },
  ]
}

const jsonRpc = 'JSON-RPC 2.0, 5.1'

/** Codes by which the standard says that the method was not invoked, and by which revisions it is defined. */
const refusals: readonly (readonly [code: number, because: string, by: readonly Revision[]])[] = [
  [-32700, `${jsonRpc}: invalid JSON was received`, revisions],
  [-32600, `${jsonRpc}: what was sent is no valid request`, revisions],
  [-32601, `${jsonRpc}: the method does not exist`, revisions],
  [-32602, `${jsonRpc}: invalid parameters`, revisions],
  [-32020, 'MCP 2026-07-28, streamable HTTP: servers reject a request whose headers do not match its body', modern],
  [-32021, 'MCP 2026-07-28, schema: the request needs a capability that the client does not declare', modern],
  [-32022, 'MCP 2026-07-28, versioning: the server does not implement the requested version', modern],
  [-32042, 'MCP 2025-11-25, elicitation: the request cannot be processed until an elicitation is completed', old],
]

function errorRows(stage: McpStage): readonly EffectRow[] {
  const others = [-32603, -32000, -32001, -32002, -32019, -32023, -32041, -32099, 1, 0, 404]
  const progressed: Answer = (call) => {
    const { progressToken } = (call.params._meta ?? {}) as { readonly progressToken?: unknown }
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } }
    return [progress, ...failed(call, -32602)]
  }
  const undefinedThere = refusals.flatMap(([code, , by]) =>
    revisions
      .filter((revision) => !by.includes(revision))
      .map((revision) => stage.over(revision, String(code), { answer: (call) => failed(call, code) })),
  )
  return [
    ...refusals.map(
      ([code, because, by]): EffectRow => ({
        came: `the error ${code}`,
        effect: 'none',
        because,
        cases: () => answersOf(stage, by, [[String(code), (call) => failed(call, code)]]),
      }),
    ),
    { came: 'an error that the revision does not define', effect: 'unknown', cases: () => undefinedThere },
    {
      came: 'an error that does not say that the tool was not run',
      effect: 'unknown',
      cases: () =>
        answersOf(
          stage,
          revisions,
          others.map((code) => [String(code), (call) => failed(call, code)]),
        ),
    },
    {
      came: 'an error whose data looks like a word of the transport',
      effect: 'unknown',
      cases: () =>
        answersOf(
          stage,
          revisions,
          [404, 400, 401, 408, 429, 503].flatMap(
            (status): Answers => [
              [`-32000, status ${status}`, (call) => failed(call, -32000, `Upstream said ${status}`, { status })],
              [
                `-32603, status ${status}`,
                (call) => failed(call, -32603, 'no', { status, code: 'CLIENT_HTTP_NOT_IMPLEMENTED' }),
              ],
            ],
          ),
        ),
    },
    {
      came: 'a refusal of the arguments of a tool that had begun, or of what it returned',
      effect: 'unknown',
      cases: () =>
        answersOf(stage, revisions, [
          ['after progress', progressed],
          ['of its output', (call) => failed(call, -32602, 'Tool act has an output schema but no structured content')],
          ['of what it returned', (call) => failed(call, -32602, 'Output validation error: act has no amount')],
        ]),
    },
    {
      came: 'an error that is none',
      effect: 'unknown',
      cases: () =>
        answersOf(stage, revisions, [
          ['no words', ({ id }) => [{ jsonrpc: '2.0', id, error: { code: -32602 } }]],
          ['a code that is a text', ({ id }) => [{ jsonrpc: '2.0', id, error: { code: 'EPIPE', message: 'x' } }]],
          [
            'a code that is half a number',
            ({ id }) => [{ jsonrpc: '2.0', id, error: { code: -32602.5, message: 'x' } }],
          ],
        ]),
    },
  ]
}

/** The transport's own word. */
function statusRows(stage: McpStage): readonly EffectRow[] {
  const bodiless = [204, 205, 304]
  const answer =
    (status: number): Answer =>
    () =>
      new Response(bodiless.includes(status) ? null : 'no', { status })
  const isUndone = (status: number) => undone.some(([one]) => one === status)
  const others = Array.from({ length: 400 }, (_, at) => at + 200).filter(
    (status) => !isUndone(status) && status !== 200 && ![307, 308].includes(status),
  )
  const elsewhere =
    (status: number): Answer =>
    () =>
      new Response(null, { status, headers: { location: 'http://127.0.0.1:1/' } })
  return [
    {
      came: 'a status by which a standard says that the request was not carried out',
      effect: 'none',
      because: undone.map(([, word]) => word).join('; '),
      cases: () =>
        answersOf(
          stage,
          revisions,
          undone.map(([status]) => [String(status), answer(status)]),
        ),
    },
    {
      came: 'a status that no standard calls undone',
      effect: 'unknown',
      cases: () =>
        answersOf(
          stage,
          revisions,
          others.map((status) => [String(status), answer(status)]),
        ),
    },
    {
      came: 'a redirect that may come after the deed',
      effect: 'unknown',
      cases: () =>
        answersOf(
          stage,
          revisions,
          [301, 302, 303].map((status) => [String(status), elsewhere(status)]),
        ),
    },
    {
      came: 'a redirect that says that it was not done here',
      effect: 'none',
      because: 'RFC 9110, 15.4.8 and 15.4.9: the request belongs to the other address, unchanged',
      cases: () =>
        answersOf(
          stage,
          revisions,
          [307, 308].map((status) => [String(status), elsewhere(status)]),
        ),
    },
    {
      came: 'a result in a new session, after the server had forgotten the old one',
      effect: 'happened',
      because: 'MCP 2025-11-25, transports: 404 says that the session is over, and a new one is started',
      cases: () => [
        stage.over('2025', '404 once', {
          deedAt: 2,
          answer: (call) => (call.nth === 1 ? new Response('no', { status: 404 }) : said(call, done)),
        }),
      ],
    },
  ]
}

const text = (body: string, type = 'application/json') => new Response(body, { headers: { 'content-type': type } })

const cut = (begin: string, type: string): Response =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(begin))
        setTimeout(() => controller.error(new Error('cut')), 20)
      },
    }),
    { headers: { 'content-type': type } },
  )

function brokenRows(stage: McpStage): readonly EffectRow[] {
  const ofAnother: Answers = [
    ['a result of another call', ({ id }) => [resultOf(id + 1_000, done)]],
    ['a document for another call', ({ id }) => Response.json(resultOf(id + 1_000, { ...complete, ...done }))],
    ['an error of another call', ({ id }) => [errorOf(id + 1_000, -32602, 'no')]],
    ['a result of no call', () => [resultOf(null, done)]],
    ['an error of no call', () => Response.json(errorOf(null, -32602, 'no'))],
  ]
  const broken: Answers = [
    ['half a document', () => cut('{"jsonrpc":"2.0","id":', 'application/json')],
    ['half an event', () => cut('data: {"jsonrpc":', 'text/event-stream')],
    ['a document that is cut off', () => text('{"jsonrpc":"2.0"')],
    ['an empty document', () => text('')],
    ['null', () => text('null')],
    ['an empty list', () => text('[]')],
    ['a web page', () => text('<html></html>', 'text/html')],
    ['no kind at all', () => new Response('no')],
    ['a stream without an answer', () => []],
    ['a stream of other words', () => text('event: odd\ndata: {}\n\ndata: [DONE]\n\n', 'text/event-stream')],
  ]
  return [
    {
      came: 'what answers another call, or none',
      effect: 'unknown',
      cases: () => answersOf(stage, revisions, ofAnother),
    },
    { came: 'half an answer, or none', effect: 'unknown', cases: () => answersOf(stage, revisions, broken) },
    {
      came: 'nothing in time',
      effect: 'unknown',
      cases: () =>
        revisions.map((revision) =>
          stage.over(revision, 'nothing', { answer: () => cut('', 'text/event-stream') }, 300),
        ),
    },
  ]
}

/** On pipes there is no transport that could say anything. */
function programRows(stage: McpStage): readonly EffectRow[] {
  const ways = [
    'no-object',
    'no-content',
    'odd-content',
    'bad-base64',
    'dies',
    'internal-error',
    'huge',
    'bad-id-error',
  ]
  const silent = ['never', 'garbage', 'broken-json', 'other-id', 'no-id']
  return [
    {
      came: 'a result of a program',
      effect: 'happened',
      because: isComplete,
      cases: () => ['twice', 'bad-structure', 'asks', 'waits'].map((way) => stage.piped(way)),
    },
    {
      came: 'a refusal of a program',
      effect: 'none',
      because: `${jsonRpc}: invalid parameters`,
      cases: () => [stage.piped('invalid-params')],
    },
    { came: 'what is no result, or its end', effect: 'unknown', cases: () => ways.map((way) => stage.piped(way)) },
    { came: 'nothing of use in time', effect: 'unknown', cases: () => silent.map((way) => stage.piped(way, 300)) },
  ]
}
