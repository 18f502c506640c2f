// What a call that came to no result means: its code, its class, and whether its effect can be there. `none` only where the protocol or the
// transport says that nothing was done, and the server had not begun; what a server writes into the data of an error says nothing.
import { ToolError, Withheld } from '../../../contract/fault.ts'
import type { ExecutorClass } from '../../../contract/taxonomy.ts'
import { FetchError } from '../../egress/failure.ts'
import { statusRows } from '../http/status.ts'

interface Meaning {
  readonly class: ExecutorClass | undefined
  readonly effect: 'none' | 'unknown'
}

type Meanings = ReadonlyMap<number, Meaning>

/** By the definitions of JSON-RPC these say that the method was not invoked; a failing tool answers with isError instead. */
const rpcErrors: readonly (readonly [number, Meaning])[] = [
  [-32700, { class: undefined, effect: 'none' }],
  [-32600, { class: undefined, effect: 'none' }],
  [-32601, { class: 'DEPENDENCY_UNAVAILABLE', effect: 'none' }],
  [-32602, { class: 'SEMANTIC_INVALIDITY', effect: 'none' }],
]

/** And by MCP these, each by the revisions that define it. */
const errors2025: Meanings = new Map([
  ...rpcErrors,
  // A person has to open a page first.
  [-32042, { class: 'PERMISSION_DENIED', effect: 'none' }],
])
const errors2026: Meanings = new Map([
  ...rpcErrors,
  // They refuse a request by its outside: header lines, what the client can do, and the revision.
  [-32020, { class: 'DEPENDENCY_UNAVAILABLE', effect: 'none' }],
  [-32021, { class: 'POLICY_VIOLATION', effect: 'none' }],
  [-32022, { class: 'DEPENDENCY_UNAVAILABLE', effect: 'none' }],
])

/** Where it is not that the server cannot be used. */
const httpClasses: ReadonlyMap<number, ExecutorClass> = new Map([
  [401, 'PERMISSION_DENIED'],
  [403, 'PERMISSION_DENIED'],
  [407, 'PERMISSION_DENIED'],
  [425, 'RATE_LIMITED'],
  [429, 'RATE_LIMITED'],
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
  /** It came by the revision of 2026. */
  readonly modern: boolean
}

export const unsent = (error: unknown): FailedCall => ({
  error,
  sent: false,
  leftBefore: false,
  begun: false,
  modern: false,
})

export function callFailure(
  { error, sent, leftBefore, begun, modern }: FailedCall,
  { aborted }: AbortSignal,
): ToolError {
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
  const said = typeof code === 'number' ? errorSaid(code, message, modern) : statusSaid(statusOf(error))
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

interface Said {
  readonly code: string
  readonly message: string
  readonly meaning: Meaning
}

function errorSaid(code: number, message: string, modern: boolean): Said {
  const known = isOfOutput(message) ? undefined : (modern ? errors2026 : errors2025).get(code)
  const meaning = known ?? { class: undefined, effect: 'unknown' }
  return { code: `mcp_${code}`, message: `The server says: ${message}`, meaning }
}

/** That it did not take the request is said by those statuses of which a standard says so. */
function statusSaid(status: number | undefined): Said | undefined {
  if (status === undefined) return undefined
  const row = statusRows.get(status)
  const isUndone = row?.undone !== undefined && row.exceptAfter?.includes('POST') !== true
  const meaning: Meaning = {
    class: httpClasses.get(status) ?? 'DEPENDENCY_UNAVAILABLE',
    effect: isUndone ? 'none' : 'unknown',
  }
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
