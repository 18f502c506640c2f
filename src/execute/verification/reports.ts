// Reports that follow from no reading, and when the next reading is due.
import { effectRow } from '../../contract/effects.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import type { VerificationReport } from '../../contract/verification/verification.ts'
import { type BoundVerification, longestWaitMs } from '../../contract/verification/verifier.ts'
import type { EpochMs } from '../../json/clock.ts'
import { conclude, type Rechecked, situationOf } from './conclude.ts'
import { remedyFor } from './remedy.ts'

const everythingFits: Rechecked = { payloadFits: true, approvalFits: true }

/** Where nothing is bound that could be read. */
export function nothingToRead(tool: Tool, target: string | null): VerificationReport {
  const report = conclude({ tool, findings: [], rechecked: everythingFits, target, reads: 0, next: undefined })
  return { ...report, message: 'Nothing is bound that could read the effect back.' }
}

type Judged = Pick<VerificationReport, 'execution' | 'state' | 'reconciliation' | 'action'>

function reportOf(
  { execution, state, reconciliation, action }: Judged,
  known: Partial<Omit<VerificationReport, keyof Judged>>,
): VerificationReport {
  const { discrepancy = null, trust = 1, message = '', target = null, reads = 0, due = null } = known
  return {
    ...{ execution, state, reconciliation, discrepancy, trust, action, message, target },
    ...{ unmet: [], unexpected: [], reads, due },
  }
}

/** Where no process can read it any more: a person has to look. */
export const unreadableEffect = (message: string, target: string | null, reads: number): VerificationReport =>
  reportOf(
    {
      execution: 'ACCEPTED',
      state: 'UNVERIFIABLE',
      reconciliation: 'REVIEW_REQUIRED',
      action: 'hold_and_escalate',
    },
    { discrepancy: 'unverifiable', message, target, reads },
  )

/** Where the first reading is yet to come. A risky effect counts as pending until then, the others as accepted. */
export function scheduled(tool: Tool, target: string | null, due: EpochMs): VerificationReport {
  const isHeld = effectRow(tool.contract.transactional.side_effect_class).verification === 'required'
  const execution = tool.binding.executor.commits === 'ledger' ? 'COMMITTED' : isHeld ? 'PENDING' : 'ACCEPTED'
  return reportOf({ execution, state: 'PENDING', reconciliation: 'NOT_STARTED', action: 'poll' }, { target, due })
}

/** An attempt whose transaction was never committed: nothing is there, and nothing has to be undone. */
export function rolledBack(tool: Tool): VerificationReport {
  const state = 'NOT_REQUIRED'
  const observed = { ...everythingFits, state, discrepancy: 'no_op_failure', uncommitted: true } as const
  const action = remedyFor(situationOf(tool, observed))
  return reportOf(
    { execution: 'NOT_EXECUTED', state, reconciliation: 'ROLLED_BACK', action },
    { trust: 3, message: 'Its transaction was not committed.' },
  )
}

/** An effect that was undone before it was read: what is there now says nothing of it. */
export const undone = (target: string | null, reads: number): VerificationReport =>
  reportOf(
    { execution: 'COMMITTED', state: 'NOT_REQUIRED', reconciliation: 'COMPENSATED', action: 'none' },
    { message: 'It was undone before it was read back.', target, reads },
  )

/** How long to wait for the next reading: each wait twice as long as the last. Undefined where so many readings were the last. */
export function nextWait({ again }: BoundVerification, reads: number): number | undefined {
  if (reads > again.times) return undefined
  return Math.min(longestWaitMs, again.everyMs * 2 ** Math.max(0, reads - 1))
}
