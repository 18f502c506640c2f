// Checks of inclusion and consistency proofs as RFC 9162 §2.1.3.2 and §2.1.4.2 write them down. They take all that a
// stranger sends and answer yes or no; the length of a path is part of what is checked.
import { isTreeSize } from './subtrees.ts'
import { emptyRoot, type Hash, hashBytes, nodeHash, sameHash } from './tree-hash.ts'

export interface InclusionClaim {
  readonly leaf: Hash
  readonly index: number
  readonly size: number
  readonly path: readonly Hash[]
  readonly root: Hash
}

export interface ConsistencyClaim {
  readonly first: number
  readonly firstRoot: Hash
  readonly second: number
  readonly secondRoot: Hash
  readonly path: readonly Hash[]
}

export function verifyInclusion({ leaf, index, size, path, root }: InclusionClaim): boolean {
  if (!isTreeSize(index) || !isTreeSize(size) || index >= size || path.length > longestPath) return false
  if (![leaf, root, ...path].every(isHash)) return false
  let position = index
  let last = size - 1
  let hash = leaf
  for (const sibling of path) {
    if (last === 0) return false
    if (isOdd(position) || position === last) {
      hash = nodeHash(sibling, hash)
      while (!isOdd(position) && position !== 0) {
        position = half(position)
        last = half(last)
      }
    } else {
      hash = nodeHash(hash, sibling)
    }
    position = half(position)
    last = half(last)
  }
  return last === 0 && sameHash(hash, root)
}

export function verifyConsistency({ first, firstRoot, second, secondRoot, path }: ConsistencyClaim): boolean {
  if (!isTreeSize(first) || !isTreeSize(second) || first > second || path.length > longestPath + 1) return false
  if (![firstRoot, secondRoot, ...path].every(isHash)) return false
  if (first === second) return path.length === 0 && sameHash(firstRoot, secondRoot)
  if (first === 0) return path.length === 0 && sameHash(firstRoot, emptyRoot)
  // A complete old tree is not repeated in the path: it is the node that the path starts from.
  const hashes = isPowerOfTwo(first) ? [firstRoot, ...path] : path
  const [start, ...rest] = hashes
  if (start === undefined || rest.length === 0) return false
  let position = first - 1
  let last = second - 1
  while (isOdd(position)) {
    position = half(position)
    last = half(last)
  }
  let older = start
  let newer = start
  for (const sibling of rest) {
    if (last === 0) return false
    if (isOdd(position) || position === last) {
      older = nodeHash(sibling, older)
      newer = nodeHash(sibling, newer)
      while (!isOdd(position) && position !== 0) {
        position = half(position)
        last = half(last)
      }
    } else {
      newer = nodeHash(newer, sibling)
    }
    position = half(position)
    last = half(last)
  }
  return last === 0 && sameHash(older, firstRoot) && sameHash(newer, secondRoot)
}

/** No tree that a number can count is higher. */
const longestPath = 53

const isHash = (hash: Hash): boolean => hash.length === hashBytes
// Bit operators stop at 32 bits; sizes go to 53.
const isOdd = (value: number): boolean => value % 2 === 1
const half = (value: number): number => Math.floor(value / 2)

function isPowerOfTwo(value: number): boolean {
  let rest = value
  while (rest > 1 && !isOdd(rest)) rest /= 2
  return rest === 1
}
