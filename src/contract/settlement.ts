// What a call takes from the ledger's counters, and what its attempt came to: the first and the second write of a mutating call.
import type { RecordedAnswer } from './answer.ts'
import type { SlotRecord, SlotStatus } from './slot.ts'

/** What a call takes from one counter, if it fits: whole numbers, calls or millionths of a currency. */
export interface CounterClaim {
  /** Within its tenant. Whoever claims under the same name claims from the same counter. */
  readonly name: string
  readonly amount: number
  /** What may be taken in all, in one window. */
  readonly max: number
  /** The counter begins anew with each window, at whole multiples of its length; undefined: never. */
  readonly windowMs: number | undefined
  /** Whether it is given back when nothing happened. */
  readonly returns: boolean
  /** Named in a refusal. */
  readonly limit: string
  /** What is counted, in words for the model: `write calls of this run`. */
  readonly what: string
  /** Of amounts of money; undefined where calls are counted. */
  readonly currency: string | undefined
}

/** What an attempt has taken and gives back if nothing happened, to the window it came from: that of its admission. */
export interface Reserved {
  readonly name: string
  readonly amount: number
  readonly windowMs: number | undefined
}

export function reservedOf(claims: readonly CounterClaim[]): readonly Reserved[] {
  const reserved: Reserved[] = []
  for (const { name, amount, windowMs, returns } of claims) if (returns) reserved.push({ name, amount, windowMs })
  return reserved
}

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
