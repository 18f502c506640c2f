// What a group of facts says about the rows that were written beside it, in the same commit: the hashes of their bytes.

import { hash } from 'node:crypto'
import type { PassEntry } from '../ports/operations.ts'

export interface Binds {
  /** Of the call's record, which replaced the one before. */
  readonly call?: string
  /** Of the slot and its generation that the answer went to. */
  readonly slot?: string
  /** Of the answer that a settle brought; one that came late was not stored. */
  readonly answer?: string
  /** Of the answer as the phases after the settle have made it. */
  readonly amended?: string
}

export const digestOf = (bytes: string | Uint8Array): string => hash('sha256', bytes, 'hex')

export const slotDigest = (slotKey: string, generation: number): string => digestOf(`${slotKey} ${generation}`)

/** In hex; null for what the group does not bind. */
export interface BoundColumns {
  readonly binds_call: string | null
  readonly binds_slot: string | null
  readonly binds_answer: string | null
  readonly binds_amended: string | null
}

/**
 * A group without facts is written, too: what it binds is not in any other.
 *
 * @param ofSlot The slot's digest, where it is known.
 */
export function bindsOf(
  { settle, amend }: PassEntry,
  callText: string,
  answerText: string,
  ofSlot?: string,
): BoundColumns {
  const { slotKey, generation } = (settle?.slotKey === undefined ? amend : settle) ?? {}
  const isNamed = slotKey !== undefined && generation !== undefined
  const isAnswered = isNamed && (settle?.slotKey === undefined || settle.answer !== undefined)
  const answer = isAnswered ? digestOf(answerText) : null
  return {
    binds_call: callText === '' ? null : digestOf(callText),
    binds_slot: isNamed ? (ofSlot ?? slotDigest(slotKey, generation)) : null,
    binds_answer: amend === undefined ? answer : null,
    binds_amended: amend === undefined ? null : answer,
  }
}
