// One connection to a server, shared by every call that means the same server. Each call is watched from outside of the SDK: whether it
// was sent decides what its failure means, and a stream that ends without an answer fails it at once.

import type { Client, JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { Egress, ExecutionContext } from '../../../contract/tool/executor.ts'
import { withoutLastWord } from '../../../json/text-end.ts'
import type { JsonObject } from '../../../json/value.ts'
import { lastLook } from '../../attempt/may-act.ts'
import { unlessAborted } from '../../within.ts'
import type { FailedCall } from './failure.ts'
import { anyResult, listTools } from './list-tools.ts'
import type { RenderedServer } from './server.ts'
import { endSession, modeOf, partingMs, sendFor, transportTo } from './transport.ts'

export interface McpCall {
  readonly tool: string
  readonly args: JsonObject
  readonly meta: JsonObject
  readonly signal: AbortSignal
  readonly mayAct: ExecutionContext['mayAct']
  readonly timeoutMs: number
  readonly progress: (text: string) => void
}

export type McpOutcome =
  | { readonly kind: 'answered'; readonly result: unknown }
  | ({ readonly kind: 'failed' } & FailedCall)

export interface McpConnection {
  /** What the server calls itself. */
  readonly name: string | undefined
  /** It has ended, or is used no more. */
  readonly over: boolean
  /** What the server lists of the tool; asked once, again after it has said that its list changed, and when that was longer ago. */
  listed(tool: string, signal: AbortSignal, maxAgeMs?: number): Promise<unknown>
  call(call: McpCall): Promise<McpOutcome>
  /** For a session that the server has forgotten. */
  end(): void
  close(): Promise<void>
}

/** A call that is under way, as the transport sees it. */
interface Watched {
  sent: boolean
  /** A request of it was allowed to leave once its connection stood; and whether that was an earlier one than the last. */
  left: boolean
  leftBefore: boolean
  readonly signal: AbortSignal
  readonly mayAct: ExecutionContext['mayAct']
  readonly progress: (text: string) => void
  readonly ended: () => void
}

const openMs = 30_000
const maxProgressLength = 500
const invalidParams = -32602

export async function openConnection(server: RenderedServer, egress: Egress, maxBytes: number): Promise<McpConnection> {
  const { Client } = await import('@modelcontextprotocol/client')
  const { transport, http } = await transportTo(server, egress, maxBytes)
  const watched = new Map<unknown, Watched>()
  let over = false
  let known: Promise<ReadonlyMap<string, unknown>> | undefined
  let knownAt = 0
  let tokens = 0

  const client: Client = new Client({ name: 'proviso', version: '1' }, { versionNegotiation: { mode: modeOf(server) } })
  client.onclose = () => {
    over = true
  }
  // An error of a call rejects that call; stray messages of a server belong to no call.
  client.onerror = () => undefined
  watchSending(transport, watched)
  try {
    await client.connect(transport, { timeout: openMs })
  } catch (error) {
    // Why it could not be opened is worth more than that it could not be closed either.
    await transport.close().catch(() => undefined)
    throw error
  }
  watchHearing(transport, watched, () => {
    known = undefined
  })

  const calls = new Set<Promise<unknown>>()
  return {
    name: client.getServerVersion()?.name,
    get over() {
      return over
    },
    async listed(tool, signal, maxAgeMs = Number.POSITIVE_INFINITY) {
      if (performance.now() - knownAt > maxAgeMs) known = undefined
      if (known === undefined) {
        known = listTools(client, openMs)
        knownAt = performance.now()
      }
      const asked = known
      // What could not be asked is asked again next time.
      asked.catch(() => {
        if (known === asked) known = undefined
      })
      const tools = await unlessAborted(asked, signal)
      if (tools === undefined) throw signal.reason
      return tools.get(tool)
    },
    async call({ tool, args, meta, signal, mayAct, timeoutMs, progress }) {
      const token = `proviso-${++tokens}`
      const params = { name: tool, arguments: args, _meta: { ...meta, progressToken: token } }
      let watch: Watched | undefined
      const request = new Promise<unknown>((resolve, reject) => {
        const ended = () => reject(new Error('The stream ended without an answer.'))
        watch = { sent: false, left: false, leftBefore: false, signal, mayAct, progress, ended }
        watched.set(token, watch)
        client
          .request({ method: 'tools/call', params }, anyResult, {
            signal,
            // The signal comes first; this is for a call without one.
            timeout: timeoutMs + partingMs,
            // A server that wants to ask a person cannot do so here; nothing is sent a second time.
            allowInputRequired: true,
          })
          .then(resolve, reject)
      })
      calls.add(request)
      try {
        return { kind: 'answered', result: await request }
      } catch (error) {
        // Perhaps it is the tool that is gone.
        if ((error as { readonly code?: unknown } | null)?.code === invalidParams) known = undefined
        return { kind: 'failed', error, sent: watch?.sent ?? false, leftBefore: watch?.leftBefore ?? false }
      } finally {
        calls.delete(request)
        watched.delete(token)
      }
    },
    end() {
      over = true
      // It is used no more: a failure to close it is not a failure of a call.
      client.close().catch(() => undefined)
    },
    async close() {
      // Calls that are under way end by their own time.
      await Promise.allSettled(calls)
      if (!over) await endSession(http)
      over = true
      await client.close()
    },
  }
}

/** From here on the server may have heard a call. Over HTTP its exchange ends with its answer, and when its caller goes away. */
function watchSending(transport: Transport, watched: ReadonlyMap<unknown, Watched>): void {
  const send = transport.send.bind(transport)
  transport.send = async (message, options) => {
    const call = 'method' in message && message.method === 'tools/call' ? watched.get(tokenOf(message)) : undefined
    if (call === undefined) return sendFor(undefined, () => send(message, options))
    // A program is written to at once; over HTTP a connection may come first, and it is asked again when that stands.
    lastLook(call)
    call.sent = true
    call.leftBefore = call.left
    const requestSignal = options?.requestSignal ?? call.signal
    const mayLeave = () => {
      const may = call.mayAct()
      call.left ||= may
      return may
    }
    return sendFor(mayLeave, () => send(message, { ...options, requestSignal, onRequestStreamEnd: call.ended }))
  }
}

/** Heard before the SDK does: it forgets a call with its answer, and with it the progress that came just before. */
function watchHearing(transport: Transport, watched: ReadonlyMap<unknown, Watched>, listChanged: () => void): void {
  const hear = transport.onmessage
  transport.onmessage = (message, extra) => {
    const method = 'method' in message ? message.method : undefined
    if (method === 'notifications/tools/list_changed') listChanged()
    if (method === 'notifications/progress') {
      const { params = {} } = message as { readonly params?: JsonObject }
      watched.get(params.progressToken)?.progress(progressText(params))
    } else hear?.(message, extra)
  }
}

function tokenOf(message: JSONRPCMessage): unknown {
  const { params } = message as { readonly params?: { readonly _meta?: { readonly progressToken?: unknown } } }
  return params?._meta?.progressToken
}

function progressText({ progress, total, message }: JsonObject): string {
  const share = typeof total === 'number' ? `${String(progress)}/${total}` : String(progress)
  const text = typeof message === 'string' ? `${share} ${message}` : share
  // Without the word that it cuts: half of a secret would not be known for one.
  return text.length <= maxProgressLength ? text : withoutLastWord(text.slice(0, maxProgressLength))
}
