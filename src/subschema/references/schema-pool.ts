// Every schema of both sides by number: equal schemas, also ones that differ only in names of definitions or in notes,
// have equal numbers.
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'
import { walkSchemas } from '../../schema/subschemas.ts'
import { type SchemaClaim, trueClaim } from '../solver/formula.ts'
import type { ProofSide } from '../solver/outcome.ts'
import { classesOf } from './definition-classes.ts'
import { nodeText } from './schema-text.ts'

export interface PoolEntry {
  readonly node: NormalSchema
  /** The document whose definitions the node refers to. */
  readonly schema: Preprocessed
  readonly side: ProofSide
}

export interface SchemaPool {
  claimOf(node: NormalSchema, schema: Preprocessed): SchemaClaim
  entry(claim: SchemaClaim): PoolEntry
}

export function createPool(r: Preprocessed, l: Preprocessed): SchemaPool {
  const classes = classesOf(r === l ? [r] : [r, l])
  const claims = new WeakMap<object, SchemaClaim>()
  const numbers = new Map<string, SchemaClaim>()
  const entries: PoolEntry[] = [
    { node: true, schema: r, side: 'r' },
    { node: true, schema: r, side: 'r' },
  ]

  const pool: SchemaPool = {
    claimOf(node, schema) {
      if (typeof node === 'boolean') return node ? trueClaim : -trueClaim
      const known = claims.get(node)
      if (known !== undefined) return known
      const key = nodeText(node, schema, classes, (child) => String(pool.claimOf(child, schema)))
      const claim = key === '' ? trueClaim : (numbers.get(key) ?? register(key, node, schema))
      claims.set(node, claim)
      return claim
    },
    entry: (claim) => entries[Math.abs(claim)] as PoolEntry,
  }
  return pool

  function register(key: string, node: NormalObject, schema: Preprocessed): SchemaClaim {
    const claim = entries.length
    entries.push({ node, schema, side: schema === r ? 'r' : 'l' })
    numbers.set(key, claim)
    return claim
  }
}

/** How many schema objects there are, counted no further than the limit. */
export function countSchemas({ root, defs }: Preprocessed, limit: number): number {
  let count = 0
  for (const node of [root, ...defs.values()]) {
    if (!walkSchemas(node, () => ++count <= limit)) break
  }
  return count
}
