// Bounds a document before anything recurses over it: depth, and the number of values, counted by position because an
// object that is shared (or that contains itself) has more positions than its own size tells.
import type { JsonValue } from '../json/value.ts'

const maxNesting = 512
const maxValues = 2_000_000

/** What is too much about the document, in words; undefined when nothing is. */
export function exceededLimit(value: JsonValue): string | undefined {
  let values = 0
  return visit(value, 0)

  function visit(here: JsonValue, depth: number): string | undefined {
    if (++values > maxValues) return `it has more than ${maxValues} values`
    if (typeof here !== 'object' || here === null) return undefined
    if (depth > maxNesting) return `it nests deeper than ${maxNesting} levels`
    for (const child of Object.values(here)) {
      const exceeded = visit(child, depth + 1)
      if (exceeded !== undefined) return exceeded
    }
    return undefined
  }
}
