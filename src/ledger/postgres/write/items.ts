// The items that processes send in batches: admissions, and the entries of passes.
import { randomUUID } from 'node:crypto'
import type { Admission, AdmitRequest, PassEntry } from '../../ports/operations.ts'
import type { AdmittedTexts } from '../codec/admitted.ts'
import type { Database } from '../driver/database.ts'
import type { SeenCounters } from './counter-list.ts'
import type { RunKeys } from './run-keys.ts'

/** An admission that may be sent for a generation which turns out not to be the next one. */
export interface AdmitItem {
  readonly request: AdmitRequest
  readonly generation: number
  /** The rate was drawn from a block of this process. */
  readonly rated: boolean
  /** The texts that are written of the call; undefined where none are. */
  readonly admitted: AdmittedTexts | undefined
}

export type AdmitOutcome = Admission | { readonly kind: 'stale'; readonly generation: number }

/** The parts that all admissions of one process share. */
export interface Admissions {
  readonly database: Database
  readonly leaseMs: number
  /** The name of this process, under which it holds its attempts. */
  readonly owner: string
  readonly seenCounters: SeenCounters
  readonly runKeys: RunKeys
}

/** An entry under the name of its write: sent again after a cut connection, it is the same write. */
export interface RecordItem {
  readonly id: string
  readonly entry: PassEntry
  /** The number of an entry that is written after its answer; undefined for one that is written before. */
  readonly number: number | undefined
  /** The texts that this process wrote at the admission, where it ends the attempt itself. */
  readonly admitted?: AdmittedTexts | undefined
}

export const recordItem = (entry: PassEntry, number?: number): RecordItem => ({
  id: entry.id ?? randomUUID(),
  entry,
  number,
})
