// What an attempt came to: the second write of a mutating call, after its admission.
import type { RecordedAnswer } from './answer.ts'
import type { SlotRecord, SlotStatus } from './slot.ts'

/** What is known of an attempt's end before it is written. */
export interface AttemptEnd {
  readonly status: Exclude<SlotStatus, 'EXPIRED'>
  readonly effect: SlotRecord['effect']
  readonly held: boolean
}

export interface SettleRequest extends AttemptEnd {
  readonly callId: string
  readonly tenant: string
  readonly nonce: string
  readonly slotKey: string | undefined
  readonly generation: number
  readonly attempt: number
  /** How often the executor was started within this attempt. */
  readonly tries: number
  readonly answer: RecordedAnswer | undefined
  readonly ttlMs: number | undefined
  /** Whether the answer outlives its time, because duplicates are to get it even then. */
  readonly rebuild: boolean
  /** Whether its operation names a resource, whose earlier operations it overtakes. */
  readonly named: boolean
}
