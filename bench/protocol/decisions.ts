// What is asked of other rooms, or decided by code of theirs that is no table. A check of the check puts a fault in the place of one.

import { canBeRecovered, judgeReadBack, planRecovery } from '../../src/execute/recovery.ts'
import { restartLeaseMs } from '../../src/ledger/rules/recovery-times.ts'
import { leaseMs, timeoutMs } from './setting.ts'
import type { Attempt } from './state.ts'

export const decisions = {
  planRecovery,
  judgeReadBack,
  canBeRecovered,
  /** By its lease, and by its session. */
  mayAct: (attempt: Attempt, hasSession: boolean): boolean =>
    hasSession && !attempt.doubted && attempt.leaseAge <= (attempt.resent ? restartLeaseMs(timeoutMs) : leaseMs),
  /** That a request sent again did nothing says nothing of the first one. */
  believes: (says: Attempt['says'], resent: boolean): Attempt['says'] => (resent && says === 'none' ? 'unknown' : says),
  /** Whether a person is asked about what is held. */
  asks: (isHeld: boolean): boolean => isHeld,
}
