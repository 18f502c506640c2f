// One call: the connection that is there or a new one, a look at the server and its list, and the call itself, which is sent once.
import { ToolError } from '../../../contract/fault.ts'
import type { ExecutionContext } from '../../../contract/tool/executor.ts'
import type { JsonObject, JsonValue } from '../../../json/value.ts'
import { unlessAborted } from '../../within.ts'
import { keepOpen } from '../kept-open.ts'
import { type McpConnection, openConnection } from './connection.ts'
import { readMcpResult } from './content.ts'
import { elicitFor, type OnElicit } from './elicit.ts'
import { callFailure, unsent } from './failure.ts'
import { type RenderServer, type SharedBy, serverKey } from './server.ts'

export interface McpPlan {
  readonly render: RenderServer
  readonly tool: string
  readonly serverName: string | undefined
  readonly keyMeta: string | undefined
  readonly maxBytes: number
  readonly maxContentBytes: number
  /** Only what a person has approved of the tool may be called. */
  readonly pinned: boolean
  readonly onElicit: OnElicit | undefined
}

/** Over HTTP a server cannot say that its list has changed while no call is under way: for a pinned tool it is asked for again. */
const pinnedAgeMs = 30_000

interface Opening {
  readonly connection: Promise<McpConnection>
  /** Of the call that opened it. */
  readonly tenant: string
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
  const { tool, keyMeta, maxBytes, onElicit } = plan
  const { egress, idempotencyKey, signal, mayAct, timeoutMs } = context
  const server = plan.render(context.credentials)
  const shared = { server, egress, maxBytes, elicits: onElicit !== undefined }
  const meta = keyMeta === undefined || idempotencyKey === undefined ? {} : { [keyMeta]: idempotencyKey }
  const ending = new AbortController()
  const elicit = onElicit && elicitFor(onElicit, context, AbortSignal.any([signal, ending.signal]))
  let passed = 0
  const progress = (text: string) => {
    if (++passed <= mostProgress) context.progress(text)
  }
  try {
    for (let attempt = 1; ; attempt++) {
      const connection = await connect(owner, shared, context)
      const listed = await checkServer(connection, plan, context)
      const called = await connection.call({ tool, listed, args, meta, signal, mayAct, timeoutMs, progress, elicit })
      if (called.kind === 'answered') return resultValue(called.result, plan.maxContentBytes)
      // A second time only, and only where the server cannot have heard the first.
      if (attempt > 1 || !called.unheard) throw callFailure(called, signal)
      connection.end()
    }
  } finally {
    ending.abort()
  }
}

/** A program is one tenant's own unless it was declared stateless; a server over HTTP is, where it opened a session. */
async function connect(
  owner: object,
  shared: Omit<SharedBy, 'tenant'>,
  context: ExecutionContext,
): Promise<McpConnection> {
  const { server } = shared
  const isOwn = server.kind === 'program' && !server.stateless
  const common = await openFor(owner, { ...shared, tenant: isOwn ? context.tenant : undefined }, context)
  const isOfAnother = common.connection.session && common.tenant !== context.tenant
  const { connection } = isOfAnother ? await openFor(owner, { ...shared, tenant: context.tenant }, context) : common
  return connection
}

/** Opened in the name of the tenant that came first. */
async function openFor(owner: object, shared: SharedBy, { signal, tenant }: ExecutionContext) {
  const key = serverKey(shared)
  for (;;) {
    const opening: Opening = connections.use(owner, key, () => ({ connection: openConnection(shared), tenant }))
    try {
      const connection = await unlessAborted(opening.connection, signal)
      if (connection === undefined) throw signal.reason
      if (!connection.over) return { connection, tenant: opening.tenant }
    } catch (error) {
      if (!signal.aborted) connections.drop(key, opening)
      throw callFailure(unsent(error), signal)
    }
    connections.drop(key, opening)
  }
}

async function checkServer(
  connection: McpConnection,
  { serverName, tool, pinned }: McpPlan,
  { signal, vet }: ExecutionContext,
): Promise<unknown> {
  if (serverName !== undefined && connection.name !== serverName)
    throw unusable('mcp_other_server', `The server is not ${serverName}, as it has to be.`)
  let listed: unknown
  try {
    listed = await connection.listed(tool, signal, pinned ? pinnedAgeMs : undefined)
  } catch (error) {
    throw callFailure(unsent(error), signal)
  }
  if (listed === undefined) throw unusable('mcp_no_such_tool', `The server has no tool ${tool}.`)
  if (!pinned) return listed
  if (vet === undefined) throw unusable('mcp_unvetted', 'It is not known here what a person has approved of this tool.')
  await vet(listed)
  return listed
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
