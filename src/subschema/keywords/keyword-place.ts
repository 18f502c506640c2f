// Where a keyword stands that could not be modelled: in one of the schemas that met on the value, or in a part of it in place.
import type { NormalObject, NormalSchema } from '../../schema/normal.ts'
import type { PoolEntry, Side } from '../references/schema-pool.ts'
import { partsInPlace } from './in-place.ts'

export interface Place {
  readonly side: Side
  readonly pointer: string
}

/** The first place of the keyword; undefined where it is none, or where only a part that was made up on the way has it. */
export function keywordPlace(entries: readonly PoolEntry[], keyword: string): Place | undefined {
  for (const { node, schema, side } of entries) {
    const seen = new Set<NormalObject>()
    const pointer = find(node)
    if (pointer !== undefined) return { side, pointer: `${pointer}/${keyword}` }

    function find(part: NormalSchema): string | undefined {
      if (typeof part !== 'object' || seen.has(part)) return undefined
      seen.add(part)
      if (part[keyword as keyof NormalObject] !== undefined) return schema.sourcePointer(part)
      for (const other of partsInPlace(part, schema)) {
        const found = find(other)
        if (found !== undefined) return found
      }
      return undefined
    }
  }
  return undefined
}
