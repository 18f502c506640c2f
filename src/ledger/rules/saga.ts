// How a saga stands for the ledger: as what it begins, who may keep it or take it up, and when it is over.
import type { SagaDirection, SagaState } from '../../contract/saga.ts'
import { decide, type Rule } from './table.ts'

const yesOrNo = [true, false] as const

/** As what a saga begins: owned by the process that begins it. */
export const sagaStart = { state: 'RUNNING', direction: 'forward', epoch: 1 } as const

export interface SagaStanding {
  /** A process drives it, and keeps it by renewing its lease. */
  readonly driven: boolean
  /** It belongs to no process, and may be woken before its time. */
  readonly waits: boolean
  /** Nothing will ever be done about it. What people have to look at is not over. */
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

export type SagaDueCase = {
  /** Its time has come. */
  readonly due: boolean
  /** The process that asks knows its definition. */
  readonly known: boolean
  /** It has been due for so long that nobody seems to know it, and the process that asks wants such. */
  readonly orphan: boolean
}

/** Whether a process may take a saga up. */
export const sagaDueRule: Rule<SagaDueCase, 'taken' | 'left'> = {
  name: 'saga_due',
  over: { due: yesOrNo, known: yesOrNo, orphan: yesOrNo },
  rows: [
    { id: 'not_yet', when: { due: false }, verdict: 'left' },
    { id: 'known', when: { known: true }, verdict: 'taken' },
    { id: 'known_to_nobody', when: { orphan: true }, verdict: 'taken' },
    { id: 'for_others', when: {}, verdict: 'left' },
  ],
}

export const isTaken = (given: SagaDueCase): boolean => decide(sagaDueRule, given) === 'taken'
