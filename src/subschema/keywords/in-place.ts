// Schemas that apply to the same value as another: what stands beside it, and how long such chains are.
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'
import { walkSchemas } from '../references/schema-text.ts'

/** The schemas that speak about the same value, also under a condition or denied. */
export function partsInPlace(node: NormalObject, schema: Preprocessed): readonly NormalSchema[] {
  const { allOf = [], anyOf = [], oneOf = [], dependentSchemas = {} } = node
  const target = node.$ref === undefined ? undefined : schema.defs.get(node.$ref)
  const single = [node.not, node.if, node.then, node.else, target].filter((part) => part !== undefined)
  return [...allOf, ...anyOf, ...oneOf, ...Object.values(dependentSchemas), ...single]
}

interface Visit {
  readonly node: NormalObject
  readonly parts: readonly NormalSchema[]
  next: number
  longest: number
}

/**
 * The longest chain of schemas in place. References in place never lead back, or preprocessing would have refused them; but a chain
 * of definitions may be longer than calls can nest, hence the stack of its own.
 */
export function longestInPlace(schema: Preprocessed): { readonly length: number; readonly node?: NormalObject } {
  const lengths = new Map<NormalObject, number>()
  let longest: { readonly length: number; readonly node?: NormalObject } = { length: 0 }
  for (const root of [schema.root, ...schema.defs.values()]) {
    walkSchemas(root, (node) => {
      measure(node)
      return true
    })
  }
  return longest

  function measure(start: NormalObject): void {
    if (lengths.has(start)) return
    const path = [open(start)]
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const part = visit.parts[visit.next++]
      if (part === undefined) {
        const length = visit.longest + 1
        lengths.set(visit.node, length)
        if (length > longest.length) longest = { length, node: visit.node }
        path.pop()
        const before = path.at(-1)
        if (before !== undefined) before.longest = Math.max(before.longest, length)
      } else if (typeof part === 'object') {
        const known = lengths.get(part)
        if (known === undefined) path.push(open(part))
        else visit.longest = Math.max(visit.longest, known)
      }
    }
  }

  function open(node: NormalObject): Visit {
    return { node, parts: partsInPlace(node, schema), next: 0, longest: 0 }
  }
}
