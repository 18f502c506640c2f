// How the tree of a tenant lies in the database. Its frontier is one column: hashes one after the other, largest subtree first. Its interior
// nodes lie with the last leaf below them, level after level, 32 bytes each. A retirement is the fields of its leaf, and where that leaf is.
import type { EpochMs } from '../../../json/clock.ts'
import { frontierReads, frontierRoot, type TreeFrontier } from '../../log/tree/frontier.ts'
import type { RetirementLeaf } from '../../log/tree/leaf.ts'
import type { HashAt, NodeAt, StoredNode } from '../../log/tree/subtrees.ts'
import { hashBytes } from '../../log/tree/tree-hash.ts'
import type { Query } from '../driver/query-on.ts'

export type HeadRow = [tenant: string, size: number, frontier: Buffer]

export const writeFrontier = ({ peaks }: TreeFrontier): Buffer => Buffer.concat(peaks)

/** Undefined where it was changed by hand: no tree of this size has so many subtrees. */
function readFrontier(size: number, bytes: Buffer): TreeFrontier | undefined {
  if (!Number.isSafeInteger(size) || size < 0) return undefined
  const count = frontierReads(size).length
  if (bytes.length !== count * hashBytes) return undefined
  const peaks = Array.from({ length: count }, (_, at) => bytes.subarray(at * hashBytes, (at + 1) * hashBytes))
  return { size, peaks }
}

/** For appending: nothing may be built on a head that was changed by hand. */
export function frontierOf([tenant, size, bytes]: HeadRow): TreeFrontier {
  const frontier = readFrontier(size, bytes)
  if (frontier === undefined) throw new Error(`The head of the log of ${JSON.stringify(tenant)} was changed.`)
  return frontier
}

/** For checking: a head that was changed by hand has no root. */
export function readHead([tenant, size, bytes]: HeadRow) {
  const frontier = readFrontier(size, bytes)
  return { tenant, size, root: frontier === undefined ? undefined : frontierRoot(frontier) }
}

/** The leaf whose row holds a node; the leaf itself for level 0. */
const rowOf = ({ level, index }: NodeAt): number => (index + 1) * 2 ** level - 1

/** The nodes in the row of a leaf. */
export function readNodes(leaf: number, bytes: Buffer): readonly StoredNode[] {
  const nodes: StoredNode[] = []
  for (let at = 0; at < bytes.length; at += hashBytes) {
    const level = at / hashBytes + 1
    nodes.push({ level, index: (leaf + 1) / 2 ** level - 1, hash: bytes.subarray(at, at + hashBytes) })
  }
  return nodes
}

/** Reads these nodes of a tenant's tree at once. Undefined where one of them is not stored. */
export async function loadHashes(query: Query, tenant: string, nodes: readonly NodeAt[]): Promise<HashAt | undefined> {
  const wanted = [...new Set(nodes.map(rowOf))]
  const rows = await query<[number, Buffer, Buffer]>('log-hashes', [tenant, wanted])
  const stored = new Map(rows.map(([index, hash, bytes]) => [index, { hash, bytes }]))
  const find = (node: NodeAt): Buffer | undefined => {
    const row = stored.get(rowOf(node))
    if (row === undefined || node.level === 0) return row?.hash
    return row.bytes.subarray((node.level - 1) * hashBytes, node.level * hashBytes)
  }
  if (nodes.some((node) => find(node)?.length !== hashBytes)) return undefined
  return (level, index) => {
    const hash = find({ level, index })
    if (hash === undefined) throw new RangeError('A node was asked for that was not listed')
    return hash
  }
}

export type RetirementRow = [
  tenant: string,
  number: number,
  index: number,
  from: string,
  to: string,
  leaves: number,
  reason: string,
  at: number,
  previous: Buffer,
]

export function readRetirement(row: RetirementRow): { readonly index: number; readonly leaf: RetirementLeaf } {
  const [tenant, number, index, from, to, leaves, reason, at, previous] = row
  return {
    index,
    leaf: { kind: 'retirement', tenant, number, from, to, leaves, reason, at: at as EpochMs, previous },
  }
}
