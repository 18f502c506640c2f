// The two ways to a server. Over HTTP every request is held to the egress rules, is never redirected, and has an answer of bounded size;
// a program is started without a shell, sees of this process's environment nothing but PATH, and inherits no descriptor. A call asks whether it may still act before
// its message is written.
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamableHTTPClientTransport, Transport } from '@modelcontextprotocol/client'
import { ToolError } from '../../../contract/fault.ts'
import type { Egress, ExecutionContext } from '../../../contract/tool/executor.ts'
import { guardedFetch } from '../../egress/guarded-fetch.ts'
import { within } from '../../within.ts'
import { handing } from '../process/handing.ts'
import type { RenderedServer } from './server.ts'

export interface OpenTransport {
  readonly transport: Transport
  /** Over HTTP alone. */
  readonly http: StreamableHTTPClientTransport | undefined
}

/** The message that a request over HTTP carries: many calls share a connection, and the SDK does not pass the call to its fetch. */
export interface Sending {
  /** It leaves only while its call may act; undefined for a message of no call. */
  mayAct: ExecutionContext['mayAct'] | undefined
  /** Over HTTP: it was answered with a stream, of which more may come. */
  streamed: boolean
  /** Told where the answer is longer than may be read. */
  tooLarge: ((error: ToolError) => void) | undefined
}

const sender = new AsyncLocalStorage<Sending>()

export const sendFor = <T>(sending: Sending, send: () => T): T => sender.run(sending, send)

export async function transportTo(server: RenderedServer, egress: Egress, maxBytes: number): Promise<OpenTransport> {
  if (server.kind === 'program') return { transport: await programTransport(server, maxBytes), http: undefined }
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const http = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: boundedFetch(egress, maxBytes),
    requestInit: { headers: server.headers, redirect: 'error' },
    onInsufficientScope: 'throw',
  })
  return { transport: http, http }
}

async function programTransport(
  { command, args, env, cwd }: Extract<RenderedServer, { kind: 'program' }>,
  maxBytes: number,
): Promise<Transport> {
  const { StdioClientTransport, DEFAULT_INHERITED_ENV_VARS } = await import('@modelcontextprotocol/client/stdio')
  // The transport hands on HOME, USER and others of its own accord; a variable that is undefined is not set.
  const nothing = Object.fromEntries(DEFAULT_INHERITED_ENV_VARS.map((name) => [name, undefined]))
  const path = process.env.PATH === undefined ? {} : { PATH: process.env.PATH }
  const handed = handing({ file: command, argv: args, last: 2, ownKeys: false })
  if (!handed.ok)
    throw new ToolError('setup_required', handed.message, { effect: 'none', class: 'DEPENDENCY_UNAVAILABLE' })
  return new StdioClientTransport({
    command: handed.file,
    args: [...handed.argv],
    env: { ...nothing, ...path, ...env } as Record<string, string>,
    stderr: 'ignore',
    maxBufferSize: maxBytes,
    ...(cwd === undefined ? {} : { cwd }),
  })
}

/** The SDK opens a stream again as soon as its server has ended it, and as soon as that server wants. */
const openedAgainMs = 100
/** A stream on which a server speaks unasked is let go where it ends again and again. */
const mostUnasked = 5
const unaskedMs = 60_000

function boundedFetch(egress: Egress, maxBytes: number) {
  let lastOpened = Number.NEGATIVE_INFINITY
  let unasked: readonly number[] = []
  const mayListen = (now: number): boolean => {
    unasked = [...unasked.filter((at) => now - at < unaskedMs), now]
    return unasked.length <= mostUnasked
  }
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const isUnasked = init.method === 'GET' && !new Headers(init.headers).has('last-event-id')
    if (init.method === 'GET') {
      const now = performance.now()
      // By this status the SDK takes it that there is no such stream.
      if (isUnasked && !mayListen(now)) return new Response(null, { status: 405 })
      const pauseMs = lastOpened + openedAgainMs - now
      if (pauseMs > 0) await sleep(pauseMs, undefined, init.signal ? { signal: init.signal } : {})
      lastOpened = performance.now()
    }
    // A request that goes on listening for an answer sends nothing.
    const sending = init.method === 'POST' ? sender.getStore() : undefined
    const response = await guardedFetch(egress, { mayAct: sending?.mayAct, waits: !isUnasked })(url, init)
    const { status, statusText, headers, body } = response
    if (sending !== undefined) sending.streamed = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')
    // Credentials come with the binding: nothing is negotiated, and a refusal is a refusal.
    headers.delete('www-authenticate')
    return new Response(body === null ? null : bounded(body, maxBytes, sending?.tooLarge), {
      status,
      statusText,
      headers,
    })
  }
}

export const tooLargeAnswer = (maxBytes: number): ToolError =>
  new ToolError(
    'mcp_too_large',
    `The server answered with more than the ${maxBytes} bytes that this tool reads. Nothing of it is shown.`,
  )

function bounded(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  over: Sending['tooLarge'],
): ReadableStream<Uint8Array> {
  let bytes = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        if (bytes <= maxBytes) {
          controller.enqueue(chunk)
          return
        }
        const error = tooLargeAnswer(maxBytes)
        over?.(error)
        controller.error(error)
      },
    }),
  )
}

/** The era that is spoken; the SDK finds it out where both are possible. */
export function modeOf({ revision }: RenderedServer): 'legacy' | 'auto' | { readonly pin: string } {
  if (revision === 'auto') return 'auto'
  return revision === '2025' ? 'legacy' : { pin: revision }
}

/** How long a server has to end a session, or a call that was given up. */
export const partingMs = 2_000

/** How the parting goes is of no consequence: a server that does not answer in time is left. */
export async function endSession(http: StreamableHTTPClientTransport | undefined): Promise<void> {
  if (http?.sessionId === undefined) return
  await Promise.resolve(within(partingMs, http.terminateSession())).catch(() => undefined)
}
