// The slot: the identity of one logical operation, and the judgement of its record. Pure, so that recall (before the gates) and admit
// (inside the ledger's transaction) reach the same verdict from the same record.
import type { EpochMs } from '../json/clock.ts'
import { hashFields } from '../json/hash.ts'
import type { Effect, RecordedAnswer } from './answer.ts'
import type { Reserved } from './settlement.ts'

export type SlotStatus = 'PENDING' | 'COMPLETED' | 'FAILED_RETRYABLE' | 'FAILED_FINAL' | 'COMPENSATED' | 'EXPIRED'

/** Who named the operation: the caller, the binding's pointers, the arguments themselves, or nobody (each call is its own). */
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

export type SlotJudgement =
  | { readonly kind: 'absent' }
  | { readonly kind: 'retry'; readonly record: SlotRecord }
  | { readonly kind: 'generation'; readonly record: SlotRecord }
  | { readonly kind: 'replay'; readonly record: SlotRecord }
  | { readonly kind: 'busy' | 'held' | 'mismatch' | 'expired'; readonly record: SlotRecord }

/** How many provider call ids one generation remembers. */
export const maxSeenIds = 1_000

/** What a call may do, given the newest record of its slot. */
export function judgeSlot(record: SlotRecord | undefined, ref: SlotRef, now: EpochMs): SlotJudgement {
  if (record === undefined) return { kind: 'absent' }
  // Once too many ids were seen to remember more, every id counts as seen: then nothing starts over.
  const full = record.providerCallIds.length >= maxSeenIds
  const seen = full || ref.providerCallId === undefined || record.providerCallIds.includes(ref.providerCallId)
  if (!seen && mayOpenGeneration(record)) return { kind: 'generation', record }
  if (record.requestHash !== ref.requestHash) return { kind: 'mismatch', record }
  if (record.status === 'PENDING') return { kind: record.held ? 'held' : 'busy', record }
  if (record.status === 'FAILED_RETRYABLE') return { kind: 'retry', record }
  if (record.status === 'EXPIRED' || (record.expiresAt !== undefined && record.expiresAt <= now))
    return { kind: 'expired', record }
  return { kind: 'replay', record }
}

/** A slot starts over only where repeating cannot repeat an effect that still stands. */
function mayOpenGeneration(record: SlotRecord): boolean {
  const failedWithoutEffect = record.status === 'FAILED_FINAL' && record.effect === 'none'
  switch (record.kind) {
    case 'caller':
      return false
    case 'pointer':
      return failedWithoutEffect
    case 'implicit':
      return (
        failedWithoutEffect || record.status === 'COMPENSATED' || (record.overtaken && record.status === 'COMPLETED')
      )
    case 'call':
      return false
  }
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
