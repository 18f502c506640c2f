// What a keyword's rule may ask while it writes its formula.

import type { JsonType } from '../../schema/json-type.ts'
import type { NormalSchema } from '../../schema/normal.ts'
import type { Formula, Formulas, Literal, SchemaClaim } from '../solver/formula.ts'

export interface KeywordContext {
  readonly type: JsonType
  readonly formulas: Formulas
  /** Whether `format` refuses values on this side. */
  readonly asserting: boolean
  literal(literal: Literal): Formula
  /** The formula of a schema that applies to the same value. */
  inPlace(schema: NormalSchema): Formula
  /** The formula of a schema for property names. */
  textFormula(schema: NormalSchema): Formula
  /** The number of a schema that applies to a part of the value. */
  claim(schema: NormalSchema): SchemaClaim
  target(reference: string): NormalSchema
  /** Counts work; false once the budget is used up. */
  spend(steps: number): boolean
  /** Sorts formulas by their tags; the result finds, by index, those that the tags of another formula do not exclude. */
  sortByTags(formulas: readonly Formula[]): (formula: Formula) => readonly number[]
  /** Whether two formulas plainly have no value in common. */
  areDisjoint(one: Formula, other: Formula): boolean
}
