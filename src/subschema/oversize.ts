// What is refused by size before any work: documents that would cost hundreds of megabytes, or more nested calls than there can be.
import type { NormalObject, NormalSchema, Preprocessed } from '../schema/normal.ts'
import { walkSchemas } from '../schema/subschemas.ts'
import { partsInPlace } from './keywords/keyword-place.ts'
import { countSchemas } from './references/schema-pool.ts'
import type { Gap, ProofSide } from './solver/outcome.ts'

export const maxSchemas = 50_000
/** Calls nest with them; some 2,000 exhaust the stack. The longest chain in some 300 published schemas is 9. */
const maxInPlace = 500

/** Why the question is not even begun; undefined where it is. */
export function oversize(r: Preprocessed, l: Preprocessed): Gap | undefined {
  return tooLarge(r, 'r') ?? tooLarge(l, 'l')
}

function tooLarge(schema: Preprocessed, side: ProofSide): Gap | undefined {
  if (countSchemas(schema, maxSchemas) > maxSchemas) {
    const reason = `The schema has more than ${maxSchemas} parts; prove its definitions one by one`
    return { construct: 'size', reason, side, pointer: '' }
  }
  const { length, node } = longestInPlace(schema)
  if (length <= maxInPlace || node === undefined) return undefined
  const reason = `Here begins a chain of ${length} schemas that apply to one and the same value; ${maxInPlace} is the limit`
  return { construct: 'depth', reason, side, pointer: schema.sourcePointer(node) ?? '' }
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
function longestInPlace(schema: Preprocessed): { readonly length: number; readonly node?: NormalObject } {
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
