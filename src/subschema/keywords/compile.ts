// Walks the keyword table and makes the formula of a claim for one JSON type, once.

import type { JsonType } from '../../schema/json-type.ts'
import type { NormalObject, NormalSchema } from '../../schema/normal.ts'
import { definitionOf } from '../../schema/subschemas.ts'
import type { PoolEntry } from '../references/schema-pool.ts'
import type { ProverEngine } from '../solver/engine.ts'
import { type Formula, type Literal, literalKey, type SchemaClaim } from '../solver/formula.ts'
import type { Gap } from '../solver/outcome.ts'
import { isPlainlyContradictory } from '../solver/search.ts'
import type { KeywordContext } from './keyword-context.ts'
import { type KeywordRule, keywordRules } from './keyword-rules.ts'
import { indexByTags } from './tags.ts'

export interface Compiler {
  compile(claim: SchemaClaim, type: JsonType): Formula
  /** The claim that a chain of plain references ends at. */
  follow(claim: SchemaClaim): SchemaClaim
  gapAt(literal: Literal, reason: string): Gap
}

const rules: ReadonlyMap<string, KeywordRule> = new Map(keywordRules.map((rule) => [rule.keyword, rule]))
const notes = new Set(['title', 'description'])

export function createCompiler(engine: ProverEngine): Compiler {
  const { formulas, pool } = engine
  const compiled = new Map<JsonType, Map<SchemaClaim, Formula>>()
  const origins = new Map<string, { readonly entry: PoolEntry; readonly keyword: string }>()
  const followed = new Map<SchemaClaim, SchemaClaim>()

  return { compile, follow, gapAt }

  function compile(claim: SchemaClaim, type: JsonType): Formula {
    const ofType = compiled.get(type) ?? new Map<SchemaClaim, Formula>()
    compiled.set(type, ofType)
    const known = ofType.get(claim)
    if (known !== undefined) return known
    const fresh = claim < 0 ? formulas.not(compile(-claim, type)) : compileNode(pool.entry(claim), type)
    ofType.set(claim, fresh)
    return fresh
  }

  function compileNode(entry: PoolEntry, type: JsonType): Formula {
    const { node } = entry
    if (typeof node === 'boolean') return node ? formulas.yes : formulas.no
    const parts: Formula[] = []
    for (const word of Object.keys(node)) {
      const rule = rules.get(word)
      if (rule === undefined || !rule.types.includes(type) || node[rule.keyword] === undefined) continue
      const part = rule.formula(contextOf(entry, type, word), node)
      if (part === formulas.no) return part
      parts.push(part)
    }
    return formulas.and(parts)
  }

  function contextOf(entry: PoolEntry, type: JsonType, keyword: string): KeywordContext {
    const { schema } = entry
    return {
      type,
      formulas,
      asserting: schema.formats === 'assert',
      literal(literal) {
        const key = literalKey(literal)
        if (!origins.has(key)) origins.set(key, { entry, keyword })
        return formulas.literal(literal)
      },
      inPlace: (node) => compile(pool.claimOf(node, schema), type),
      textFormula: (node) => compile(pool.claimOf(node, schema), 'string'),
      claim: (node) => pool.claimOf(node, schema),
      target: (reference) => definitionOf(entry.schema, reference),
      spend: (steps) => engine.budget.spend(steps),
      sortByTags: (all) => {
        const indexes = [...all.keys()]
        if (type !== 'object') return () => indexes
        const index = indexByTags(indexes, (at) => engine.tags.ofFormulas([all[at] as Formula]))
        return (formula) => index.overlapping(engine.tags.ofFormulas([formula]))
      },
      areDisjoint: (one, other) => {
        const both = formulas.and([one, other])
        return both === formulas.no || isPlainlyContradictory(engine, type, both)
      },
    }
  }

  function follow(claim: SchemaClaim): SchemaClaim {
    const known = followed.get(claim)
    if (known !== undefined) return known
    const entry = pool.entry(claim)
    const reference = plainReference(entry.node)
    let end = claim
    if (reference !== undefined) {
      const target = follow(pool.claimOf(definitionOf(entry.schema, reference), entry.schema))
      end = claim < 0 ? -target : target
    }
    followed.set(claim, end)
    return end
  }

  function gapAt(literal: Literal, reason: string): Gap {
    const origin = origins.get(literalKey(literal)) ?? origins.get(literalKey(opposite(literal)))
    if (origin === undefined) return { construct: literal.kind, reason }
    const { entry, keyword } = origin
    const pointer = `${entry.schema.sourcePointer(entry.node) ?? ''}/${keyword}`
    return { construct: keyword, reason, side: entry.side, pointer }
  }
}

/** Where a schema that is nothing but a reference leads. */
function plainReference(node: NormalSchema): string | undefined {
  if (typeof node === 'boolean' || node.$ref === undefined) return undefined
  const words = Object.keys(node).filter((word) => node[word as keyof NormalObject] !== undefined && !notes.has(word))
  return words.length === 1 ? node.$ref : undefined
}

function opposite(literal: Literal): Literal {
  if ('holds' in literal) return { ...literal, holds: !literal.holds }
  return literal.kind === 'whole' ? { ...literal, claim: -literal.claim } : literal
}
