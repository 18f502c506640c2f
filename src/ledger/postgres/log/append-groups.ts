// Makes leaves of committed groups, in their order, and gathers what one statement stores of them. Knows the last group of each call,
// from the database or from this very batch, so that groups chain and number on.
import { emptyFrontier, type Growing, growFrom, type TreeFrontier } from '../../log/tree/frontier.ts'
import { hashOfFactsLeaf, noHashHex } from '../../log/tree/leaf.ts'
import { type Hash, hashBytes, hexOf } from '../../log/tree/tree-hash.ts'
import { arrayText, bareArrayText } from '../codec/array-text.ts'
import { writeFrontier } from './stored-tree.ts'

/** Hashes are in hex. */
export type PendingRow = [
  xid: string,
  ticket: number,
  tenant: string,
  callId: string,
  entry: string,
  pass: number,
  commitment: string,
  known: boolean,
  lastGroup: number | null,
  lastHash: string | null,
]

export interface GroupAppender {
  add(row: PendingRow): void
  readonly count: number
  /** The parameters of the statement log-append (statements/log.sql). */
  values(): readonly unknown[]
}

interface Link {
  readonly group: number
  readonly hash: string
}

export function createGroupAppender(heads: ReadonlyMap<string, TreeFrontier>): GroupAppender {
  const trees = new Map<string, Growing>()
  const links = new Map<string, Link>()
  const tenants: string[] = []
  const indexes: number[] = []
  const calls: string[] = []
  const entries: string[] = []
  const passes: number[] = []
  const groups: number[] = []
  const nodesAt: number[] = []
  const nodesLength: number[] = []
  // Hash, commitment and the hash before it, of one leaf after the other.
  const hashes: string[] = []
  const nodes: Hash[] = []

  const treeOf = (tenant: string): Growing => {
    let tree = trees.get(tenant)
    if (tree === undefined) {
      tree = growFrom(heads.get(tenant) ?? emptyFrontier)
      trees.set(tenant, tree)
    }
    return tree
  }

  return {
    // By position and not by name, for speed: every call of a process passes here.
    add(row) {
      const tenant = row[2]
      const callId = row[3]
      const pass = row[5]
      const commitment = row[6]
      // An id has a fixed length, so no two pairs of id and tenant read alike.
      const name = callId + tenant
      const last = links.get(name)
      const group = (last?.group ?? row[8] ?? 0) + 1
      const previous = last?.hash ?? row[9] ?? noHashHex
      const hash = hashOfFactsLeaf({ tenant, callId, pass, group, commitment, previous })
      const hex = hexOf(hash)
      const tree = treeOf(tenant)
      const index = tree.size
      const completed = tree.add(hash)
      links.set(name, { group, hash: hex })

      tenants.push(tenant)
      indexes.push(index)
      calls.push(callId)
      entries.push(row[4])
      passes.push(pass)
      groups.push(group)
      hashes.push(hex, commitment, previous)
      nodesAt.push(nodes.length * hashBytes + 1)
      nodesLength.push(completed.length * hashBytes)
      for (const each of completed) nodes.push(each)
    },
    get count() {
      return tenants.length
    },
    values() {
      const grown = [...trees.values()].map((tree) => tree.frontier())
      return [
        arrayText(tenants),
        bareArrayText(indexes),
        bareArrayText(calls),
        bareArrayText(entries),
        bareArrayText(passes),
        bareArrayText(groups),
        bareArrayText(nodesAt),
        Buffer.from(hashes.join(''), 'hex'),
        bareArrayText(nodesLength),
        Buffer.concat(nodes),
        [...trees.keys()],
        grown.map(({ size }) => size),
        grown.map(writeFrontier),
      ]
    },
  }
}
