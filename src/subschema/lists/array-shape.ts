// An array's constraints, gathered, and the plainest way to fill its positions.
import type { JsonValue } from '../../json/value.ts'
import type { ProverEngine } from '../solver/engine.ts'
import type { LiteralOf, SchemaClaim } from '../solver/formula.ts'
import { empty, type SearchOutcome, valueFound } from '../solver/outcome.ts'

export interface ArrayShape {
  readonly min: number
  readonly max: number
  /** From this position on all positions are alike. */
  readonly prefix: number
  readonly counts: readonly LiteralOf<'count'>[]
  readonly unique: boolean | undefined
  claimsAt(index: number): readonly SchemaClaim[]
}

/** One value for each position; nothing relates them. */
export function fill(engine: ProverEngine, positions: readonly (readonly SchemaClaim[])[]): SearchOutcome {
  const values: JsonValue[] = []
  let gap: SearchOutcome | undefined
  for (const claims of positions) {
    const outcome = engine.solve(claims)
    if (outcome.kind === 'empty') return empty
    if (outcome.kind === 'unknown') gap ??= outcome
    else values.push(outcome.value)
  }
  return gap ?? valueFound(values)
}
