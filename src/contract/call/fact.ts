// The fact: the immutable record of what one phase saw and decided.
import type { EpochMs } from '../../json/clock.ts'
import type { TaxonomyClass } from '../taxonomy.ts'
import type { Discrepancy, VerificationState } from '../verification/verification.ts'
import type { Reason } from './answer.ts'
import type { ErrorDetail } from './call.ts'

export const phaseNames = [
  'resolve',
  'parse',
  'structure',
  'types',
  'constraints',
  'semantics',
  'observe',
  'before',
  'permission',
  'policy',
  'recall',
  'state',
  'confirm',
  'schedule',
  'admit',
  'execute',
  'normalize',
  'after',
  'persist',
  'verify',
  'emit',
] as const

export type PhaseName = (typeof phaseNames)[number]

/** A verdict as it is recorded: what was decided, without the values it was decided on. */
export type VerdictRecord =
  | { readonly kind: 'pass' }
  | { readonly kind: 'end'; readonly reason: 'recorded_answer' }
  | {
      readonly kind: 'stop'
      readonly class: TaxonomyClass
      readonly reason: Reason
      readonly errors: readonly ErrorDetail[]
    }
  | { readonly kind: 'wait'; readonly reason: Reason }
  | { readonly kind: 'again'; readonly from: PhaseName }
  /** An attempt ended after its call was answered. */
  | { readonly kind: 'late'; readonly effect: 'happened' | 'none' }
  /** What was found out about an attempt whose owner was gone, and how. */
  | { readonly kind: 'recovered'; readonly effect: 'happened' | 'none' | 'unknown'; readonly how: RecoveryWay }
  /** What reading the effect back came to, after the call was answered. */
  | { readonly kind: 'verified'; readonly state: VerificationState; readonly discrepancy: Discrepancy | null }
  /** A person said what became of a held operation. */
  | { readonly kind: 'resolved'; readonly effect: 'happened' | 'none'; readonly by: string; readonly why: string }

/** How an unknown effect became known, or why it could not. */
export type RecoveryWay = 'transaction' | 'provider_key' | 'verifier' | 'no_way' | 'no_contract' | 'gave_up'

export interface Fact {
  readonly callId: string
  readonly pass: number
  readonly seq: number
  readonly phase: PhaseName
  readonly at: EpochMs
  readonly micros: number
  readonly verdict: VerdictRecord
  /** Serializable; for a gate, what its decision can be replayed from. */
  readonly evidence: unknown
}
