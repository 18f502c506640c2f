// The one thing this library throws: a bug of ours or of a caller, or a dependency that is gone. Expected branches are values.
import { type ExecutorClass, isExecutorClass } from './taxonomy.ts'

export type FaultCode =
  | 'registration_refused'
  | 'bad_tool_file'
  | 'closed'
  | 'unknown_approval'
  | 'unknown_call'
  | 'unknown_grant'
  | 'unknown_credential'
  | 'not_permitted'
  | 'packet_changed'
  | 'bad_options'
  | 'ledger_behind'
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

/** A model reads the message, so it is cut at this length. */
const maxMessageLength = 2_000
const maxCodeLength = 64

/** What a tool's own code throws to say how it failed and whether its effect is there. Anything else it throws counts as unknown. */
export class ToolError extends Error {
  /** Looked up in the contract's `error_taxonomy_mapping`. */
  readonly code: string
  readonly effect: 'none' | 'happened' | 'unknown'
  /** What the failure counts as where the contract's mapping is silent about its code. */
  readonly class: ExecutorClass | undefined
  readonly retryAfterMs: number | undefined

  constructor(
    code: string,
    message: string,
    options?: {
      effect?: 'none' | 'happened' | 'unknown'
      class?: ExecutorClass | undefined
      retryAfterMs?: number | undefined
      cause?: unknown
    },
  ) {
    super(
      String(message).slice(0, maxMessageLength),
      options?.cause === undefined ? undefined : { cause: options.cause },
    )
    this.name = 'ToolError'
    this.code = String(code).slice(0, maxCodeLength)
    const effect: unknown = options?.effect
    // Any other word counts as unknown.
    this.effect = effect === 'none' || effect === 'happened' ? effect : 'unknown'
    const taxonomyClass: unknown = options?.class
    this.class = isExecutorClass(taxonomyClass) ? taxonomyClass : undefined
    this.retryAfterMs = options?.retryAfterMs
  }
}

/** The served tool is not the one that a person approved. Nothing was sent, and nothing will be until a person has looked. */
export class Quarantined extends ToolError {
  constructor(note: string) {
    super('quarantined', note, { effect: 'none', class: 'POLICY_VIOLATION' })
    this.name = 'Quarantined'
  }
}

/**
 * An executor was about to make its effect and did not: its time was over, or the operation was perhaps no longer its own. Nothing of what it
 * was about to do has left.
 */
export class Withheld extends ToolError {
  constructor() {
    super('withheld', "The attempt is over, or no longer this process's own. Nothing was done.", {
      effect: 'none',
      class: 'DEPENDENCY_UNAVAILABLE',
    })
    this.name = 'Withheld'
  }
}

/** The database was lost under a tool that commits with the ledger: nothing of what it did is there. */
export class LedgerLost extends ToolError {
  constructor() {
    super(
      'ledger_lost',
      'The database was lost while the tool was working. Nothing was done; make the same call again.',
      {
        effect: 'none',
      },
    )
    this.name = 'LedgerLost'
  }
}
