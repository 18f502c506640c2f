// Searches a formula for values of one type: literals first, disjunctions only where the example found so far fails them.
// Invariant: what is dropped as contradictory was refuted by a domain; a branch that ends unknown keeps the whole unknown.

import { canonicalize } from '../../json/canonical.ts'
import type { JsonValue } from '../../json/value.ts'
import type { JsonType } from '../../schema/json-type.ts'
import { assume, type Branch, isRefuted, openBranch, possibleParts, propagate } from './branch.ts'
import { chooseDisjunction, otherChoices, satisfiesRest } from './choices.ts'
import type { DistinctValues, ProverEngine } from './engine.ts'
import type { Disjunction, Formula } from './formula.ts'
import { empty, type Gap, type SearchOutcome, unknown } from './outcome.ts'

export function searchType(engine: ProverEngine, type: JsonType, formula: Formula): SearchOutcome {
  return search(engine, type, [], [formula])
}

/** True only if the formula is refuted without any case split. */
export function isPlainlyContradictory(engine: ProverEngine, type: JsonType, formula: Formula): boolean {
  const branch = openBranch(engine, type)
  if (!assume(engine, branch, [formula])) return true
  for (const disjunction of branch.open) {
    const parts = possibleParts(engine, branch, disjunction)
    if (parts.every((part) => isRefuted(engine, branch, part))) return true
  }
  return branch.open.length === 0 && type === 'number' && branch.domain.solve().kind === 'empty'
}

/** `literals` were assumed together before. */
function search(
  engine: ProverEngine,
  type: JsonType,
  literals: readonly Formula[],
  formulas: readonly Formula[],
): SearchOutcome {
  if (!engine.budget.spend(1 + stepsPerAssumed * (literals.length + formulas.length))) {
    return unknown(engine.outOfBudget())
  }
  const branch = openBranch(engine, type, literals)
  if (!assume(engine, branch, formulas) || !propagate(engine, branch)) return empty
  const example = branch.domain.solve()
  if (example.kind === 'empty') return empty
  if (example.kind === 'value' && satisfiesRest(engine, branch, example.value)) return example
  const chosen = chooseDisjunction(engine, branch, example)
  if (chosen === undefined) {
    const whole = branch.wholes[0]
    if (example.kind === 'unknown') return example
    return unknown(
      whole === undefined
        ? { construct: 'search', reason: 'An example does not obey what it was built from' }
        : engine.gapAt(whole, `${whole.construct} has too many cases to be taken apart`),
    )
  }
  return tryParts(engine, branch, chosen)
}

const stepsPerAssumed = 0.02

function tryParts(engine: ProverEngine, branch: Branch, chosen: Disjunction): SearchOutcome {
  let gap: Gap | undefined
  const others = otherChoices(engine, branch, chosen)
  for (const part of possibleParts(engine, branch, chosen)) {
    if (isRefuted(engine, branch, part)) continue
    const outcome = search(engine, branch.type, branch.literals, [...others(part), part])
    if (outcome.kind === 'value') return outcome
    if (outcome.kind === 'unknown') gap ??= outcome.gap
    if (gap?.construct === 'budget') break
  }
  return gap === undefined ? empty : unknown(gap)
}

const stepsPerValue = 0.05

/**
 * Many different values at once: the domain of each branch hands out as many as it can. Complete only if every branch is;
 * values found twice count once.
 */
export function searchSeveral(engine: ProverEngine, type: JsonType, formula: Formula, wanted: number): DistinctValues {
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
      if (found.size < wanted && satisfiesRest(engine, branch, value)) found.set(canonicalize(value), value)
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
