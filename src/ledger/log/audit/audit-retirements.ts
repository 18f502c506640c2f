// Accounts for content that is gone: a retirement in the log must cover it, and every retirement must have dropped
// as many leaves as it says.

import { type RetirementLeaf, retires } from '../tree/leaf.ts'
import { recomputeHash, type StoredLeaf } from '../tree/stored-leaf.ts'
import { type Hash, sameHash } from '../tree/tree-hash.ts'
import type { AuditFindings } from './audit-finding.ts'

export interface StoredRetirement {
  /** Undefined while it waits for its place in the log. */
  readonly index: number | undefined
  readonly leaf: RetirementLeaf
}

export interface RetirementCheck {
  /** Whether a retirement accounts for it; counted where it does. */
  accountFor(callId: string, index: number): boolean
  /** A retirement was met in the log. */
  meet(row: StoredLeaf, hash: Hash): void
  finish(): readonly RetirementReport[]
}

/** For people to judge: a retirement that is in the log says what was dropped and why, not whether it should have been. */
export interface RetirementReport extends StoredRetirement {
  /** How many leaves it accounts for. */
  readonly dropped: number
}

export function checkRetirements(
  tenant: string,
  retirements: readonly StoredRetirement[],
  findings: AuditFindings,
): RetirementCheck {
  const entries = retirements
    .map(({ index = Number.POSITIVE_INFINITY, leaf }) => ({ index, leaf, dropped: 0, met: false }))
    .sort((a, b) => a.index - b.index)
  return {
    accountFor(callId, index) {
      // A call that was kept at first, because something about it was open, may have gone with a later one that covers it too: what
      // counts is that all of them together dropped as many as they say.
      const covering = entries.filter((candidate) => retires(candidate.leaf, candidate.index, callId, index))
      const entry = covering.find(({ dropped, leaf }) => dropped < leaf.leaves) ?? covering[0]
      if (entry !== undefined) entry.dropped++
      return entry !== undefined
    },
    meet(row, hash) {
      const entry = entries.find(({ index }) => index === row.index)
      const said = entry === undefined ? undefined : recomputeHash(entry.leaf)
      if (entry !== undefined && said !== undefined && sameHash(said, hash)) entry.met = true
    },
    finish() {
      for (const { index, leaf, dropped, met } of entries) {
        const place = `retirement ${leaf.number}, ${leaf.from} to ${leaf.to}`
        const note = (message: string) =>
          findings.note({
            kind: 'retirement_false',
            tenant,
            ...(Number.isFinite(index) && { index }),
            place,
            message,
          })
        if (!met && Number.isFinite(index)) note('The log has no such retirement at its place.')
        if (dropped > leaf.leaves) note(`It says that ${leaf.leaves} leaves lost their content; ${dropped} have none.`)
        if (dropped < leaf.leaves) note(`It says that ${leaf.leaves} leaves lost their content; only ${dropped} have.`)
      }
      return entries.map(({ index, leaf, dropped }) => ({
        index: Number.isFinite(index) ? index : undefined,
        leaf,
        dropped,
      }))
    },
  }
}
