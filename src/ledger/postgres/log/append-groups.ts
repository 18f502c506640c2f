// Makes leaves of committed groups, in their order, and gathers what one statement stores of them. Knows the last group of each call,
// from the database or from this very batch, so that groups chain and number on.
import { emptyFrontier, type Frontier, type Growing, growFrom } from '../../log/frontier.ts'
import { hashOfLeaf } from '../../log/leaf.ts'
import { type Hash, hashBytes, noHash } from '../../log/tree-hash.ts'
import { arrayText } from '../array-text.ts'
import { writeFrontier } from './stored-frontier.ts'

export type PendingRow = [
  xid: string,
  ticket: number,
  tenant: string,
  callId: string,
  entry: string,
  pass: number,
  commitment: Buffer,
  known: boolean,
  lastGroup: number | null,
  lastHash: Buffer | null,
]

export interface GroupAppender {
  add(row: PendingRow): void
  readonly count: number
  /** The parameters of queries/log-append.sql. */
  values(): readonly unknown[]
}

interface Link {
  readonly group: number
  readonly hash: Hash
}

export function createGroupAppender(heads: ReadonlyMap<string, Frontier>): GroupAppender {
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
  const hashes: Hash[] = []
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
    add([, , tenant, callId, entry, pass, commitment, , lastGroup, lastHash]) {
      // An id has a fixed length, so no two pairs of id and tenant read alike.
      const name = callId + tenant
      const stored = lastGroup === null || lastHash === null ? undefined : { group: lastGroup, hash: lastHash }
      const last = links.get(name) ?? stored
      const group = (last?.group ?? 0) + 1
      const previous = last?.hash ?? noHash
      const hash = hashOfLeaf({ kind: 'facts', tenant, callId, pass, group, commitment, previous })
      const tree = treeOf(tenant)
      const index = tree.size
      const completed = tree.add(hash)
      links.set(name, { group, hash })

      tenants.push(tenant)
      indexes.push(index)
      calls.push(callId)
      entries.push(entry)
      passes.push(pass)
      groups.push(group)
      hashes.push(hash, commitment, previous)
      nodesAt.push(nodes.length * hashBytes + 1)
      nodesLength.push(completed.length * hashBytes)
      nodes.push(...completed)
    },
    get count() {
      return tenants.length
    },
    values() {
      const grown = [...trees.values()].map((tree) => tree.frontier())
      return [
        arrayText(tenants),
        arrayText(indexes),
        arrayText(calls),
        arrayText(entries),
        arrayText(passes),
        arrayText(groups),
        arrayText(nodesAt),
        Buffer.concat(hashes),
        arrayText(nodesLength),
        Buffer.concat(nodes),
        [...trees.keys()],
        grown.map(({ size }) => size),
        grown.map(writeFrontier),
      ]
    },
  }
}
