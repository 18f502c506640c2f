// What a call that came to no result means: its code, its class, and whether its effect can be there. `none` only where the protocol or the
// transport says that nothing was done, and the server had not begun; what a server writes into the data of an error says nothing.
import { ToolError, Withheld } from '../../../contract/fault.ts'
import type { ExecutorClass } from '../../../contract/taxonomy.ts'
import { FetchError } from '../../egress/failure.ts'

interface Meaning {
  readonly class: ExecutorClass | undefined
  readonly effect: 'none' | 'unknown'
}

/** By the definitions of JSON-RPC and MCP, these say that the method was not invoked; a failing tool answers with isError instead. */
const rpcErrors: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [-32700, { class: undefined, effect: 'none' }],
  [-32600, { class: undefined, effect: 'none' }],
  [-32601, { class: 'DEPENDENCY_UNAVAILABLE', effect: 'none' }],
  [-32602, { class: 'SEMANTIC_INVALIDITY', effect: 'none' }],
  // Those that refuse a request by its outside: header lines, what the client can do, and the revision.
  [-32020, { class: 'DEPENDENCY_UNAVAILABLE', effect: 'none' }],
  [-32021, { class: 'POLICY_VIOLATION', effect: 'none' }],
  [-32022, { class: 'DEPENDENCY_UNAVAILABLE', effect: 'none' }],
  // A person has to open a page first.
  [-32042, { class: 'PERMISSION_DENIED', effect: 'none' }],
])

const notDone = (taxonomyClass: ExecutorClass): Meaning => ({ class: taxonomyClass, effect: 'none' })

/** Statuses by which a server says that it did not take the request; with any other it may have been carried out. */
const httpErrors: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [400, notDone('DEPENDENCY_UNAVAILABLE')],
  [401, notDone('PERMISSION_DENIED')],
  [403, notDone('PERMISSION_DENIED')],
  [404, notDone('DEPENDENCY_UNAVAILABLE')],
  [405, notDone('DEPENDENCY_UNAVAILABLE')],
  [413, notDone('OUT_OF_BOUNDS')],
  [415, notDone('DEPENDENCY_UNAVAILABLE')],
  [422, notDone('SEMANTIC_INVALIDITY')],
  [429, notDone('RATE_LIMITED')],
])

/** What the SDK says of an answer that is none. */
const sdkErrors: ReadonlyMap<string, readonly [code: string, message: string]> = new Map([
  ['INVALID_RESULT', ['mcp_bad_result', 'The server answered what is no result of a tool.']],
  ['UNSUPPORTED_RESULT_TYPE', ['mcp_bad_result', 'The server answered what is no result of a tool.']],
  ['CAPABILITY_NOT_SUPPORTED', ['mcp_input_required', 'The server wants what this tool does not give it.']],
  ['INPUT_REQUIRED_ROUNDS_EXCEEDED', ['mcp_input_required', 'The server wants more again and again.']],
])

export interface FailedCall {
  readonly error: unknown
  /** Something of the call may have left. */
  readonly sent: boolean
  /** A request of it was allowed to leave before the one that failed, whose failure says nothing of it. */
  readonly leftBefore: boolean
  /** The server had begun with it: what it says then is no word that nothing was done. */
  readonly begun: boolean
}

export const unsent = (error: unknown): FailedCall => ({ error, sent: false, leftBefore: false, begun: false })

export function callFailure({ error, sent, leftBefore, begun }: FailedCall, { aborted }: AbortSignal): ToolError {
  const isWithheld = error instanceof Withheld || (error instanceof FetchError && error.code === 'withheld')
  const mayBeDone = leftBefore || begun || (error instanceof FetchError && error.sent)
  if (isWithheld && mayBeDone)
    return toolError(
      'withheld',
      'The call was sent, and not sent again.',
      { class: 'TIMEOUT', effect: 'unknown' },
      error,
    )
  if (isWithheld) return new Withheld()
  if (error instanceof FetchError) {
    const meaning = { class: error.class, effect: mayBeDone ? 'unknown' : 'none' } as const
    return toolError(error.code, error.message, meaning, error)
  }
  if (error instanceof ToolError) return error
  const effect = sent ? 'unknown' : 'none'
  if (aborted)
    return toolError('canceled', 'The caller does not wait for the call any more.', { class: 'TIMEOUT', effect }, error)
  const { code, message } = errorParts(error)
  const status = statusOf(error)
  const said = saidBy(code, status, message)
  if (said !== undefined) {
    const isUndone = !sent || (said.meaning.effect === 'none' && !begun)
    const meaning = { class: said.meaning.class, effect: isUndone ? 'none' : 'unknown' } as const
    return toolError(said.code, said.message, meaning, error)
  }
  if (code === 'REQUEST_TIMEOUT')
    return toolError('mcp_timeout', 'The server did not answer in time.', { class: 'TIMEOUT', effect }, error)
  const known = typeof code === 'string' ? sdkErrors.get(code) : undefined
  if (known !== undefined) return toolError(known[0], known[1], { class: undefined, effect }, error)
  return toolError(
    'mcp_connection_lost',
    sent ? 'The connection to the server was lost before it answered.' : 'The server cannot be reached.',
    { class: 'DEPENDENCY_UNAVAILABLE', effect },
    error,
  )
}

const unknown: Meaning = { class: undefined, effect: 'unknown' }

function saidBy(code: unknown, status: number | undefined, message: string) {
  if (typeof code === 'number') {
    const meaning = (isOfOutput(message) ? undefined : rpcErrors.get(code)) ?? unknown
    return { code: `mcp_${code}`, message: `The server says: ${message}`, meaning }
  }
  if (status === undefined) return undefined
  const meaning = httpErrors.get(status) ?? { class: 'DEPENDENCY_UNAVAILABLE' as const, effect: 'unknown' as const }
  return { code: `mcp_http_${status}`, message: `The server answered with the status ${status}.`, meaning }
}

/** Servers of the official SDK of 2025 say -32602 also of what their tool returned: then it was run. */
const isOfOutput = (message: string): boolean => /\b(?:output|structured content)\b/i.test(message)

/** A session that the server has forgotten, said by the transport itself: what was sent in it was not taken. */
export const isSessionOver = (error: unknown): boolean => statusOf(error) === 404

/** The status of HTTP with which the request itself was answered; what an error of the protocol holds is a server's text. */
function statusOf(error: unknown): number | undefined {
  const { code, data } = errorParts(error)
  if (typeof code !== 'string' || !code.startsWith('CLIENT_HTTP_')) return undefined
  const { status } = (typeof data === 'object' && data !== null ? data : {}) as { readonly status?: unknown }
  return typeof status === 'number' ? status : undefined
}

function errorParts(error: unknown): { readonly code: unknown; readonly data: unknown; readonly message: string } {
  if (!(error instanceof Error)) return { code: undefined, data: undefined, message: '' }
  const { code, data } = error as { readonly code?: unknown; readonly data?: unknown }
  return { code, data, message: error.message }
}

const toolError = (code: string, message: string, meaning: Meaning, cause: unknown): ToolError =>
  new ToolError(code, message, { ...meaning, cause })
