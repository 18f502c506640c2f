// All that a saga needs of the world: a journal with owners, a way to call, and a clock that wakes it. The engine that is built in keeps its
// journal in the ledger; another one (a workflow server, say) drives the same sagas by bringing these.
import type { Answer } from '../../contract/call/answer.ts'
import type { SlotRecord } from '../../contract/call/slot.ts'
import type { SagaMark, SagaRecord } from '../../contract/saga/saga.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { VerificationReport } from '../../contract/verification/verification.ts'
import type { Clock } from '../../json/clock.ts'
import type { Entropy } from '../../json/id.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { SagaStore } from '../../ledger/ports/sagas.ts'

export interface StepCall {
  readonly saga: SagaRecord
  readonly mark: SagaMark
  readonly tool: string
  readonly arguments: JsonObject
  /** Goes on without the caller that began the saga: permissions are judged anew. */
  readonly resumed: boolean
}

export interface SagaPorts {
  readonly store: SagaStore
  /** One call through all gates. A call that undoes asks no person again and takes from no budget. */
  call(order: StepCall): Promise<Answer>
  /** Names the slot of a step. */
  slotKey(tenant: string, tool: string, mark: SagaMark): string
  slot(tenant: string, key: string): Awaitable<SlotRecord | undefined>
  /** A result that is kept apart from the journal. */
  result(saga: SagaRecord, ref: string): Awaitable<JsonValue | undefined>
  /** What reading the effect of a call back has come to. */
  verification(call: string, tenant: string): Awaitable<VerificationReport | undefined>
  /** Whether people still have to decide. */
  isPending(approval: string, tenant: string): Awaitable<boolean>
  /** Looks at the saga again after this time, where no other process would. */
  later(ms: number, look: () => void): void
  readonly clock: Clock
  readonly entropy: Entropy
  readonly report: (fault: unknown) => void
}
