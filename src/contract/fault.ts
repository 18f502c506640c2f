// The one thing this library throws: a bug of ours or of a caller, or a dependency that is gone. Expected branches are values.

export type FaultCode =
  | 'registration_refused'
  | 'bad_tool_file'
  | 'closed'
  | 'unknown_approval'
  | 'unknown_call'
  | 'bad_options'
  | 'embedded_unavailable'
  | 'embedded_failed'
  | 'internal'

export class Fault extends Error {
  readonly code: FaultCode
  readonly details: readonly string[]

  constructor(code: FaultCode, message: string, options?: { cause?: unknown; details?: readonly string[] }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Fault'
    this.code = code
    this.details = options?.details ?? []
  }
}

/** What a tool's own code throws to say how it failed and whether its effect is there. Anything else it throws counts as unknown. */
export class ToolError extends Error {
  /** Looked up in the contract's `error_taxonomy_mapping`. */
  readonly code: string
  readonly effect: 'none' | 'happened' | 'unknown'
  readonly retryAfterMs: number | undefined

  constructor(
    code: string,
    message: string,
    options?: { effect?: 'none' | 'happened' | 'unknown'; retryAfterMs?: number; cause?: unknown },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ToolError'
    this.code = code
    this.effect = options?.effect ?? 'unknown'
    this.retryAfterMs = options?.retryAfterMs
  }
}
