// Which complete subtrees a range of leaves is made of. Complete subtrees never change once their last leaf is in, so
// they are what a log stores: level 0 is the leaf itself, and (level, index) covers 2^level leaves from index × 2^level.
import { emptyRoot, type Hash, nodeHash } from './tree-hash.ts'

export interface NodeAt {
  readonly level: number
  readonly index: number
}

export interface StoredNode extends NodeAt {
  readonly hash: Hash
}

/** Reads a stored hash; a leaf's at level 0. The caller has them at hand: what will be asked for is listed beforehand. */
export type HashAt = (level: number, index: number) => Hash

/** From `begin` up to, not including, `end`. */
export interface LeafRange {
  readonly begin: number
  readonly end: number
}

/** A tree may have as many leaves as a number counts exactly. */
export function isTreeSize(size: number): boolean {
  return Number.isSafeInteger(size) && size >= 0
}

/** The complete subtrees of a range that begins where a subtree as large as itself could begin: largest first. */
export function subtreesOf({ begin, end }: LeafRange): readonly NodeAt[] {
  const nodes: NodeAt[] = []
  let at = begin
  while (at < end) {
    const { level, leaves } = largestWithin(end - at)
    nodes.push({ level, index: at / leaves })
    at += leaves
  }
  return nodes
}

/** The hash of a range from those of its complete subtrees, which are joined from the right. */
export function joinSubtrees(hashes: readonly Hash[]): Hash {
  let joined = hashes.at(-1)
  if (joined === undefined) return emptyRoot
  for (let at = hashes.length - 2; at >= 0; at--) joined = nodeHash(hashes[at] as Hash, joined)
  return joined
}

/** The largest power of two below `size`: where the RFC splits a tree. */
export function splitOf(size: number): number {
  return largestWithin(size - 1).leaves
}

/** By doubling rather than by logarithm, which is rounded where numbers are large. */
function largestWithin(count: number): { readonly level: number; readonly leaves: number } {
  let level = 0
  let leaves = 1
  while (leaves * 2 <= count) {
    leaves *= 2
    level++
  }
  return { level, leaves }
}
