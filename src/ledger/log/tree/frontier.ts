// The frontier of a growing tree: the hashes of its complete subtrees, largest first. It is all a sequencer keeps: it
// appends and signs without reading an old leaf, and its size grows with the logarithm of the tree.
import { type HashAt, isTreeSize, joinSubtrees, type NodeAt, type StoredNode, subtreesOf } from './subtrees.ts'
import { type Hash, hashBytes, nodeHash } from './tree-hash.ts'

export interface TreeFrontier {
  readonly size: number
  readonly peaks: readonly Hash[]
}

export interface Appended {
  readonly frontier: TreeFrontier
  /** The interior nodes that this leaf completed, to be stored for proofs; leaf hashes are stored with the leaves. */
  readonly completed: readonly StoredNode[]
}

export const emptyFrontier: TreeFrontier = { size: 0, peaks: [] }

export function append(frontier: TreeFrontier, leaf: Hash): Appended {
  const growing = growFrom(frontier)
  const leaves = growing.size + 1
  const completed = growing.add(leaf).map((hash, below) => {
    const level = below + 1
    return { level, index: leaves / 2 ** level - 1, hash }
  })
  return { frontier: growing.frontier(), completed }
}

/** A tree that takes one leaf after the other, without a new frontier for each. */
export interface Growing {
  readonly size: number
  /** The hashes of the subtrees that this leaf completed, level 1 first. */
  add(leaf: Hash): readonly Hash[]
  frontier(): TreeFrontier
}

export function growFrom(frontier: TreeFrontier): Growing {
  const peaks = frontier.peaks.slice()
  let size = frontier.size
  return {
    get size() {
      return size
    },
    add(leaf) {
      if (leaf.length !== hashBytes) throw new RangeError('A leaf hash has 32 bytes')
      if (!isTreeSize(size + 1)) throw new RangeError('The tree is full')
      const completed: Hash[] = []
      let hash = leaf
      // As in counting: every subtree of the same size that is waiting on the left is joined and carried on.
      for (let index = size; index % 2 === 1; index = (index - 1) / 2) {
        hash = nodeHash(peaks.pop() as Hash, hash)
        completed.push(hash)
      }
      peaks.push(hash)
      size++
      return completed
    },
    frontier: () => ({ size, peaks: peaks.slice() }),
  }
}

export function frontierRoot(frontier: TreeFrontier): Hash {
  return joinSubtrees(frontier.peaks)
}

/** What must be read to take up a stored tree again. */
export function frontierReads(size: number): readonly NodeAt[] {
  if (!isTreeSize(size)) throw new RangeError(`Not the size of a tree: ${size}`)
  return subtreesOf({ begin: 0, end: size })
}

export function frontierAt(size: number, hashAt: HashAt): TreeFrontier {
  return { size, peaks: frontierReads(size).map(({ level, index }) => hashAt(level, index)) }
}
