// Where interior nodes lie: with the last leaf below them, level after level, 32 bytes each.
import type { HashAt, NodeAt, StoredNode } from '../../log/subtrees.ts'
import { hashBytes } from '../../log/tree-hash.ts'
import type { Query } from '../driver/query-on.ts'

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
