// Reads the tags of claims and formulas, each once, down to a few levels of objects.
import type { JsonType } from '../../schema/json-type.ts'
import type { ValueList } from '../solver/candidates.ts'
import { type Disjunction, type Formula, isNo, type Literal, type SchemaClaim, singleName } from '../solver/formula.ts'
import { indexByTags, mergeTags, type TagIndex, type Tags } from './tags.ts'

export interface TagReader {
  /** Tags of every value that obeys all claims. */
  ofClaims(claims: readonly SchemaClaim[]): Tags
  /** Tags of every object that satisfies all formulas and has properties of those names. */
  ofFormulas(formulas: readonly Formula[], present?: ReadonlySet<string>): Tags
  /** An object that has another constant than these at such a place satisfies the choice. */
  ofChoice(choice: Disjunction): Tags
  /** The alternatives of a choice, sorted by their tags. */
  alternatives(choice: Disjunction): TagIndex<Formula>
}

interface TagSources {
  compile(claim: SchemaClaim, type: JsonType): Formula
  /** A list that contains every value of the claim. */
  listed(claim: SchemaClaim): ValueList | undefined
  spend(steps: number): boolean
}

const none: Tags = new Map()
const noNames: ReadonlySet<string> = new Set()
const otherTypes: readonly JsonType[] = ['null', 'boolean', 'number', 'string', 'array']
/** Levels of objects that are looked into, and alternatives whose tags are put together. */
const maxLevels = 3
const maxAlternatives = 64
const stepsPerValue = 0.02

export function createTagReader({ compile, listed, spend }: TagSources): TagReader {
  const claimTags = new Map<string, Tags>()
  const formulaTags = new Map<string, Tags>()
  const choices = new Map<number, Tags>()
  const indexes = new Map<number, TagIndex<Formula>>()

  return {
    ofClaims: (claims) => mergeTags(claims.map((claim) => ofClaim(claim, maxLevels))),
    ofFormulas: (formulas, present = noNames) => ofAll(formulas, maxLevels, present),
    ofChoice: (choice) => remember(choices, choice, readChoice),
    alternatives: (choice) => remember(indexes, choice, indexAlternatives),
  }

  function ofClaim(claim: SchemaClaim, levels: number): Tags {
    if (claim < 0) return none
    const key = `${claim} ${levels}`
    const known = claimTags.get(key)
    if (known !== undefined) return known
    // While the claim is being read it counts as having no tags: recursion ends here.
    claimTags.set(key, none)
    const fresh = readClaim(claim, levels)
    claimTags.set(key, fresh)
    return fresh
  }

  function readClaim(claim: SchemaClaim, levels: number): Tags {
    const values = listed(claim)
    if (values !== undefined) return new Map([['', new Set(values.keys())]])
    if (levels === 0 || otherTypes.some((type) => !isNo(compile(claim, type)))) return none
    return ofFormula(compile(claim, 'object'), levels)
  }

  function ofFormula(formula: Formula, levels: number): Tags {
    if (formula.kind === 'constant') return none
    const key = `${formula.id} ${levels}`
    const known = formulaTags.get(key)
    if (known !== undefined) return known
    const fresh = formula.kind === 'or' ? ofAny(formula.parts, levels) : ofAll(conjuncts(formula), levels, noNames)
    formulaTags.set(key, fresh)
    return fresh
  }

  function ofAll(formulas: readonly Formula[], levels: number, given: ReadonlySet<string>): Tags {
    const parts = formulas.flatMap(conjuncts)
    spend(stepsPerValue * parts.length)
    const present = presentNames(parts)
    const found: Tags[] = []
    for (const part of parts) {
      if (part.kind === 'or') found.push(ofFormula(part, levels))
      if (part.kind !== 'literal') continue
      const named = namedClaim(part.literal)
      if (named === undefined || !(present.has(named.name) || given.has(named.name))) continue
      found.push(below(named.name, ofClaim(named.claim, levels - 1)))
    }
    return mergeTags(found)
  }

  /** The places that all alternatives have tags for, with the constants of all. */
  function ofAny(parts: readonly Formula[], levels: number): Tags {
    if (parts.length > maxAlternatives) return none
    let common: Map<string, ReadonlySet<string>> | undefined
    for (const part of parts) {
      const own = ofFormula(part, levels)
      if (own.size === 0) return none
      const next = new Map<string, ReadonlySet<string>>()
      for (const [place, values] of common ?? own) {
        const others = own.get(place)
        spend(stepsPerValue * (others?.size ?? 0))
        if (others !== undefined) next.set(place, common === undefined ? values : values.union(others))
      }
      common = next
    }
    return common ?? none
  }

  function indexAlternatives({ parts }: Disjunction): TagIndex<Formula> {
    return indexByTags(parts, (part) => ofFormula(part, maxLevels))
  }

  function readChoice({ parts }: Disjunction): Tags {
    spend(stepsPerValue * parts.length)
    const found: Tags[] = []
    for (const part of parts) {
      const named = part.kind === 'literal' ? namedClaim(part.literal) : undefined
      if (named !== undefined && named.claim < 0) {
        found.push(below(named.name, ofClaim(-named.claim, maxLevels - 1)))
      }
    }
    return mergeTags(found)
  }
}

function remember<T>(known: Map<number, T>, choice: Disjunction, read: (choice: Disjunction) => T): T {
  const earlier = known.get(choice.id)
  if (earlier !== undefined) return earlier
  const fresh = read(choice)
  known.set(choice.id, fresh)
  return fresh
}

function conjuncts(formula: Formula): readonly Formula[] {
  return formula.kind === 'and' ? formula.parts : [formula]
}

/** Names of properties that must be there. */
export function presentNames(formulas: readonly Formula[]): ReadonlySet<string> {
  const present = new Set<string>()
  for (const formula of formulas) {
    if (formula.kind !== 'literal' || formula.literal.kind !== 'some') continue
    const name = singleName(formula.literal.keys)
    if (name !== undefined) present.add(name)
  }
  return present
}

/** A claim on the property of one name. */
function namedClaim(literal: Literal): { readonly name: string; readonly claim: SchemaClaim } | undefined {
  if (literal.kind !== 'all' && literal.kind !== 'some') return undefined
  const name = singleName(literal.keys)
  return name === undefined ? undefined : { name, claim: literal.claim }
}

function below(name: string, tags: Tags): Tags {
  return new Map([...tags].map(([place, values]) => [`${JSON.stringify(name)}${place}`, values]))
}
