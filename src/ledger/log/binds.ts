// What a group of facts says about the rows that were written beside it, in the same commit: the hashes of their bytes.
import { hash } from 'node:crypto'

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
