// Effects that are still to be read back: written in the step that ends an attempt, and read by one process at a time.
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { VerificationBody } from '../../contract/verification/verifier.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { CallRecord } from './calls.ts'
import type { ClaimQuery, PassEntry } from './operations.ts'

/** A call whose effect is to be read back now, given to one process. */
export interface DueVerification {
  readonly call: CallRecord
  /** Names the claim: a process that has lost it changes nothing. */
  readonly claim: string
  readonly contractHash: string
  readonly slotKey: string | undefined
  readonly generation: number
  /** How often the sources were read before. */
  readonly reads: number
  readonly body: VerificationBody
  readonly at: EpochMs
}

/** Effects that are still to be read back. One row for each call, written with the end of its attempt and gone with its last reading. */
export interface Verifications {
  claim(query: ClaimQuery): Awaitable<readonly DueVerification[]>
  /** Reads it again later. False where the claim is lost. */
  postpone(due: DueVerification, ms: number): Awaitable<boolean>
  /** Writes the result of the last reading, once: false where the claim is lost, and then nothing is written. */
  finish(due: DueVerification, entry: PassEntry): Awaitable<boolean>
}
