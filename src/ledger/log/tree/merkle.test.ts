import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Appended,
  append,
  emptyFrontier,
  frontierAt,
  frontierReads,
  frontierRoot,
  growFrom,
  type TreeFrontier,
} from './frontier.ts'
import type { NodeAt } from './subtrees.ts'
import { emptyRoot, type Hash, leafHash, nodeHash, rootOf } from './tree-hash.ts'
import { consistencyPath, consistencyReads, inclusionPath, inclusionReads } from './tree-path.ts'
import { verifyConsistency, verifyInclusion } from './verify-path.ts'

// The vectors that implementations of RFC 6962 have tested one another with since the first log.
const publishedLeaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
]
const publishedRoots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]
const inclusionVectors: readonly (readonly [index: number, size: number, path: readonly string[]])[] = [
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    1,
    5,
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
]
const consistencyVectors: readonly (readonly [first: number, second: number, path: readonly string[]])[] = [
  [1, 1, []],
  [
    1,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    6,
    8,
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [
    2,
    5,
    [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
  [
    6,
    7,
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
]

const hex = (hash: Hash) => Buffer.from(hash).toString('hex')
const bytes = (text: string) => Buffer.from(text, 'hex')
const published = publishedLeaves.map((leaf) => leafHash(bytes(leaf)))
/** One after the other. */
function appendAll(frontier: TreeFrontier, leaves: readonly Hash[]): Appended {
  const completed: Appended['completed'][number][] = []
  let grown = frontier
  for (const leaf of leaves) {
    const appended = append(grown, leaf)
    grown = appended.frontier
    completed.push(...appended.completed)
  }
  return { frontier: grown, completed }
}

const numbered = (size: number) => Array.from({ length: size }, (_, index) => leafHash(Buffer.from(`${index}`)))

/** What a sequencer stores: the leaves, and what append says is complete. Reading anything else is a bug. */
function store(leaves: readonly Hash[]) {
  const nodes = new Map(leaves.map((leaf, index) => [`0/${index}`, leaf]))
  let frontier = emptyFrontier
  for (const leaf of leaves) {
    const appended = append(frontier, leaf)
    frontier = appended.frontier
    for (const { level, index, hash } of appended.completed) nodes.set(`${level}/${index}`, hash)
  }
  const reads: NodeAt[] = []
  const hashAt = (level: number, index: number): Hash => {
    const hash = nodes.get(`${level}/${index}`)
    if (hash === undefined) throw new Error(`Never stored: ${level}/${index}`)
    reads.push({ level, index })
    return hash
  }
  return { frontier, hashAt, reads, nodes }
}

/** The RFC's own recursion, slow and plain. */
function mth(leaves: readonly Hash[]): Hash {
  if (leaves.length === 0) return emptyRoot
  if (leaves.length === 1) return leaves[0] as Hash
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return nodeHash(mth(leaves.slice(0, split)), mth(leaves.slice(split)))
}

const flip = (path: readonly Hash[], element: number, byte: number, bit: number): readonly Hash[] =>
  path.map((hash, at) => {
    if (at !== element) return hash
    const changed = Buffer.from(hash)
    changed[byte] = (changed[byte] as number) ^ (1 << bit)
    return changed
  })

describe('a tree of RFC 6962', () => {
  it('has the published roots, also when it is grown leaf by leaf', () => {
    for (const [size, root] of publishedRoots.entries()) {
      const leaves = published.slice(0, size)
      expect(hex(rootOf(leaves))).toBe(root)
      expect(hex(frontierRoot(store(leaves).frontier))).toBe(root)
    }
  })

  it('gives the published inclusion proofs and accepts them', () => {
    for (const [index, size, path] of inclusionVectors) {
      const { hashAt } = store(published.slice(0, size))
      expect(inclusionPath(index, size, hashAt).map(hex)).toEqual(path)
      const claim = { leaf: published[index] as Hash, index, size, root: bytes(publishedRoots[size] as string) }
      expect(verifyInclusion({ ...claim, path: path.map(bytes) })).toBe(true)
    }
  })

  it('gives the published consistency proofs and accepts them', () => {
    for (const [first, second, path] of consistencyVectors) {
      const { hashAt } = store(published.slice(0, second))
      expect(consistencyPath(first, second, hashAt).map(hex)).toEqual(path)
      const roots = {
        firstRoot: bytes(publishedRoots[first] as string),
        secondRoot: bytes(publishedRoots[second] as string),
      }
      expect(verifyConsistency({ first, second, ...roots, path: path.map(bytes) })).toBe(true)
    }
  })

  it('hashes a leaf and a node apart, and joins only hashes', () => {
    const [left, right] = numbered(2) as [Hash, Hash]
    expect(nodeHash(left, right)).not.toEqual(leafHash(Buffer.concat([left, right])))
    expect(() => nodeHash(left.subarray(1), right)).toThrow(RangeError)
    expect(() => append(emptyFrontier, left.subarray(1))).toThrow(RangeError)
    const full = { size: Number.MAX_SAFE_INTEGER, peaks: Array.from({ length: 53 }, () => left) }
    expect(() => growFrom(full).add(left)).toThrow('The tree is full')
  })
})

describe('a frontier', () => {
  it('has the root of the recursion at every size', () => {
    const leaves = numbered(130)
    let frontier = emptyFrontier
    for (let size = 0; size <= leaves.length; size++) {
      expect(hex(frontierRoot(frontier))).toBe(hex(mth(leaves.slice(0, size))))
      expect(hex(rootOf(leaves.slice(0, size)))).toBe(hex(frontierRoot(frontier)))
      const next = leaves[size]
      if (next !== undefined) frontier = append(frontier, next).frontier
    }
  })

  it('names fewer nodes to store than there are leaves, each exactly once', () => {
    const { nodes, frontier } = store(numbered(1_000))
    expect(nodes.size).toBe(1_000 + 1_000 - frontier.peaks.length)
  })

  it('does not depend on how the leaves are batched, nor change what it was given', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 12 }), (batches) => {
        const leaves = numbered(batches.reduce((sum, count) => sum + count, 0))
        let frontier = emptyFrontier
        let at = 0
        const completed = []
        for (const count of batches) {
          const before = JSON.stringify(frontier)
          const appended = appendAll(frontier, leaves.slice(at, at + count))
          expect(JSON.stringify(frontier)).toBe(before)
          frontier = appended.frontier
          completed.push(...appended.completed)
          at += count
        }
        const growing = growFrom(emptyFrontier)
        const hashes = leaves.flatMap((leaf) => growing.add(leaf))
        expect(frontier).toEqual(growing.frontier())
        expect(completed.map(({ hash }) => hash)).toEqual(hashes)
      }),
    )
  })

  it('is taken up again from what was stored, with few reads', () => {
    const stored = store(numbered(777))
    expect(frontierAt(777, stored.hashAt)).toEqual(stored.frontier)
    expect(stored.reads).toEqual(frontierReads(777))
    expect(frontierReads(777)).toHaveLength(4)
    expect(frontierAt(0, stored.hashAt)).toEqual(emptyFrontier)
    expect(() => frontierReads(-1)).toThrow(RangeError)
  })
})

describe('proofs', () => {
  const largest = 300
  const leaves = numbered(largest)
  const stored = store(leaves)
  const place = fc.integer({ min: 1, max: largest }).chain((size) => fc.tuple(fc.nat(size - 1), fc.constant(size)))
  const tampering = fc.record({ element: fc.nat(), byte: fc.nat(31), bit: fc.nat(7) })

  it('of inclusion hold for every leaf of every size, read what they said and little of it', () => {
    for (let size = 1; size <= 70; size++) {
      const root = rootOf(leaves.slice(0, size))
      for (let index = 0; index < size; index++) {
        stored.reads.length = 0
        const path = inclusionPath(index, size, stored.hashAt)
        expect(stored.reads).toEqual(inclusionReads(index, size))
        expect(stored.reads.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(size + 1)))
        expect(verifyInclusion({ leaf: leaves[index] as Hash, index, size, path, root })).toBe(true)
      }
    }
  })

  it('of inclusion fail with any byte changed, at any other place, shortened or lengthened', () => {
    fc.assert(
      fc.property(place, tampering, fc.nat(largest), ([index, size], { element, byte, bit }, other) => {
        const root = rootOf(leaves.slice(0, size))
        const leaf = leaves[index] as Hash
        const path = inclusionPath(index, size, stored.hashAt)
        const claim = { leaf, index, size, path, root }
        expect(verifyInclusion(claim)).toBe(true)
        if (path.length > 0) {
          expect(verifyInclusion({ ...claim, path: flip(path, element % path.length, byte, bit) })).toBe(false)
          expect(verifyInclusion({ ...claim, path: path.slice(1) })).toBe(false)
          expect(verifyInclusion({ ...claim, path: path.slice(0, -1) })).toBe(false)
        }
        expect(verifyInclusion({ ...claim, path: [...path, root] })).toBe(false)
        expect(verifyInclusion({ ...claim, path: [leaf, ...path] })).toBe(false)
        expect(verifyInclusion({ ...claim, root: flip([root], 0, byte, bit)[0] as Hash })).toBe(false)
        expect(verifyInclusion({ ...claim, leaf: flip([leaf], 0, byte, bit)[0] as Hash })).toBe(false)
        if (other !== index) expect(verifyInclusion({ ...claim, index: other })).toBe(false)
      }),
    )
  })

  it('of consistency hold between any two sizes, and fail with any byte changed', () => {
    fc.assert(
      fc.property(place, tampering, ([smaller, second], { element, byte, bit }) => {
        const first = smaller + 1
        const firstRoot = rootOf(leaves.slice(0, first))
        const secondRoot = rootOf(leaves.slice(0, second))
        stored.reads.length = 0
        const path = consistencyPath(first, second, stored.hashAt)
        expect(stored.reads).toEqual(consistencyReads(first, second))
        const claim = { first, firstRoot, second, secondRoot, path }
        expect(verifyConsistency(claim)).toBe(true)
        expect(verifyConsistency({ ...claim, path: [...path, secondRoot] })).toBe(false)
        expect(verifyConsistency({ ...claim, path: [firstRoot, ...path] })).toBe(false)
        if (path.length > 0) {
          expect(verifyConsistency({ ...claim, path: flip(path, element % path.length, byte, bit) })).toBe(false)
          expect(verifyConsistency({ ...claim, path: path.slice(1) })).toBe(false)
          expect(verifyConsistency({ ...claim, path: path.slice(0, -1) })).toBe(false)
          expect(verifyConsistency({ ...claim, path: [] })).toBe(false)
          expect(verifyConsistency({ ...claim, firstRoot: secondRoot, secondRoot: firstRoot })).toBe(false)
        }
        expect(verifyConsistency({ ...claim, firstRoot: flip([firstRoot], 0, byte, bit)[0] as Hash })).toBe(false)
        expect(verifyConsistency({ ...claim, secondRoot: flip([secondRoot], 0, byte, bit)[0] as Hash })).toBe(false)
      }),
    )
  })

  it('are refused, not thrown over, when sizes or hashes are no sizes or hashes', () => {
    const leaf = leaves[0] as Hash
    const sizes = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60]
    for (const size of sizes) {
      expect(verifyInclusion({ leaf, index: 0, size, path: [], root: leaf })).toBe(false)
      expect(verifyInclusion({ leaf, index: size, size: 1, path: [], root: leaf })).toBe(false)
      expect(verifyConsistency({ first: size, firstRoot: leaf, second: 1, secondRoot: leaf, path: [] })).toBe(false)
      expect(verifyConsistency({ first: 1, firstRoot: leaf, second: size, secondRoot: leaf, path: [] })).toBe(false)
    }
    const short = leaf.subarray(1)
    expect(verifyInclusion({ leaf: short, index: 0, size: 1, path: [], root: short })).toBe(false)
    expect(verifyInclusion({ leaf, index: 0, size: 2, path: [short], root: leaf })).toBe(false)
    const long = Array.from({ length: 1_000 }, () => leaf)
    expect(verifyInclusion({ leaf, index: 0, size: 2 ** 52, path: long, root: leaf })).toBe(false)
    expect(() => inclusionPath(1, 1, stored.hashAt)).toThrow(RangeError)
    expect(() => consistencyPath(2, 1, stored.hashAt)).toThrow(RangeError)
  })

  it('of consistency hold from the empty tree only for its own root', () => {
    const secondRoot = rootOf(leaves.slice(0, 5))
    const claim = { first: 0, second: 5, secondRoot, path: [] }
    expect(verifyConsistency({ ...claim, firstRoot: emptyRoot })).toBe(true)
    expect(verifyConsistency({ ...claim, firstRoot: secondRoot })).toBe(false)
    expect(consistencyPath(0, 5, stored.hashAt)).toEqual([])
  })

  it('name the right nodes in trees beyond 32 bits', () => {
    const size = 2 ** 40 + 3
    expect(inclusionReads(2 ** 40 + 1, size)).toEqual([
      { level: 0, index: 2 ** 40 },
      { level: 0, index: 2 ** 40 + 2 },
      { level: 40, index: 0 },
    ])
    const [leaf, before, after, rest] = numbered(4) as [Hash, Hash, Hash, Hash]
    const root = nodeHash(rest, nodeHash(nodeHash(before, leaf), after))
    expect(verifyInclusion({ leaf, index: 2 ** 40 + 1, size, path: [before, after, rest], root })).toBe(true)
  })
})
