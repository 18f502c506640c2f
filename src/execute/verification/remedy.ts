// What is to be done about a difference: the first row that fits. No model chooses: compensation, polling and questions to people go by it.
import { type EffectClass, effectRow, type Semantics } from '../../contract/effects.ts'
import type { Contract } from '../../contract/tool/envelope.ts'
import type { Discrepancy, Remedy, VerificationState } from '../../contract/verification/verification.ts'

export interface Situation {
  readonly state: VerificationState
  readonly discrepancy: Discrepancy | null
  readonly effectClass: EffectClass
  readonly semantics: Semantics
  readonly classification: Contract['security']['data_classification']
  readonly compensable: boolean
  /** What was done is in a transaction of the ledger's own database that has not committed. */
  readonly uncommitted: boolean
  /** What the executor got is what was judged and approved. */
  readonly payloadFits: boolean
  /** The policies and the code are those that the approval was given under. */
  readonly approvalFits: boolean
}

interface Row {
  readonly action: Remedy
  readonly about: string
  when(situation: Situation): boolean
}

/** From this rank on people are asked rather than machines trusted. */
const highRank = effectRow('HIGH_RISK_EXTERNAL').rank

export const isHighImpact = ({ effectClass, classification }: Pick<Situation, 'effectClass' | 'classification'>) =>
  effectRow(effectClass).rank >= highRank || classification === 'secret' || classification === 'regulated'

const unclear: ReadonlySet<Discrepancy | null> = new Set<Discrepancy>(['unknown', 'unverifiable'])
/** The effect is not there, or not all of it, and nothing wrong is: doing it again puts it right. */
const repeatable: ReadonlySet<Discrepancy | null> = new Set<Discrepancy>([
  'no_op_success',
  'partial_application',
  'stale_state',
])

export const remedies: readonly Row[] = [
  {
    action: 'fail_closed',
    about: 'the payload is not the one that was judged',
    when: ({ payloadFits }) => !payloadFits,
  },
  {
    action: 'revalidate_approval',
    about: 'the policies or the code have changed since the approval',
    when: ({ approvalFits }) => !approvalFits,
  },
  {
    action: 'none',
    about: 'as it should be',
    when: ({ discrepancy, state }) => discrepancy === null && state !== 'PENDING',
  },
  { action: 'freeze_and_alarm', about: 'the wrong target', when: ({ discrepancy }) => discrepancy === 'wrong_target' },
  { action: 'rollback', about: 'local and not committed', when: ({ uncommitted }) => uncommitted },
  {
    action: 'poll',
    about: 'not known yet, and on record to be read again',
    when: ({ state }) => state === 'PENDING',
  },
  {
    action: 'freeze_and_reconcile',
    about: 'no answer in time, and nothing on record that would ask again',
    when: ({ state }) => state === 'TIMEOUT',
  },
  {
    action: 'hold_and_escalate',
    about: 'unclear, with high impact or sensitive data',
    when: (situation) => unclear.has(situation.discrepancy) && isHighImpact(situation),
  },
  {
    action: 'report_degraded',
    about: 'unclear, with low impact',
    when: ({ discrepancy, state }) => unclear.has(discrepancy) && state !== 'FAILED',
  },
  { action: 'none', about: 'reported lost, and there', when: ({ discrepancy }) => discrepancy === 'no_op_failure' },
  {
    action: 'recover_forward',
    about: 'after the pivot',
    when: ({ semantics }) => semantics === 'retryable_post_pivot',
  },
  {
    action: 'hold_and_escalate',
    about: 'at the pivot, which nothing undoes',
    when: ({ semantics, compensable }) => semantics === 'irreversible_pivot' && !compensable,
  },
  { action: 'compensate', about: 'before the pivot', when: ({ compensable }) => compensable },
  {
    action: 'recover_forward',
    about: 'a write that may be repeated',
    when: ({ discrepancy, semantics }) => semantics === 'idempotent_write' && repeatable.has(discrepancy),
  },
  { action: 'hold_and_escalate', about: 'everything else', when: () => true },
]

export function remedyFor(situation: Situation): Remedy {
  return remedies.find((row) => row.when(situation))?.action ?? 'hold_and_escalate'
}
