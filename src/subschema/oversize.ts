// What is refused by size before any work: documents that would cost hundreds of megabytes, or more nested calls than there can be.
import type { Preprocessed } from '../schema/normal.ts'
import { longestInPlace } from './keywords/in-place.ts'
import { countSchemas } from './references/schema-pool.ts'
import type { Gap } from './solver/outcome.ts'

export const maxSchemas = 50_000
/** Calls nest with them; some 2,000 exhaust the stack. The longest chain in some 300 published schemas is 9. */
const maxInPlace = 500

/** Why the question is not even begun; undefined where it is. */
export function oversize(r: Preprocessed, l: Preprocessed): Gap | undefined {
  return tooLarge(r, 'r') ?? tooLarge(l, 'l')
}

function tooLarge(schema: Preprocessed, side: 'r' | 'l'): Gap | undefined {
  if (countSchemas(schema, maxSchemas) > maxSchemas) {
    const reason = `The schema has more than ${maxSchemas} parts; prove its definitions one by one`
    return { construct: 'size', reason, side, pointer: '' }
  }
  const { length, node } = longestInPlace(schema)
  if (length <= maxInPlace || node === undefined) return undefined
  const reason = `Here begins a chain of ${length} schemas that apply to one and the same value; ${maxInPlace} is the limit`
  return { construct: 'depth', reason, side, pointer: schema.sourcePointer(node) ?? '' }
}
