// One call: the connection that is there or a new one, a look at the server and its list, and the call itself, which is sent once.
import { ToolError } from '../../../contract/fault.ts'
import type { ExecutionContext } from '../../../contract/tool/executor.ts'
import type { JsonObject, JsonValue } from '../../../json/value.ts'
import { unlessAborted } from '../../within.ts'
import { keepOpen } from '../kept-open.ts'
import { type McpConnection, type McpOutcome, openConnection } from './connection.ts'
import { readMcpResult } from './content.ts'
import { callFailure, isForgotten } from './failure.ts'
import { type RenderedServer, type RenderServer, serverKey } from './server.ts'

export interface McpPlan {
  readonly render: RenderServer
  readonly tool: string
  readonly serverName: string | undefined
  readonly keyMeta: string | undefined
  readonly maxBytes: number
  readonly maxContentBytes: number
  /** Only what a person has approved of the tool may be called. */
  readonly pinned: boolean
}

/** Over HTTP a server cannot say that its list has changed while no call is under way: for a pinned tool it is asked for again. */
const pinnedAgeMs = 30_000

interface Opening {
  readonly connection: Promise<McpConnection>
}

/** Each message is searched for secrets, which takes about a millisecond: beyond this many the messages of a server are dropped. */
const mostProgress = 1_000

/** Those of every executor in this process. */
const connections = keepOpen<Opening>(async ({ connection }) => {
  // A connection that could not be opened has failed its call, and leaves nothing to close.
  await (await connection.catch(() => undefined))?.close()
})

export const releaseConnections = (owner: object): Promise<void> => connections.release(owner)

export async function runCall(
  owner: object,
  plan: McpPlan,
  args: JsonObject,
  context: ExecutionContext,
): Promise<JsonValue> {
  const { tool, keyMeta, maxBytes, maxContentBytes } = plan
  const { idempotencyKey, signal, mayAct, timeoutMs } = context
  const server = plan.render(context.credentials)
  const place = { owner, server, maxBytes, key: serverKey(server, context.egress, maxBytes) }
  const meta = keyMeta === undefined || idempotencyKey === undefined ? {} : { [keyMeta]: idempotencyKey }
  let passed = 0
  const progress = (text: string) => {
    if (++passed <= mostProgress) context.progress(text)
  }
  for (let attempt = 1; ; attempt++) {
    const connection = await connect(place, context)
    await checkServer(connection, plan, context)
    const called = await connection.call({ tool, args, meta, signal, mayAct, timeoutMs, progress })
    if (called.kind === 'answered') return resultValue(called.result, maxContentBytes)
    // A second time only, and only where the server cannot have heard the first.
    if (attempt > 1 || !isUnheard(called, connection)) throw callFailure(called, signal)
  }
}

interface ConnectionPlace {
  readonly owner: object
  readonly key: string
  readonly server: RenderedServer
  readonly maxBytes: number
}

async function connect(
  { owner, key, server, maxBytes }: ConnectionPlace,
  { egress, signal }: ExecutionContext,
): Promise<McpConnection> {
  for (;;) {
    const opening = connections.use(owner, key, () => ({ connection: openConnection(server, egress, maxBytes) }))
    try {
      const connection = await unlessAborted(opening.connection, signal)
      if (connection === undefined) throw signal.reason
      if (!connection.over) return connection
    } catch (error) {
      if (!signal.aborted) connections.drop(key, opening)
      throw callFailure({ error, sent: false, leftBefore: false }, signal)
    }
    connections.drop(key, opening)
  }
}

async function checkServer(
  connection: McpConnection,
  { serverName, tool, pinned }: McpPlan,
  { signal, vet }: ExecutionContext,
): Promise<void> {
  if (serverName !== undefined && connection.name !== serverName)
    throw unusable('mcp_other_server', `The server is not ${serverName}, as it has to be.`)
  let listed: unknown
  try {
    listed = await connection.listed(tool, signal, pinned ? pinnedAgeMs : undefined)
  } catch (error) {
    throw callFailure({ error, sent: false, leftBefore: false }, signal)
  }
  if (listed === undefined) throw unusable('mcp_no_such_tool', `The server has no tool ${tool}.`)
  if (!pinned) return
  if (vet === undefined) throw unusable('mcp_unvetted', 'It is not known here what a person has approved of this tool.')
  await vet(listed)
}

function isUnheard({ error, sent }: Extract<McpOutcome, { kind: 'failed' }>, connection: McpConnection): boolean {
  if (!isForgotten(error)) return !sent && connection.over
  connection.end()
  return true
}

function resultValue(result: unknown, maxContentBytes: number): JsonValue {
  const { isError, value, text } = readMcpResult(result, maxContentBytes)
  if (!isError) return value
  throw new ToolError(
    'mcp_tool_error',
    text === '' ? 'The server says that the tool failed.' : `The server says: ${text}`,
  )
}

const unusable = (code: string, message: string): ToolError =>
  new ToolError(code, `${message} Nothing was sent.`, { effect: 'none', class: 'DEPENDENCY_UNAVAILABLE' })
