// Rebuilds one tenant's tree from its stored leaves, one by one, and holds it against stored nodes and checkpoints. Keeps
// a frontier, not the leaves: memory grows with the logarithm of the tree.

import { append, emptyFrontier, frontierRoot, type TreeFrontier } from '../tree/frontier.ts'
import { leafCall, type StoredLeaf } from '../tree/stored-leaf.ts'
import type { StoredNode } from '../tree/subtrees.ts'
import { type Hash, nodeHash, sameHash } from '../tree/tree-hash.ts'
import { checkpointPlace, type HeldCheckpoint } from './audit-checkpoints.ts'
import type { AuditFindings } from './audit-finding.ts'

export interface TreeSummary {
  readonly size: number
  /** Undefined where a gap leaves it unknown. */
  readonly root: Hash | undefined
  /** The largest checkpoints that the tree agrees with; what lies beyond rests on nothing yet. */
  readonly agreesWithOwn: number
  readonly agreesWithKept: number
}

export interface TreeCheck {
  /** False where the row has no place in the tree; it is not looked at any further. */
  take(row: StoredLeaf, hash: Hash): boolean
  finish(): TreeSummary
}

/** Where more than this does not fit, it is not asked which leaf was moved where. */
const mostSuspects = 1_000

export function checkTree(tenant: string, held: readonly HeldCheckpoint[], findings: AuditFindings): TreeCheck {
  let frontier: TreeFrontier = emptyFrontier
  let size = 0
  let whole = true
  let agrees = true
  let comparedTo = 0
  const agreement = { own: 0, kept: 0 }
  const misfits = new Set<string>()
  const suspects: Suspect[] = []

  const compare = (): void => {
    for (; held[comparedTo] !== undefined && (held[comparedTo]?.size ?? 0) <= size; comparedTo++) {
      const checkpoint = held[comparedTo] as HeldCheckpoint
      // Past a gap or a mismatch every later root differs as well: the first finding is the one to read.
      if (!whole || !agrees) continue
      if (sameHash(frontierRoot(frontier), checkpoint.root)) {
        agreement[checkpoint.source] = size
        continue
      }
      agrees = false
      const since = Math.max(agreement.own, agreement.kept)
      const message = `The stored leaves have another root. What was changed lies among leaves ${since} to ${size - 1}.`
      findings.note({ kind: 'root_mismatch', tenant, index: since, place: checkpointPlace(checkpoint), message })
    }
  }

  const compareNodes = (
    row: StoredLeaf,
    completed: readonly StoredNode[],
    leaf: Hash,
    left: Hash | undefined,
  ): void => {
    const more = (row.nodes?.length ?? 0) - completed.length
    if (more > 0) {
      const message = `${more} more ${more === 1 ? 'is' : 'are'} stored than it completes.`
      findings.note({ kind: 'node_edited', tenant, index: row.index, place: `nodes of leaf ${row.index}`, message })
    }
    for (const { level, index, hash } of completed) {
      const stored = row.nodes?.find((node) => node.level === level && node.index === index)
      if (stored !== undefined && sameHash(stored.hash, hash)) continue
      misfits.add(`${level}/${index}`)
      // A hash above one that does not fit cannot fit either.
      if (misfits.has(`${level - 1}/${2 * index}`) || misfits.has(`${level - 1}/${2 * index + 1}`)) continue
      if (stored !== undefined && level === 1 && left !== undefined && suspects.length < mostSuspects) {
        suspects.push({ index, left, right: leaf, stored: stored.hash })
        continue
      }
      const place = `node ${index} of level ${level}`
      const message = stored === undefined ? 'It is not stored.' : 'It is not the hash of the two nodes below it.'
      findings.note({ kind: 'node_edited', tenant, index: row.index, place, message })
    }
  }

  compare()
  return {
    take(row, hash) {
      const place = `leaf ${row.index}`
      if (!Number.isSafeInteger(row.index) || row.index < size) {
        const message = `It comes after leaf ${size - 1}: its place is taken, or it is out of order.`
        findings.note({ kind: 'leaf_reordered', tenant, ...leafCall(row.leaf), index: row.index, place, message })
        return false
      }
      if (row.index > size) {
        const count = row.index - size
        const gap = count === 1 ? `leaf ${size}` : `leaves ${size} to ${row.index - 1}`
        const message = `${count} ${count === 1 ? 'leaf is' : 'leaves are'} missing before leaf ${row.index}.`
        findings.note({ kind: 'leaf_missing', tenant, index: size, place: gap, message })
        whole = false
      }
      if (whole) {
        const left = frontier.peaks.at(-1)
        const appended = append(frontier, hash)
        frontier = appended.frontier
        if (row.nodes !== undefined) compareNodes(row, appended.completed, hash, left)
      }
      size = row.index + 1
      compare()
      return true
    },
    finish() {
      explainSuspects(tenant, suspects, findings)
      const beyond = held.at(-1)
      if (beyond !== undefined && beyond.size > size) {
        const message = `${beyond.size} leaves were signed for; ${size} are stored.`
        findings.note({ kind: 'tree_truncated', tenant, index: size, place: checkpointPlace(beyond), message })
      }
      const root = whole ? frontierRoot(frontier) : undefined
      return { size, root, agreesWithOwn: agreement.own, agreesWithKept: agreement.kept }
    },
  }
}

/** A pair of leaves without the hash that is stored above them. */
interface Suspect {
  /** Of the node at level 1: it stands over the leaves 2 × index and the next. */
  readonly index: number
  readonly left: Hash
  readonly right: Hash
  readonly stored: Hash
}

/** All pairs are tried: 2 × 24 leaves at 24 places are 55,000 hashes, a tenth of a second. */
const mostExplained = 24

/** Where the leaves of suspects, put in other places, fit again, they were moved; else a leaf or the hash above was replaced. */
function explainSuspects(tenant: string, suspects: readonly Suspect[], findings: AuditFindings): void {
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
