// The error taxonomy: 21 classes, one row each. Observation status, response vector, HTTP status and exit code all derive from here.
// A contract may narrow a row (respond.ts); nothing loosens `failClosed`.

/** What an agent should do next; the string is the identity on every wire. */
export type NextAction =
  | 'continue'
  | 'inspect_partial_result'
  | 'repair_arguments'
  | 'replan_or_ask_user'
  | 'choose_available_tool'
  | 'discover_tool'
  | 'stop_and_report'
  | 'refresh_state_and_replan'
  | 'await_approval'
  | 'request_budget'
  | 'retry_after_delay'
  | 'use_new_operation'
  | 'await_resolution'
  | 'accept_effect'
  | 'run_compensation'
  | 'classify_before_retry'

export interface TaxonomyRow {
  /** The numeric status of the observation, and the HTTP status a gateway derives from it. Never parsed back. */
  readonly code: number
  readonly isError: boolean
  readonly repairable: boolean
  readonly retryable: boolean
  readonly requiresApproval: boolean
  readonly failClosed: boolean
  readonly escalate: boolean
  readonly nextAction: NextAction
  readonly meaning: string
}

const none = {
  isError: true,
  repairable: false,
  retryable: false,
  requiresApproval: false,
  failClosed: false,
  escalate: false,
} as const

export const taxonomy = {
  SUCCESS: { ...none, code: 200, isError: false, nextAction: 'continue', meaning: 'The tool did what it was asked.' },
  PARTIAL_SUCCESS: {
    ...none,
    code: 207,
    nextAction: 'inspect_partial_result',
    meaning: 'Some of the effect is there and some is not; errors name what is missing.',
  },
  SYNTACTIC_PARSE_FAIL: {
    ...none,
    code: 400,
    repairable: true,
    nextAction: 'repair_arguments',
    meaning: 'The argument text is not strict JSON.',
  },
  STRUCTURAL_VIOLATION: {
    ...none,
    code: 422,
    repairable: true,
    nextAction: 'repair_arguments',
    meaning: 'A required field is missing, a field is unknown, or the tool itself is.',
  },
  TYPE_MISMATCH: {
    ...none,
    code: 422,
    repairable: true,
    nextAction: 'repair_arguments',
    meaning: 'A value has another JSON type than declared.',
  },
  OUT_OF_BOUNDS: {
    ...none,
    code: 422,
    repairable: true,
    nextAction: 'repair_arguments',
    meaning: 'A value breaks a range, length, enum, pattern, format or count.',
  },
  SEMANTIC_INVALIDITY: {
    ...none,
    code: 422,
    repairable: true,
    nextAction: 'replan_or_ask_user',
    meaning: 'The arguments are well-formed but break a rule of the business.',
  },
  PERMISSION_DENIED: {
    ...none,
    code: 403,
    failClosed: true,
    nextAction: 'stop_and_report',
    meaning: 'User, tenant or agent lacks what the tool requires.',
  },
  POLICY_VIOLATION: {
    ...none,
    code: 403,
    failClosed: true,
    nextAction: 'stop_and_report',
    meaning: 'A policy, a hook or the state of the contract forbids the call.',
  },
  STALE_STATE: {
    ...none,
    code: 412,
    repairable: true,
    nextAction: 'refresh_state_and_replan',
    meaning: 'The target changed, vanished or is in no state for this call.',
  },
  CONFIRMATION_MISSING: {
    ...none,
    code: 428,
    requiresApproval: true,
    nextAction: 'await_approval',
    meaning: 'A person has to approve first, or the approval does not fit this call.',
  },
  BUDGET_EXHAUSTED: {
    ...none,
    code: 402,
    requiresApproval: true,
    nextAction: 'request_budget',
    meaning: 'The run has used up what it may do or spend.',
  },
  RATE_LIMITED: {
    ...none,
    code: 429,
    retryable: true,
    nextAction: 'retry_after_delay',
    meaning: 'Too many calls in this window.',
  },
  TIMEOUT: {
    ...none,
    code: 504,
    retryable: true,
    nextAction: 'retry_after_delay',
    meaning: 'The tool did not finish in time.',
  },
  IDEMPOTENCY_CONFLICT: {
    ...none,
    code: 409,
    retryable: true,
    nextAction: 'retry_after_delay',
    meaning: 'The same operation is under way, held or expired.',
  },
  SIGNATURE_MISMATCH: {
    ...none,
    code: 409,
    failClosed: true,
    nextAction: 'use_new_operation',
    meaning: 'The same operation was used with other arguments.',
  },
  DEPENDENCY_UNAVAILABLE: {
    ...none,
    code: 503,
    retryable: true,
    nextAction: 'retry_after_delay',
    meaning: 'Something the tool needs is down or not set up.',
  },
  OBSERVATION_NORMALIZATION_FAIL: {
    ...none,
    code: 502,
    escalate: true,
    nextAction: 'stop_and_report',
    meaning: 'The tool returned something its output schema does not allow.',
  },
  COMPENSATION_REQUIRED: {
    ...none,
    code: 500,
    escalate: true,
    nextAction: 'run_compensation',
    meaning: 'The effect is there and is wrong; it has to be undone.',
  },
  COMPENSATION_FAILED: {
    ...none,
    code: 500,
    requiresApproval: true,
    failClosed: true,
    escalate: true,
    nextAction: 'await_resolution',
    meaning: 'Undoing failed or its outcome is uncertain.',
  },
  UNKNOWN_ERROR: {
    ...none,
    code: 500,
    failClosed: true,
    nextAction: 'classify_before_retry',
    meaning: 'Nothing above fits.',
  },
} as const satisfies Record<string, TaxonomyRow>

export type TaxonomyClass = keyof typeof taxonomy

const byName: ReadonlyMap<string, TaxonomyRow> = new Map(Object.entries(taxonomy))

/** Looks a class up by a name that may come from a file or a tool. */
export function isTaxonomyClass(name: string): name is TaxonomyClass {
  return byName.has(name)
}

/** The classes that an executor's own error codes may stand for; the others are said by gates alone. */
export const mappableClasses = [
  'PARTIAL_SUCCESS',
  'STRUCTURAL_VIOLATION',
  'TYPE_MISMATCH',
  'OUT_OF_BOUNDS',
  'SEMANTIC_INVALIDITY',
  'PERMISSION_DENIED',
  'POLICY_VIOLATION',
  'STALE_STATE',
  'BUDGET_EXHAUSTED',
  'RATE_LIMITED',
  'DEPENDENCY_UNAVAILABLE',
  'COMPENSATION_REQUIRED',
  'COMPENSATION_FAILED',
] as const satisfies readonly TaxonomyClass[]

/** What an executor may say of its own failures where the contract is silent. */
export type ExecutorClass = (typeof mappableClasses)[number] | 'TIMEOUT'

const executorClasses: ReadonlySet<unknown> = new Set([...mappableClasses, 'TIMEOUT'])

export function isExecutorClass(value: unknown): value is ExecutorClass {
  return executorClasses.has(value)
}
