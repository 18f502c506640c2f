// The hashes of an RFC 6962 tree: a leaf and an interior node are hashed under different first bytes, so that neither
// can be passed off as the other.
import { hash } from 'node:crypto'

/** 32 bytes. Never changed once it was handed out. */
export type Hash = Uint8Array

export const hashBytes = 32

/** The root of the tree without leaves. */
export const emptyRoot: Hash = hash('sha256', '', 'buffer')

/** What stands before the first of a chain. */
export const noHash: Hash = new Uint8Array(hashBytes)

export function leafHash(data: Uint8Array): Hash {
  const input = Buffer.allocUnsafe(1 + data.length)
  input[0] = 0
  input.set(data, 1)
  return hash('sha256', input, 'buffer')
}

export function nodeHash(left: Hash, right: Hash): Hash {
  // Two hashes of another length would share their bytes with a different pair.
  if (left.length !== hashBytes || right.length !== hashBytes)
    throw new RangeError('A node joins two hashes of 32 bytes')
  const input = Buffer.allocUnsafe(1 + 2 * hashBytes)
  input[0] = 1
  input.set(left, 1)
  input.set(right, 1 + hashBytes)
  return hash('sha256', input, 'buffer')
}

/** Nothing here is secret, so an early end tells nobody anything. */
export function sameHash(left: Hash, right: Hash): boolean {
  if (left.length !== right.length) return false
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false
  return true
}

/** The root over these leaf hashes, as the RFC defines it; a log that grows keeps a frontier instead. */
export function rootOf(leaves: readonly Hash[]): Hash {
  if (leaves.length === 0) return emptyRoot
  let level = leaves
  while (level.length > 1) {
    const above: Hash[] = []
    for (let at = 0; at + 1 < level.length; at += 2) above.push(nodeHash(level[at] as Hash, level[at + 1] as Hash))
    if (level.length % 2 === 1) above.push(level.at(-1) as Hash)
    level = above
  }
  return level[0] as Hash
}
