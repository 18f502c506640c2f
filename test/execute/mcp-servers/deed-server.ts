// An MCP server over HTTP that does the deed and then answers anything: what it answers is given for each test. Before the call it keeps
// to the protocol. It counts its deeds, which is the effect in the world.
import { serveHttp } from './over-http.ts'

export interface DeedCall {
  readonly id: number
  readonly params: Readonly<Record<string, unknown>>
  readonly headers: Headers
  /** Which call of the tool this is, from 1. */
  readonly nth: number
  /** Does the deed once more. */
  deed(): void
}

/** What it sends back: a response of HTTP, or messages of JSON-RPC, which go out as one stream of events. */
export type Said = Response | readonly object[]

export interface DeedServerOptions {
  readonly revision: '2025' | '2026-07-28'
  readonly onCall: (call: DeedCall) => Said | Promise<Said>
  /** Requests of the client other than the call: tasks/get and the like. Undefined: the method is not there. */
  readonly onOther?: (method: string, params: Readonly<Record<string, unknown>>) => object | undefined
  /** Messages that the client posts without asking anything: its answers to requests of the server. */
  readonly onAnswer?: (message: Readonly<Record<string, unknown>>) => void
  /** The stream on which it speaks unasked; without it there is none. */
  readonly onListen?: () => Response
  /** What it lists. */
  readonly tools?: readonly unknown[]
  readonly session?: boolean
}

export interface DeedServer {
  readonly url: string
  readonly port: number
  readonly revision: '2025' | '2026-07-28'
  /** Deeds that are done in the world. */
  readonly deeds: () => number
  /** How often the tool was called. */
  readonly calls: () => number
  /** Methods in the order in which they came. */
  readonly methods: readonly string[]
  close(): Promise<void>
}

interface Asked {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
}

export const resultOf = (id: unknown, result: object): object => ({ jsonrpc: '2.0', id, result })
export const errorOf = (id: unknown, code: number, message: string, data?: unknown): object => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
})
export const oneText = (text: string): object => ({ content: [{ type: 'text', text }] })

const asEvents = (messages: readonly object[]): Response =>
  new Response(messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })

export async function deedServer(options: DeedServerOptions): Promise<DeedServer> {
  const { revision, onCall, onOther, onAnswer, onListen, session = false } = options
  const modern = revision === '2026-07-28'
  const { tools = [{ name: 'act', inputSchema: { type: 'object' } }] } = options
  const methods: string[] = []
  let deeds = 0
  let nth = 0
  const complete = (result: object) =>
    modern ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...result } : result
  const opening = (method: string, params: Readonly<Record<string, unknown>>): object | undefined => {
    if (modern && method === 'server/discover')
      return complete({ supportedVersions: [revision], capabilities: { tools: {} } })
    if (!modern && method === 'initialize')
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'deeds', version: '1' },
      }
    return method === 'tools/list' ? complete({ tools }) : undefined
  }
  const server = await serveHttp(async (request) => {
    if (request.method === 'GET' && onListen !== undefined) return onListen()
    if (request.method !== 'POST') return new Response(null, { status: 405 })
    const message = (await request.json()) as Asked
    const { id, method, params = {} } = message
    if (method === undefined) {
      onAnswer?.(message as Readonly<Record<string, unknown>>)
      return new Response(null, { status: 202 })
    }
    methods.push(method)
    if (id === undefined) return new Response(null, { status: 202 })
    if (method === 'tools/call') {
      const said = await onCall({ id, params, headers: request.headers, nth: ++nth, deed: () => void deeds++ })
      return said instanceof Response ? said : asEvents(said)
    }
    const result = opening(method, params) ?? onOther?.(method, params)
    if (result === undefined)
      return Response.json(errorOf(id, -32601, 'Method not found'), { status: modern ? 404 : 200 })
    const headers: Record<string, string> = session && method === 'initialize' ? { 'mcp-session-id': 'session-1' } : {}
    return Response.json('error' in result ? { jsonrpc: '2.0', id, ...result } : resultOf(id, result), { headers })
  })
  return {
    url: server.url,
    port: server.port,
    revision,
    deeds: () => deeds,
    calls: () => nth,
    methods,
    close: () => server.close(),
  }
}
