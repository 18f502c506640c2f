// Searches a formula for a value of one type: literals first, disjunctions only where the example found so far fails them.
// Invariant: what is dropped as contradictory was refuted by a domain; a branch that ends unknown keeps the whole unknown.

import type { JsonType } from '../../schema/json-type.ts'
import { assume, type Branch, type Disjunction, isRefuted, openBranch, possibleParts, propagate } from './branch.ts'
import { chooseDisjunction, fits, otherChoices } from './choices.ts'
import type { Engine } from './engine.ts'
import type { Formula } from './formula.ts'
import { empty, type Gap, type Outcome, unknown } from './outcome.ts'

export function searchType(engine: Engine, type: JsonType, formula: Formula): Outcome {
  return search(engine, type, [], [formula])
}

/** True only if the formula is refuted without any case split. */
export function isPlainlyContradictory(engine: Engine, type: JsonType, formula: Formula): boolean {
  const branch = openBranch(engine, type)
  if (!assume(engine, branch, [formula])) return true
  for (const disjunction of branch.open) {
    const parts = possibleParts(engine, branch, disjunction)
    if (parts.every((part) => isRefuted(engine, branch, part))) return true
  }
  return branch.open.length === 0 && type === 'number' && branch.domain.solve().kind === 'empty'
}

/** `literals` were assumed together before. */
function search(engine: Engine, type: JsonType, literals: readonly Formula[], formulas: readonly Formula[]): Outcome {
  if (!engine.budget.spend(1 + stepsPerAssumed * (literals.length + formulas.length))) {
    return unknown(engine.outOfBudget())
  }
  const branch = openBranch(engine, type, literals)
  if (!assume(engine, branch, formulas) || !propagate(engine, branch)) return empty
  const example = branch.domain.solve()
  if (example.kind === 'empty') return empty
  if (example.kind === 'value' && fits(engine, branch, example.value)) return example
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

function tryParts(engine: Engine, branch: Branch, chosen: Disjunction): Outcome {
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
