// One connection to a server, shared by every call that means the same server. A call is answered with its result, or with what its failure
// means: whether it was sent, and whether the server had begun with it.
import { ToolError } from '../../../contract/fault.ts'
import type { Egress, ExecutionContext } from '../../../contract/tool/executor.ts'
import { isObject, type JsonObject } from '../../../json/value.ts'
import { unlessAborted } from '../../within.ts'
import { anyResult, type OpenClient, openClient } from './client.ts'
import { type Elicit, elicitationCapability } from './elicit.ts'
import { type FailedCall, isSessionOver } from './failure.ts'
import { listTools } from './list-tools.ts'
import { headersFor, type ParamHeaders, readParamHeaders } from './param-headers.ts'
import type { RenderedServer } from './server.ts'
import { resultOfTask, taskIn } from './tasks.ts'
import { endSession, partingMs } from './transport.ts'
import type { WatchedCall } from './watch.ts'

export interface McpCall {
  readonly tool: string
  /** What the server lists of it. */
  readonly listed: unknown
  readonly args: JsonObject
  readonly meta: JsonObject
  readonly signal: AbortSignal
  readonly mayAct: ExecutionContext['mayAct']
  readonly timeoutMs: number
  readonly progress: (text: string) => void
  readonly elicit: Elicit | undefined
}

export type McpOutcome =
  | { readonly kind: 'answered'; readonly result: unknown }
  /** `unheard`: by the transport's own word the call was not taken. */
  | ({ readonly kind: 'failed'; readonly unheard: boolean } & FailedCall)

export interface McpConnection {
  /** What the server calls itself. */
  readonly name: string | undefined
  /** The server keeps something of its callers between calls. */
  readonly session: boolean
  /** It has ended, or is used no more. */
  readonly over: boolean
  /** What the server lists of the tool; asked once, again after it has said that its list changed, and when that was longer ago. */
  listed(tool: string, signal: AbortSignal, maxAgeMs?: number): Promise<unknown>
  call(call: McpCall): Promise<McpOutcome>
  /** For a session that the server has forgotten. */
  end(): void
  close(): Promise<void>
}

export interface ConnectionInput {
  readonly server: RenderedServer
  readonly egress: Egress
  readonly maxBytes: number
  /** Questions to people are answered. */
  readonly elicits: boolean
}

const openMs = 30_000
const invalidParams = -32602
const headerMismatch = -32020

export async function openConnection(input: ConnectionInput): Promise<McpConnection> {
  let over = false
  let known: Promise<ReadonlyMap<string, unknown>> | undefined
  let knownAt = 0
  let tokens = 0
  const opened = await openClient({
    ...input,
    capabilities: input.elicits ? elicitationCapability : {},
    timeoutMs: openMs,
    onClose: () => {
      over = true
    },
    onListChanged: () => {
      known = undefined
    },
  })
  const { client, http, watch, modern } = opened
  const mirrored = new WeakMap<object, ParamHeaders>()
  const calls = new Set<Promise<unknown>>()
  const follow = (work: Promise<unknown>): void => {
    calls.add(work)
    const forget = () => void calls.delete(work)
    work.then(forget, forget)
  }

  /** The revision of 2026 wants some arguments in header lines too; on pipes there are none. */
  const headersOf = ({ listed, args }: McpCall): Readonly<Record<string, string>> => {
    if (!modern || http === undefined || !isObject(listed)) return {}
    const read = mirrored.get(listed) ?? readParamHeaders(listed.inputSchema)
    mirrored.set(listed, read)
    if (read.ok) return headersFor(read.arguments, args)
    throw new ToolError(
      'mcp_bad_tool',
      `The server lists a tool that cannot be called: ${read.reason}. Nothing was sent.`,
      {
        effect: 'none',
        class: 'DEPENDENCY_UNAVAILABLE',
      },
    )
  }

  const run = async (call: McpCall, watched: WatchedCall, token: string): Promise<McpOutcome> => {
    const { tool, args, meta, signal, timeoutMs } = call
    const headers = headersOf(call)
    const params = {
      name: tool,
      arguments: args,
      _meta: { ...meta, progressToken: token },
      ...(wantsTask(opened, call) ? { task: { ttl: timeoutMs } } : {}),
    }
    // The signal comes first; the timeout is for a call without one. What the server wants more of is sent with what it gave, and asked for
    // anew each time whether it may leave.
    const options = { signal, timeout: timeoutMs + partingMs, headers }
    const result = await watch.ask(() => client.request({ method: 'tools/call', params }, anyResult, options), watched)
    const task = taskIn(result, modern)
    if (task === undefined) return { kind: 'answered', result }
    watched.begun = true
    const ask = (method: string, asked: JsonObject, limits: { signal?: AbortSignal; timeout: number }) =>
      watch.ask(() => client.request({ method, params: asked }, anyResult, limits), watched)
    const ended = await resultOfTask(task, {
      modern,
      signal,
      mayAct: call.mayAct,
      elicit: call.elicit,
      request: (method, asked) => ask(method, asked, options),
      cancel: (asked) => follow(ask('tasks/cancel', asked, { timeout: partingMs })),
    })
    return { kind: 'answered', result: ended }
  }

  return {
    name: client.getServerVersion()?.name,
    session: http?.sessionId !== undefined,
    get over() {
      return over
    },
    async listed(tool, signal, maxAgeMs = Number.POSITIVE_INFINITY) {
      if (performance.now() - knownAt > maxAgeMs) known = undefined
      if (known === undefined) {
        known = listTools(opened, openMs)
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
    async call(call) {
      const { signal, mayAct, progress, elicit } = call
      const token = `proviso-${++tokens}`
      const { promise: ending, reject } = Promise.withResolvers<never>()
      ending.catch(() => undefined)
      const ended = () => reject(new Error('The stream ended without an answer.'))
      const watched: WatchedCall = {
        sent: false,
        left: false,
        leftBefore: false,
        begun: false,
        tooLarge: undefined,
        signal,
        mayAct,
        progress,
        elicit,
        ended,
      }
      watch.calls.set(token, watched)
      const session = http?.sessionId !== undefined
      const request = Promise.race([ending, run(call, watched, token)])
      follow(request)
      try {
        return await request
      } catch (error) {
        const { code } = (error ?? {}) as { readonly code?: unknown }
        // Perhaps it is the tool that is gone, or is another one.
        if (code === invalidParams || code === headerMismatch) known = undefined
        const { sent, leftBefore, begun } = watched
        const unheard = begun ? false : session && isSessionOver(error) ? true : !sent && over
        return { kind: 'failed', error: watched.tooLarge ?? error, sent, leftBefore, begun, unheard, modern }
      } finally {
        watch.calls.delete(token)
      }
    },
    end() {
      over = true
      // It is used no more: a failure to close it is not a failure of a call.
      client.close().catch(() => undefined)
    },
    async close() {
      // Calls that are under way end by their own time.
      while (calls.size > 0) await Promise.allSettled(calls)
      if (!over) await endSession(http)
      over = true
      await client.close()
    },
  }
}

/** By the revision of 2025 a tool may be one that is called as a task, and not otherwise. */
function wantsTask({ modern }: OpenClient, { listed }: McpCall): boolean {
  if (modern || !isObject(listed) || !isObject(listed.execution)) return false
  return listed.execution.taskSupport === 'required'
}
