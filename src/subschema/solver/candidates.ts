// Conjunctions in which a claim lists its values: only those are tested. Constants that other claims exclude are looked up
// in a set, because a union of n tags, taken apart, excludes n - 1 of them again and again.
import { canonicalize } from '../../json/canonical.ts'
import type { JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'
import type { SchemaPool } from '../references/schema-pool.ts'
import type { Budget } from './budget.ts'
import type { SchemaClaim } from './formula.ts'

export interface Candidates {
  /** A list that contains every value of the claim, by canonical texts; undefined where the claim lists none. */
  listed(claim: SchemaClaim): ValueList | undefined
  /** The values that obey all claims, as many as are wanted; undefined when no claim lists its values. */
  fitting(conjunction: readonly SchemaClaim[], wanted: number): ValueList | 'spent' | undefined
}

export type ValueList = ReadonlyMap<string, JsonValue>

interface CandidateSources {
  readonly pool: SchemaPool
  readonly budget: Budget
  accepts(claim: SchemaClaim, value: JsonValue): boolean
}

const stepsPerValue = 0.02

export function createCandidates({ pool, budget, accepts }: CandidateSources): Candidates {
  const lists = new Map<SchemaClaim, ValueList | undefined>()
  return { listed, fitting }

  function listed(claim: SchemaClaim): ValueList | undefined {
    if (claim < 0) return undefined
    if (!lists.has(claim)) {
      const { node, schema } = pool.entry(claim)
      const values = listValues(node, schema)
      budget.spend((values?.length ?? 0) * stepsPerValue)
      lists.set(claim, values && new Map(values.map((value) => [canonicalize(value), value])))
    }
    return lists.get(claim)
  }

  function fitting(conjunction: readonly SchemaClaim[], wanted: number): ValueList | 'spent' | undefined {
    const shortest = shortestList(conjunction)
    if (shortest === undefined) return undefined
    const excluded = new Set<string>()
    const others: SchemaClaim[] = []
    for (const claim of conjunction) {
      const own = claim < 0 && isMereList(claim) ? listed(-claim) : undefined
      if (own === undefined) others.push(claim)
      else if (own.size <= shortest.size) for (const text of own.keys()) excluded.add(text)
      else for (const text of shortest.keys()) if (own.has(text)) excluded.add(text)
    }
    budget.spend(conjunction.length * stepsPerValue)
    const found = new Map<string, JsonValue>()
    for (const [text, value] of shortest) {
      if (found.size >= wanted) break
      if (!budget.spend(stepsPerValue)) return 'spent'
      if (!excluded.has(text) && others.every((claim) => accepts(claim, value))) found.set(text, value)
    }
    return found
  }

  function shortestList(conjunction: readonly SchemaClaim[]): ValueList | undefined {
    let best: ValueList | undefined
    for (const claim of conjunction) {
      const own = listed(claim)
      if (own !== undefined && (best === undefined || own.size < best.size)) best = own
    }
    return best
  }

  /** Whether the listed values are exactly those that obey. */
  function isMereList(claim: SchemaClaim): boolean {
    const { node } = pool.entry(claim)
    if (typeof node === 'boolean') return false
    const words = Object.keys(node).filter((word) => node[word as keyof NormalObject] !== undefined)
    return words.length === 1 && (words[0] === 'const' || words[0] === 'enum')
  }
}

const maxValues = 5000

type Listed = readonly JsonValue[] | undefined

/** Definitions are shared: each node is looked at once, not once for each path to it. */
const remembered = new WeakMap<Preprocessed, WeakMap<NormalObject, { readonly values: Listed }>>()

/** A list that contains every value of the schema; undefined when the schema lists none. */
function listValues(node: NormalSchema, schema: Preprocessed): Listed {
  if (typeof node === 'boolean') return node ? undefined : []
  const known = remembered.get(schema) ?? new WeakMap<NormalObject, { readonly values: Listed }>()
  remembered.set(schema, known)
  const answer = known.get(node) ?? { values: listFresh(node, schema) }
  known.set(node, answer)
  return answer.values
}

function listFresh(node: NormalObject, schema: Preprocessed): Listed {
  if (node.const !== undefined) return [node.const]
  if (node.enum !== undefined) return node.enum
  const target = node.$ref === undefined ? undefined : schema.defs.get(node.$ref)
  const behind = target === undefined ? undefined : listValues(target, schema)
  if (behind !== undefined) return behind
  for (const part of node.allOf ?? []) {
    const values = listValues(part, schema)
    if (values !== undefined) return values
  }
  return listUnion(node.anyOf, schema) ?? listUnion(node.oneOf, schema)
}

function listUnion(parts: readonly NormalSchema[] | undefined, schema: Preprocessed): Listed {
  if (parts === undefined) return undefined
  if (parts.length === 1 && parts[0] !== undefined) return listValues(parts[0], schema)
  const all: JsonValue[] = []
  for (const part of parts) {
    const values = listValues(part, schema)
    if (values === undefined || all.length + values.length > maxValues) return undefined
    all.push(...values)
  }
  return all
}
