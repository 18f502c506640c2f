// The port of a checkpoint that a host keeps outside of the ledger's database: by it a ledger that was brought back from a backup, or opened on
// a replica that lags, is known as an older copy of itself. Invariant: on an older copy nothing is written before a person has acknowledged it.

import type { Awaitable } from '../../contract/tool/executor.ts'
import { type EpochMs, toIso } from '../../json/clock.ts'

/** Where the checkpoint is kept: a file, or a place of the host's. One text, which the next one replaces. */
export interface OutsideCheckpoint {
  /** Undefined where none was kept yet. */
  read(): Awaitable<string | undefined>
  write(text: string): Awaitable<void>
}

/** What an older copy lacks. */
export interface MissingPart {
  /** Up to when this copy has what was written; undefined where it knows nothing of the checkpoint: it is older still, or another ledger. */
  readonly from: EpochMs | undefined
  /** When the checkpoint was kept: what was written until then is missing. */
  readonly to: EpochMs
  /** How many groups of facts were written in between; undefined where that is not known. */
  readonly groups: number | undefined
}

export interface LedgerStanding {
  /** Undefined where the ledger has all that was kept of it. */
  missing(): MissingPart | undefined
  /** A person has seen what is missing: it goes on record, and from now on this copy is the ledger. */
  acknowledge(word: { readonly by: string; readonly why: string }): Promise<MissingPart | undefined>
}

/** In words, for the person who has to look. */
export function olderCopy({ from, to, groups }: MissingPart): string {
  const what =
    from === undefined
      ? `This database knows nothing of the checkpoint that was kept at ${toIso(to)}: it is older, or another ledger.`
      : `This database is an older copy of its ledger: what was written from ${toIso(from)} to ${toIso(to)} is missing${groups === undefined || groups === 0 ? '' : `, ${groups} groups of facts`}.`
  return `${what} Operations of that time could be done twice. A person has to acknowledge it: proviso audit acknowledge`
}
