// Finds definitions that one value may reach again and again, on exponentially many paths through unions of references.
// Invariant: where their answers are kept per value, the work grows with schema size times value size, not with paths.
import type { Preprocessed } from '../normal.ts'
import { referencesIn } from '../subschemas.ts'

/** Fewer ways than this are cheaper to walk than to remember. */
const manyWays = 100

/** The keys of definitions whose answers are worth keeping during one validation. */
export function repeatedDefinitions(schema: Preprocessed): ReadonlySet<string> {
  const references = new Map<string, readonly string[]>()
  for (const [key, node] of schema.defs) references.set(key, referencesIn(node))
  const groups = stronglyConnected(references)
  const ways = new Map<string, number>()
  for (const key of referencesIn(schema.root)) add(ways, key, 1)
  const repeated = new Set<string>()
  // Groups come callee first, so the reverse order meets every caller before what it calls.
  for (const group of groups.reverse()) {
    const members = new Set(group)
    const inside = group.flatMap((key) => references.get(key) ?? []).filter((key) => members.has(key)).length
    const total = group.reduce((sum, key) => sum + (ways.get(key) ?? 0), 0)
    for (const key of group) {
      const called = references.get(key) ?? []
      if (called.length > 0 && (inside > group.length || total > manyWays)) repeated.add(key)
      const passed = repeated.has(key) ? 1 : total
      for (const next of called) if (!members.has(next)) add(ways, next, passed)
    }
  }
  return repeated
}

function add(ways: Map<string, number>, key: string, more: number): void {
  ways.set(key, (ways.get(key) ?? 0) + more)
}

/** Tarjan's algorithm with a stack of its own; every group comes after the groups it refers to. */
function stronglyConnected(references: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const isOpen = new Set<string>()
  const groups: string[][] = []
  const path: { readonly key: string; next: number }[] = []
  const enter = (key: string): void => {
    order.set(key, order.size)
    lowest.set(key, order.size - 1)
    open.push(key)
    isOpen.add(key)
    path.push({ key, next: 0 })
  }
  const lower = (key: string, to: number): void => void lowest.set(key, Math.min(lowest.get(key) ?? to, to))
  for (const start of references.keys()) {
    if (!order.has(start)) enter(start)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { key } = top
      const next = references.get(key)?.[top.next++]
      if (next !== undefined) {
        if (!order.has(next)) enter(next)
        else if (isOpen.has(next)) lower(key, order.get(next) ?? 0)
        continue
      }
      path.pop()
      const caller = path.at(-1)
      if (caller !== undefined) lower(caller.key, lowest.get(key) ?? 0)
      if (lowest.get(key) === order.get(key)) groups.push(closeGroup(key))
    }
  }
  return groups

  function closeGroup(key: string): string[] {
    const group = open.splice(open.lastIndexOf(key))
    for (const member of group) isOpen.delete(member)
    return group
  }
}
