// What a call that came to no result means: its code, its class, and whether its effect can be there.
import { ToolError, Withheld } from '../../../contract/fault.ts'
import type { ExecutorClass } from '../../../contract/taxonomy.ts'
import { FetchError } from '../../egress/failure.ts'

interface Meaning {
  readonly class: ExecutorClass | undefined
  readonly effect: 'none' | 'unknown'
}

/** By the definitions of JSON-RPC, these say that the method was not invoked; a failing tool answers with isError instead. */
const rpcErrors: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [-32700, { class: undefined, effect: 'none' }],
  [-32600, { class: undefined, effect: 'none' }],
  [-32601, { class: 'DEPENDENCY_UNAVAILABLE', effect: 'none' }],
  [-32602, { class: 'SEMANTIC_INVALIDITY', effect: 'none' }],
  // The two of the protocol's own that refuse a request by its outside: header lines, and the revision.
  [-32020, { class: 'DEPENDENCY_UNAVAILABLE', effect: 'none' }],
  [-32022, { class: 'DEPENDENCY_UNAVAILABLE', effect: 'none' }],
  [-32603, { class: undefined, effect: 'unknown' }],
])

const httpErrors: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [408, { class: 'DEPENDENCY_UNAVAILABLE', effect: 'unknown' }],
  [429, { class: 'RATE_LIMITED', effect: 'none' }],
])

export interface FailedCall {
  readonly error: unknown
  /** Something of the call may have left. */
  readonly sent: boolean
  /** A request of it was allowed to leave before the one that failed, whose failure says nothing of it. */
  readonly leftBefore: boolean
}

export function callFailure({ error, sent, leftBefore }: FailedCall, { aborted }: AbortSignal): ToolError {
  const isWithheld = error instanceof Withheld || (error instanceof FetchError && error.code === 'withheld')
  if (isWithheld && (leftBefore || (error instanceof FetchError && error.sent)))
    return toolError(
      'withheld',
      'The call was sent, and not sent again.',
      { class: 'TIMEOUT', effect: 'unknown' },
      error,
    )
  if (isWithheld) return new Withheld()
  if (error instanceof FetchError)
    return toolError(
      error.code,
      error.message,
      { class: error.class, effect: error.sent || leftBefore ? 'unknown' : 'none' },
      error,
    )
  if (error instanceof ToolError) return error
  const effect = sent ? 'unknown' : 'none'
  if (aborted)
    return toolError('canceled', 'The caller does not wait for the call any more.', { class: 'TIMEOUT', effect }, error)
  const { code, data, message } = errorParts(error)
  if (typeof code === 'number') {
    const meaning = (isOfOutput(message) ? undefined : rpcErrors.get(code)) ?? { class: undefined, effect: 'unknown' }
    return toolError(`mcp_${code}`, `The server says: ${message}`, meaning, error)
  }
  const { status } = data
  if (typeof status === 'number') {
    const meaning = httpErrors.get(status) ?? {
      class: 'DEPENDENCY_UNAVAILABLE',
      effect: status >= 400 && status < 500 ? 'none' : 'unknown',
    }
    return toolError(`mcp_http_${status}`, `The server answered with the status ${status}.`, meaning, error)
  }
  if (code === 'REQUEST_TIMEOUT')
    return toolError('mcp_timeout', 'The server did not answer in time.', { class: 'TIMEOUT', effect }, error)
  return toolError(
    'mcp_connection_lost',
    sent ? 'The connection to the server was lost before it answered.' : 'The server cannot be reached.',
    { class: 'DEPENDENCY_UNAVAILABLE', effect },
    error,
  )
}

/** Servers of the official SDK of 2025 say -32602 also of what their tool returned: then it was run. */
const isOfOutput = (message: string): boolean => /\b(?:output|structured content)\b/i.test(message)

/** A session that the server has forgotten: what was sent in it was not taken. */
export const isForgotten = (error: unknown): boolean => errorParts(error).data.status === 404

function errorParts(error: unknown): {
  readonly code: unknown
  readonly data: { readonly status?: unknown }
  readonly message: string
} {
  if (!(error instanceof Error)) return { code: undefined, data: {}, message: '' }
  const { code, data } = error as { readonly code?: unknown; readonly data?: unknown }
  return { code, data: typeof data === 'object' && data !== null ? data : {}, message: error.message }
}

const toolError = (code: string, message: string, meaning: Meaning, cause: unknown): ToolError =>
  new ToolError(code, message, { ...meaning, cause })
