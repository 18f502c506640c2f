// The frontier of a growing tree: the hashes of its complete subtrees, largest first. It is all a sequencer keeps: it
// appends and signs without reading an old leaf, and its size grows with the logarithm of the tree.
import { type HashAt, isTreeSize, joinSubtrees, type NodeAt, type StoredNode, subtreesOf } from './subtrees.ts'
import { type Hash, hashBytes, nodeHash } from './tree-hash.ts'

export interface Frontier {
  readonly size: number
  readonly peaks: readonly Hash[]
}

export interface Appended {
  readonly frontier: Frontier
  /** The interior nodes that these leaves completed, to be stored for proofs; leaf hashes are stored with the leaves. */
  readonly completed: readonly StoredNode[]
}

export const emptyFrontier: Frontier = { size: 0, peaks: [] }

export function append(frontier: Frontier, leaf: Hash): Appended {
  return appendAll(frontier, [leaf])
}

export function appendAll(frontier: Frontier, leaves: readonly Hash[]): Appended {
  const peaks = frontier.peaks.slice()
  const completed: StoredNode[] = []
  let size = frontier.size
  for (const leaf of leaves) {
    if (leaf.length !== hashBytes) throw new RangeError('A leaf hash has 32 bytes')
    let hash = leaf
    let level = 0
    // As in counting: every subtree of the same size that is waiting on the left is joined and carried on.
    for (let index = size; index % 2 === 1; ) {
      hash = nodeHash(peaks.pop() as Hash, hash)
      level++
      index = (index - 1) / 2
      completed.push({ level, index, hash })
    }
    peaks.push(hash)
    size++
  }
  if (!isTreeSize(size)) throw new RangeError('The tree is full')
  return { frontier: { size, peaks }, completed }
}

export function frontierRoot(frontier: Frontier): Hash {
  return joinSubtrees(frontier.peaks)
}

/** What must be read to take up a stored tree again. */
export function frontierReads(size: number): readonly NodeAt[] {
  if (!isTreeSize(size)) throw new RangeError(`Not the size of a tree: ${size}`)
  return subtreesOf({ begin: 0, end: size })
}

export function frontierAt(size: number, hashAt: HashAt): Frontier {
  return { size, peaks: frontierReads(size).map(({ level, index }) => hashAt(level, index)) }
}
