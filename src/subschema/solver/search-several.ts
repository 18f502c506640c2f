// Searches for many different values at once: the domain of each branch hands out as many as it can.
// Invariant: complete only if every branch is; values found twice count once.
import { canonicalize } from '../../json/canonical.ts'
import type { JsonValue } from '../../json/value.ts'
import type { JsonType } from '../../schema/json-type.ts'
import { assume, isRefuted, openBranch, possibleParts, propagate } from './branch.ts'
import { chooseDisjunction, fits, otherChoices } from './choices.ts'
import type { DistinctValues, Engine } from './engine.ts'
import type { Formula } from './formula.ts'

const stepsPerAssumed = 0.02
const stepsPerValue = 0.05

export function searchSeveral(engine: Engine, type: JsonType, formula: Formula, wanted: number): DistinctValues {
  const found = new Map<string, JsonValue>()
  const complete = gather([], [formula])
  return { values: [...found.values()], complete }

  /** True if the branch has no other values. */
  function gather(literals: readonly Formula[], formulas: readonly Formula[]): boolean {
    if (!engine.budget.spend(1 + stepsPerAssumed * (literals.length + formulas.length))) return false
    const branch = openBranch(engine, type, literals)
    if (!assume(engine, branch, formulas) || !propagate(engine, branch)) return true
    const several = branch.domain.several(wanted - found.size)
    engine.budget.spend(several.values.length * stepsPerValue)
    for (const value of several.values) {
      if (found.size < wanted && fits(engine, branch, value)) found.set(canonicalize(value), value)
    }
    if (several.complete) return true
    if (found.size >= wanted || branch.open.length === 0) return false
    const chosen = chooseDisjunction(engine, branch, branch.domain.solve())
    if (chosen === undefined) return false
    const others = otherChoices(engine, branch, chosen)
    let isAll = true
    for (const part of possibleParts(engine, branch, chosen)) {
      if (isRefuted(engine, branch, part)) continue
      if (!gather(branch.literals, [...others(part), part])) isAll = false
      if (found.size >= wanted) return false
    }
    return isAll
  }
}
