// Refusals that a model was to mend, counted for each scope: an agent in a turn of a run, with one tool under one contract.

import type { RepairLink } from '../../contract/call/call.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { RepairRefusal, RepairScope } from '../rules/repair.ts'

export interface RepairCount {
  /** The model is not to try again. */
  readonly halted: boolean
  /** The refusal that this proposal was to repair, where there was one before it. */
  readonly repairs: RepairLink | undefined
}

export interface Repairs {
  /** Counts a refusal before it is answered; one that halts its scope opens the question to a person in the same step. */
  refused(scope: RepairScope, refusal: RepairRefusal): Awaitable<RepairCount>
  /** A proposal of the scope was valid: the count begins anew, and the question is closed. */
  repaired(scope: RepairScope): Awaitable<void>
}
