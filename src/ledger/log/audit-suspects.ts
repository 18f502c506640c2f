// Pairs of leaves that do not have the hash stored above them. Where their leaves, put in other places, fit again, they
// were moved; else a leaf or the hash was replaced.
import type { AuditFindings } from './audit-finding.ts'
import { type Hash, nodeHash, sameHash } from './tree-hash.ts'

export interface Suspect {
  /** Of the node at level 1: it stands over the leaves 2 × index and the next. */
  readonly index: number
  readonly left: Hash
  readonly right: Hash
  readonly stored: Hash
}

/** All pairs are tried: 2 × 24 leaves at 24 places are 55,000 hashes, a tenth of a second. */
const mostExplained = 24

export function explainSuspects(tenant: string, suspects: readonly Suspect[], findings: AuditFindings): void {
  const tried = suspects.slice(0, mostExplained)
  const leaves = tried.flatMap(({ index, left, right }) => [
    { index: 2 * index, hash: left },
    { index: 2 * index + 1, hash: right },
  ])
  for (const [at, { index, stored }] of suspects.entries()) {
    const original = at < mostExplained ? findPair(leaves, stored) : undefined
    const place = `leaves ${2 * index} and ${2 * index + 1}`
    if (original === undefined) {
      const message = 'They do not have the hash that is stored above them: one of them was replaced, or the hash was.'
      findings.note({ kind: 'node_edited', tenant, index: 2 * index, place, message })
    } else {
      const message = `What belongs here stands at ${original.join(' and ')}: leaves were moved.`
      findings.note({ kind: 'leaf_reordered', tenant, index: 2 * index, place, message })
    }
  }
}

function findPair(
  leaves: readonly { readonly index: number; readonly hash: Hash }[],
  stored: Hash,
): readonly [number, number] | undefined {
  for (const left of leaves) {
    for (const right of leaves) {
      if (left !== right && sameHash(nodeHash(left.hash, right.hash), stored)) return [left.index, right.index]
    }
  }
  return undefined
}
