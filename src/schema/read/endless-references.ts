// Finds references that a validator could not follow: those that lead back to themselves without going into the value, and chains in
// one value that are longer than calls can nest.
import type { NormalSchema } from '../normal.ts'
import { schemasInPlace } from '../subschemas.ts'

/** Some 2,000 exhaust the stack; the longest chain in some 300 published schemas is 9. */
const maxChain = 500

/** References that cannot be followed, with the keys that they pass. */
export type Endless = { readonly kind: 'cycle' | 'chain'; readonly keys: readonly string[] }

export function findEndlessReferences(defs: ReadonlyMap<string, NormalSchema>): Endless | undefined {
  const lengths = new Map<string, number>()
  for (const start of defs.keys()) {
    const endless = searchFrom(start, defs, lengths)
    if (endless !== undefined) return endless
  }
  return undefined
}

/** Depth first with a stack of its own: chains of references may be long. */
function searchFrom(
  start: string,
  defs: ReadonlyMap<string, NormalSchema>,
  /** How long the chain is that begins at a key, once that is known. */
  lengths: Map<string, number>,
): Endless | undefined {
  const path: { readonly key: string; readonly next: string[]; below: number }[] = []
  const onPath = new Set<string>()
  const enter = (key: string): void => {
    path.push({ key, next: referencesInPlace(defs.get(key) ?? true), below: 0 })
    onPath.add(key)
  }
  if (!lengths.has(start)) enter(start)
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const key = top.next.pop()
    if (key === undefined) {
      path.pop()
      onPath.delete(top.key)
      const length = top.below + 1
      if (length > maxChain) return { kind: 'chain', keys: [top.key] }
      lengths.set(top.key, length)
      const before = path.at(-1)
      if (before !== undefined) before.below = Math.max(before.below, length)
    } else if (onPath.has(key)) {
      const from = path.findIndex((entry) => entry.key === key)
      return { kind: 'cycle', keys: path.slice(from).map((entry) => entry.key) }
    } else {
      const known = lengths.get(key)
      if (known === undefined) enter(key)
      else top.below = Math.max(top.below, known)
    }
  }
  return undefined
}

/** The references that apply to the same value as the node itself. */
function referencesInPlace(node: NormalSchema): string[] {
  if (typeof node === 'boolean') return []
  const found = node.$ref === undefined ? [] : [node.$ref]
  for (const child of schemasInPlace(node)) found.push(...referencesInPlace(child))
  return found
}
