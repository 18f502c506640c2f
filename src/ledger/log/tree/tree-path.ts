// Inclusion and consistency proofs (RFC 6962 §2.1.1 and §2.1.2) from stored complete subtrees, in O(log² n) reads at
// most. What will be read is listed beforehand, so that a database is asked once.
import { type HashAt, isTreeSize, joinSubtrees, type LeafRange, type NodeAt, splitOf, subtreesOf } from './subtrees.ts'
import type { Hash } from './tree-hash.ts'

/** The nodes that `inclusionPath` reads. */
export function inclusionReads(index: number, size: number): readonly NodeAt[] {
  return inclusionRanges(index, size).flatMap(subtreesOf)
}

/** The siblings on the way from the leaf up to the root of the first `size` leaves. */
export function inclusionPath(index: number, size: number, hashAt: HashAt): readonly Hash[] {
  return inclusionRanges(index, size).map((range) => rangeHash(range, hashAt))
}

/** The nodes that `consistencyPath` reads. */
export function consistencyReads(first: number, second: number): readonly NodeAt[] {
  return consistencyRanges(first, second).flatMap(subtreesOf)
}

/** What shows that the tree of `second` leaves begins with the tree of `first` leaves. */
export function consistencyPath(first: number, second: number, hashAt: HashAt): readonly Hash[] {
  return consistencyRanges(first, second).map((range) => rangeHash(range, hashAt))
}

function rangeHash(range: LeafRange, hashAt: HashAt): Hash {
  return joinSubtrees(subtreesOf(range).map(({ level, index }) => hashAt(level, index)))
}

function inclusionRanges(index: number, size: number): readonly LeafRange[] {
  if (!isTreeSize(index) || !isTreeSize(size) || index >= size) throw new RangeError(`No leaf ${index} among ${size}`)
  const ranges: LeafRange[] = []
  let begin = 0
  let end = size
  while (end - begin > 1) {
    const middle = begin + splitOf(end - begin)
    if (index < middle) {
      ranges.push({ begin: middle, end })
      end = middle
    } else {
      ranges.push({ begin, end: middle })
      begin = middle
    }
  }
  return ranges.reverse()
}

function consistencyRanges(first: number, second: number): readonly LeafRange[] {
  if (!isTreeSize(first) || !isTreeSize(second) || first > second)
    throw new RangeError(`A tree of ${second} leaves does not begin with ${first}`)
  // Every tree begins with the empty one and with itself.
  if (first === 0 || first === second) return []
  const ranges: LeafRange[] = []
  let begin = 0
  let end = second
  while (first !== end) {
    const middle = begin + splitOf(end - begin)
    if (first <= middle) {
      ranges.push({ begin: middle, end })
      end = middle
    } else {
      ranges.push({ begin, end: middle })
      begin = middle
    }
  }
  // Where the old tree is a complete subtree of the new one, the verifier has its hash already: it is the old root.
  if (begin > 0) ranges.push({ begin, end })
  return ranges.reverse()
}
