// Where a keyword that could not be modelled stands: in one of the schemas that apply to the value together, or in a part
// of them that applies to the same value.

import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'
import { schemasInPlace } from '../../schema/subschemas.ts'
import type { PoolEntry } from '../references/schema-pool.ts'
import type { ProofSide } from '../solver/outcome.ts'

/** The schemas that apply to the same value, the target of a reference among them. */
export function partsInPlace(node: NormalObject, schema: Preprocessed): readonly NormalSchema[] {
  const target = node.$ref === undefined ? undefined : schema.defs.get(node.$ref)
  return target === undefined ? schemasInPlace(node) : [...schemasInPlace(node), target]
}

export interface KeywordPlace {
  readonly side: ProofSide
  readonly pointer: string
}

/** The first place of the keyword; undefined where no schema of the documents has it. */
export function keywordPlace(entries: readonly PoolEntry[], keyword: string): KeywordPlace | undefined {
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
