// The states of a saga for the ledger: in which one it begins, which process may keep it or take it up, and when it is over.
import type { SagaDirection, SagaState } from '../../contract/saga/saga.ts'

/** The state in which a saga begins: owned by the process that begins it. */
export const sagaStart = { state: 'RUNNING', direction: 'forward', epoch: 1 } as const

export interface SagaStanding {
  /** A process drives it, and keeps it by renewing its lease. */
  readonly driven: boolean
  /** It belongs to no process, and may be woken before its time. */
  readonly waits: boolean
  /** It is over for good. A saga that people have to look at is not over. */
  readonly over: boolean
}

const stands = { driven: false, waits: false, over: false } as const

export const sagaStandings: Readonly<Record<SagaState, SagaStanding>> = {
  RUNNING: { ...stands, driven: true },
  COMPENSATING: { ...stands, driven: true },
  // Its owner has given it up: a renewal that is still on its way must not move the moment at which it is looked at again.
  WAITING: { ...stands, waits: true },
  COMPLETED: { ...stands, over: true },
  COMPENSATED: { ...stands, over: true },
  COMPENSATION_FAILED: stands,
  FROZEN: stands,
}

/** The state of a saga that is driven. */
export const drivenStates = { forward: 'RUNNING', backward: 'COMPENSATING' } as const satisfies Record<
  SagaDirection,
  SagaState
>
