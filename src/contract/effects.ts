// The six effect classes, one row each: what a class demands of its contract and of every call. Registration, confirm, admit and verify
// walk this table; nothing else knows the classes apart.

export type ApprovalPattern = 'user_consent' | 'operator_review' | 'dual_control' | 'compliance_gate' | 'async_review'
/** What is counted by calls, by their effect class. */
export type CallKind = 'read' | 'write' | 'external' | 'critical'
export type BudgetKind = CallKind | 'financial'
export type Semantics =
  | 'read_only'
  | 'idempotent_write'
  | 'compensable_write'
  | 'saga_step'
  | 'irreversible_pivot'
  | 'retryable_post_pivot'

export interface EffectRow {
  readonly rank: number
  /** False: nothing changes, so the answer's effect is always `none` and a failed call may simply be made again. */
  readonly mutates: boolean
  /** The phases the specification requires of this class; a test holds the pipeline to it. */
  readonly gates: readonly string[]
  readonly idempotency: 'optional' | 'recommended' | 'required'
  /** Where no operation is named, the same arguments in the same run count as one operation. */
  readonly sameArgumentsAreOneOperation: boolean
  readonly confirmation: 'never' | 'when_declared' | 'always'
  readonly pattern: ApprovalPattern
  /** How many different people must approve. */
  readonly quorum: number
  readonly verification: 'optional' | 'required'
  readonly verificationDepth: string
  readonly budget: CallKind
  /** Refused on a ledger that a crash would empty. */
  readonly durableLedger: boolean
  readonly audit: boolean
  readonly example: string
}

const argumentGates = ['parse', 'structure', 'types', 'constraints'] as const
const allGates = [...argumentGates, 'semantics', 'permission', 'policy', 'recall', 'state', 'admit'] as const

export const effects = {
  READ_ONLY: {
    rank: 0,
    mutates: false,
    gates: [...argumentGates, 'permission', 'policy', 'admit'],
    idempotency: 'optional',
    sameArgumentsAreOneOperation: false,
    confirmation: 'when_declared',
    pattern: 'user_consent',
    quorum: 1,
    verification: 'optional',
    verificationDepth: 'parameters, scope and source',
    budget: 'read',
    durableLedger: false,
    audit: false,
    example: 'look up an invoice',
  },
  EPHEMERAL_WRITE: {
    rank: 1,
    mutates: true,
    gates: [...argumentGates, 'semantics', 'permission', 'admit'],
    idempotency: 'recommended',
    sameArgumentsAreOneOperation: false,
    confirmation: 'when_declared',
    pattern: 'user_consent',
    quorum: 1,
    verification: 'optional',
    verificationDepth: 'sandbox path and hash',
    budget: 'write',
    durableLedger: false,
    audit: false,
    example: 'render a preview file',
  },
  LOW_RISK_INTERNAL: {
    rank: 2,
    mutates: true,
    gates: allGates,
    idempotency: 'required',
    sameArgumentsAreOneOperation: false,
    confirmation: 'when_declared',
    pattern: 'operator_review',
    quorum: 1,
    verification: 'optional',
    verificationDepth: 'read after write, from the primary',
    budget: 'write',
    durableLedger: false,
    audit: false,
    example: 'create a draft',
  },
  MEDIUM_RISK_WRITE: {
    rank: 3,
    mutates: true,
    gates: allGates,
    idempotency: 'required',
    sameArgumentsAreOneOperation: true,
    confirmation: 'when_declared',
    pattern: 'operator_review',
    quorum: 1,
    verification: 'optional',
    verificationDepth: 'difference before and after, and the acting user',
    budget: 'write',
    durableLedger: false,
    audit: true,
    example: 'update a ticket',
  },
  HIGH_RISK_EXTERNAL: {
    rank: 4,
    mutates: true,
    gates: [...allGates, 'confirm', 'verify'],
    idempotency: 'required',
    sameArgumentsAreOneOperation: true,
    confirmation: 'always',
    pattern: 'operator_review',
    quorum: 1,
    verification: 'required',
    verificationDepth: "the provider's id, recipient, amount and key",
    budget: 'external',
    durableLedger: false,
    audit: true,
    example: 'send an e-mail',
  },
  CRITICAL_MUTATION: {
    rank: 5,
    mutates: true,
    gates: [...allGates, 'confirm', 'verify'],
    idempotency: 'required',
    sameArgumentsAreOneOperation: true,
    confirmation: 'always',
    pattern: 'dual_control',
    quorum: 2,
    verification: 'required',
    verificationDepth: 'several sources; approval and policy judged again',
    budget: 'critical',
    durableLedger: true,
    audit: true,
    example: 'charge a card',
  },
} as const satisfies Record<string, EffectRow>

export type EffectClass = keyof typeof effects

/** The row of a class, in the table's general type. */
export function effectRow(effectClass: EffectClass): EffectRow {
  return effects[effectClass]
}
