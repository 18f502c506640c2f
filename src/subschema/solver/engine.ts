// The two interfaces inside the prover: what a domain asks of the engine, and what the engine asks of a domain.
import type { JsonValue } from '../../json/value.ts'
import type { TagReader } from '../keywords/tag-reader.ts'
import type { SchemaPool } from '../references/schema-pool.ts'
import type { Automaton } from '../texts/automaton.ts'
import type { WordAnswer } from '../texts/words.ts'
import type { Budget } from './budget.ts'
import type { Formula, Formulas, Literal, SchemaClaim } from './formula.ts'
import type { Gap, SearchOutcome } from './outcome.ts'

export interface ProverEngine {
  readonly formulas: Formulas
  readonly pool: SchemaPool
  readonly budget: Budget
  /** A value that obeys all claims. */
  solve(claims: readonly SchemaClaim[]): SearchOutcome
  /** Up to so many different values that obey all claims. */
  distinct(claims: readonly SchemaClaim[], wanted: number): DistinctValues
  /** True only if a glance shows that no value obeys all claims. */
  isPlainlyEmpty(claims: readonly SchemaClaim[]): boolean
  accepts(claim: SchemaClaim, value: JsonValue): boolean
  /** The claim that only this value obeys. */
  constant(value: JsonValue): SchemaClaim
  readonly tags: TagReader
  /** Texts that satisfy a formula on strings. */
  texts(formula: Formula, wanted: number): WordAnswer
  holdsForText(formula: Formula, text: string): boolean
  automatonOf(literal: Extract<Literal, { kind: 'match' }>): Automaton | undefined
  /** Says where the work was when the budget ran out. */
  outOfBudget(): Gap
  /** Says where a literal came from. */
  gapAt(literal: Literal, reason: string): Gap
}

export interface DistinctValues {
  readonly values: readonly JsonValue[]
  /** True: there are no others. */
  readonly complete: boolean
  /** Why it is not known whether there are others. */
  readonly gap?: Gap
}

/** The constraints on a value of one type, one literal after another. */
export interface Domain {
  take(literal: Literal): void
  /** Whether the literal plainly contradicts what was taken in. */
  refuses(literal: Literal): boolean
  solve(): SearchOutcome
  /** Different values, as many as are wanted or as are found at once. */
  several(wanted: number): DistinctValues
}

/** Takes the literal in; false if that plainly leaves nothing. */
export function takeLiteral(domain: Domain, literal: Literal): boolean {
  const refused = domain.refuses(literal)
  domain.take(literal)
  return !refused
}
