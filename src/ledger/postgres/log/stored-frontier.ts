// The frontier of a tenant's tree as one column: its hashes one after the other, largest subtree first.
import { type Frontier, frontierReads, frontierRoot } from '../../log/frontier.ts'
import { hashBytes } from '../../log/tree-hash.ts'

export type HeadRow = [tenant: string, size: number, frontier: Buffer]

export const writeFrontier = ({ peaks }: Frontier): Buffer => Buffer.concat(peaks)

/** Undefined where it was changed by hand: no tree of this size has so many subtrees. */
function readFrontier(size: number, bytes: Buffer): Frontier | undefined {
  if (!Number.isSafeInteger(size) || size < 0) return undefined
  const count = frontierReads(size).length
  if (bytes.length !== count * hashBytes) return undefined
  const peaks = Array.from({ length: count }, (_, at) => bytes.subarray(at * hashBytes, (at + 1) * hashBytes))
  return { size, peaks }
}

/** For those who append: on a head that is not one, nothing may be built. */
export function frontierOf([tenant, size, bytes]: HeadRow): Frontier {
  const frontier = readFrontier(size, bytes)
  if (frontier === undefined) throw new Error(`The head of the log of ${JSON.stringify(tenant)} was changed.`)
  return frontier
}

/** For those who check: a head that is not one has no root. */
export function readHead([tenant, size, bytes]: HeadRow) {
  const frontier = readFrontier(size, bytes)
  return { tenant, size, root: frontier === undefined ? undefined : frontierRoot(frontier) }
}
