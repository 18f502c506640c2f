// The slot: the identity of one logical operation, what is recorded of it, and the key that providers get for it.
import type { EpochMs } from '../../json/clock.ts'
import { hashFields } from '../../json/hash.ts'
import type { Effect, RecordedAnswer } from './answer.ts'
import type { Reserved } from './claim.ts'

export type SlotStatus = 'PENDING' | 'COMPLETED' | 'FAILED_RETRYABLE' | 'FAILED_FINAL' | 'COMPENSATED' | 'EXPIRED'

/** Who named the operation: the caller, the binding's pointers, the arguments themselves, or none of them (each call is its own). */
export type SlotKind = 'caller' | 'pointer' | 'implicit' | 'call'

/** What a call brings to its slot. */
export interface SlotRef {
  readonly tenant: string
  readonly key: string
  readonly kind: SlotKind
  readonly operation: string
  readonly requestHash: string
  readonly providerCallId: string | undefined
  readonly run: string
  /** Hash of the resource the call changes, where the binding points at one. */
  readonly resource: string | undefined
}

export interface SlotRecord {
  readonly tenant: string
  readonly key: string
  readonly kind: SlotKind
  readonly operation: string
  readonly generation: number
  readonly requestHash: string
  readonly idempotencyKey: string
  readonly status: SlotStatus
  readonly effect: Exclude<Effect, 'pending'>
  /** Unknown, and only a verifier, a late settle or a person can tell. */
  readonly held: boolean
  readonly callId: string
  /** Which admission the record stands on. */
  readonly nonce: string
  /** The contract it was admitted under. */
  readonly contractHash: string
  /** How often the operation was admitted; a settle fits only the attempt it belongs to. */
  readonly attempt: number
  /** How often its executor was started, over all attempts. */
  readonly starts: number
  readonly run: string
  readonly resource: string | undefined
  readonly providerCallIds: readonly string[]
  /** A later call of the run happened on the same resource. */
  readonly overtaken: boolean
  /** What the newest attempt has taken from counters: kept where it happened or may have, given back where it did not. */
  readonly reserved: readonly Reserved[]
  readonly answer: RecordedAnswer | undefined
  readonly createdAt: EpochMs
  /** When the newest attempt was admitted. */
  readonly admittedAt: EpochMs
  readonly completedAt: EpochMs | undefined
  readonly expiresAt: EpochMs | undefined
}

/** What the specification's key is made of, besides the generation of the slot. */
export interface KeyFields {
  readonly workflow: string
  readonly run: string
  readonly tenant: string
  readonly user: string
  readonly tool: string
  readonly version: string
  readonly operation: string
  readonly payloadHash: string
}

/** The specification's idempotency key over its eight fields; `logical_operation_id` is the operation with its generation. */
export function idempotencyKey(fields: KeyFields, generation: number): string {
  const logicalOperation = generation === 1 ? fields.operation : `${fields.operation}#${generation}`
  return hashFields('proviso.idempotency-key.v1', [
    fields.workflow,
    fields.run,
    fields.tenant,
    fields.user,
    fields.tool,
    fields.version,
    logicalOperation,
    fields.payloadHash,
  ])
}
