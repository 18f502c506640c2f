// Finds references that lead back to themselves without going into the value: a validator could follow them for ever.
import type { NormalObject, NormalSchema } from './normal.ts'

/** The keys along one such cycle, or undefined. */
export function findReferenceCycle(defs: ReadonlyMap<string, NormalSchema>): readonly string[] | undefined {
  const done = new Set<string>()
  for (const start of defs.keys()) {
    const cycle = searchFrom(start, defs, done)
    if (cycle !== undefined) return cycle
  }
  return undefined
}

/** Depth first with a stack of its own: chains of references may be long. */
function searchFrom(
  start: string,
  defs: ReadonlyMap<string, NormalSchema>,
  done: Set<string>,
): readonly string[] | undefined {
  const path: { readonly key: string; readonly next: string[] }[] = []
  const onPath = new Set<string>()
  const enter = (key: string): void => {
    path.push({ key, next: referencesInPlace(defs.get(key) ?? true) })
    onPath.add(key)
  }
  if (!done.has(start)) enter(start)
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const key = top.next.pop()
    if (key === undefined) {
      path.pop()
      onPath.delete(top.key)
      done.add(top.key)
    } else if (onPath.has(key)) {
      const from = path.findIndex((entry) => entry.key === key)
      return path.slice(from).map((entry) => entry.key)
    } else if (!done.has(key)) enter(key)
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

function schemasInPlace(node: NormalObject): readonly NormalSchema[] {
  const single = [node.not, node.if, node.then, node.else].filter((schema) => schema !== undefined)
  const dependent = Object.values(node.dependentSchemas ?? {})
  return [...(node.allOf ?? []), ...(node.anyOf ?? []), ...(node.oneOf ?? []), ...dependent, ...single]
}
