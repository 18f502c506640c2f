// Searches a formula for a value of one type: literals first, disjunctions only where the example found so far fails them.
// Invariant: what is dropped as contradictory was refuted by a domain; a branch that ends unknown keeps the whole unknown.
import type { JsonValue } from '../json/value.ts'
import { domains } from './domains.ts'
import type { Domain, Engine, JsonType } from './engine.ts'
import { holdsFor, stepsPerFormula } from './evaluate.ts'
import type { Formula } from './formula.ts'
import type { LiteralOf } from './literal.ts'
import { empty, type Gap, type Outcome, unknown } from './outcome.ts'

type Disjunction = Extract<Formula, { kind: 'or' }>

/** What is known to hold on one branch of the search. */
interface Branch {
  readonly domain: Domain
  readonly known: Set<number>
  readonly literals: Formula[]
  readonly wholes: LiteralOf<'whole'>[]
  open: Disjunction[]
  /** What was found out about formulas since something was last assumed: they share parts. */
  readonly refuted: Map<number, boolean>
  readonly entailed: Map<number, boolean>
}

export function searchType(engine: Engine, type: JsonType, formula: Formula): Outcome {
  return search(engine, type, [formula])
}

/** True only if the formula is refuted without any case split. */
export function isPlainlyContradictory(engine: Engine, type: JsonType, formula: Formula): boolean {
  const branch = openBranch(engine, type)
  if (!assume(engine, branch, [formula])) return true
  for (const disjunction of branch.open) {
    if (disjunction.parts.every((part) => isRefuted(engine, branch, part))) return true
  }
  return branch.open.length === 0 && type === 'number' && branch.domain.solve().kind === 'empty'
}

function search(engine: Engine, type: JsonType, formulas: readonly Formula[]): Outcome {
  if (!engine.budget.spend()) return unknown(engine.outOfBudget())
  const branch = openBranch(engine, type)
  if (!assume(engine, branch, formulas) || !propagate(engine, branch)) return empty
  const example = branch.domain.solve()
  if (example.kind === 'empty') return empty
  let gap: Gap | undefined = example.kind === 'unknown' ? example.gap : undefined
  if (example.kind === 'value' && fits(engine, branch, example.value)) return example
  const next = chooseDisjunction(engine, branch, example)
  if (next === undefined) {
    const whole = branch.wholes[0]
    if (gap !== undefined) return unknown(gap)
    return unknown(
      whole === undefined
        ? { construct: 'search', reason: 'An example does not obey what it was built from' }
        : engine.gapAt(whole, `${whole.construct} has too many cases to be taken apart`),
    )
  }
  gap = undefined
  const others: readonly Formula[] = [...branch.literals, ...branch.open.filter((one) => one !== next)]
  for (const part of next.parts) {
    if (isRefuted(engine, branch, part)) continue
    const outcome = search(engine, type, [...others, part])
    if (outcome.kind === 'value') return outcome
    if (outcome.kind === 'unknown') gap ??= outcome.gap
    if (gap?.construct === 'budget') break
  }
  return gap === undefined ? empty : unknown(gap)
}

function openBranch(engine: Engine, type: JsonType): Branch {
  return {
    domain: domains[type](engine),
    known: new Set(),
    literals: [],
    wholes: [],
    open: [],
    refuted: new Map(),
    entailed: new Map(),
  }
}

/** Takes formulas in; false if they plainly contradict what is known. */
function assume(engine: Engine, branch: Branch, formulas: readonly Formula[]): boolean {
  for (const formula of formulas) {
    if (formula.kind === 'constant') {
      if (!formula.value) return false
    } else if (formula.kind === 'and') {
      if (!assume(engine, branch, formula.parts)) return false
    } else if (!branch.known.has(formula.id)) {
      branch.known.add(formula.id)
      branch.refuted.clear()
      branch.entailed.clear()
      if (formula.kind === 'or') branch.open.push(formula)
      else {
        branch.literals.push(formula)
        const { literal } = formula
        if (literal.kind === 'whole') {
          if (branch.wholes.some(({ claim }) => claim === -literal.claim)) return false
          branch.wholes.push(literal)
        } else if (!branch.domain.admit(literal)) return false
      }
    }
  }
  return true
}

/** Drops alternatives that are refuted and disjunctions that already hold, until nothing changes. */
function propagate(engine: Engine, branch: Branch): boolean {
  for (let changed = true; changed; ) {
    changed = false
    const open = branch.open
    branch.open = []
    for (const disjunction of open) {
      engine.budget.spend(0.2 * disjunction.parts.length)
      const left = disjunction.parts.filter((part) => !isRefuted(engine, branch, part))
      if (left.length === 0) return false
      const [only] = left
      if (left.length === 1 && only !== undefined) {
        changed = true
        if (!assume(engine, branch, [only])) return false
      } else if (!left.some((part) => isEntailed(engine, branch, part))) {
        branch.open.push(disjunction)
      }
    }
  }
  return true
}

/** True only if the branch contradicts the formula; without budget nothing is refuted any more. */
function isRefuted(engine: Engine, branch: Branch, formula: Formula): boolean {
  const earlier = branch.refuted.get(formula.id)
  if (earlier !== undefined) return earlier
  if (!engine.budget.spend(stepsPerFormula)) return false
  const answer = refutes(engine, branch, formula)
  branch.refuted.set(formula.id, answer)
  return answer
}

function refutes(engine: Engine, branch: Branch, formula: Formula): boolean {
  switch (formula.kind) {
    case 'constant':
      return !formula.value
    case 'and':
      if (branch.known.has(engine.formulas.not(formula).id)) return true
      return formula.parts.some((part) => isRefuted(engine, branch, part))
    case 'or':
      return formula.parts.every((part) => isRefuted(engine, branch, part))
    case 'literal': {
      const { literal } = formula
      if (literal.kind === 'whole') return branch.wholes.some(({ claim }) => claim === -literal.claim)
      return !branch.known.has(formula.id) && branch.domain.refuses(literal)
    }
  }
}

/** True only if the formula holds on the whole branch; without budget nothing is entailed any more. */
function isEntailed(engine: Engine, branch: Branch, formula: Formula): boolean {
  if (branch.known.has(formula.id)) return true
  const earlier = branch.entailed.get(formula.id)
  if (earlier !== undefined) return earlier
  if (!engine.budget.spend(stepsPerFormula)) return false
  const answer = entails(engine, branch, formula)
  branch.entailed.set(formula.id, answer)
  return answer
}

function entails(engine: Engine, branch: Branch, formula: Formula): boolean {
  switch (formula.kind) {
    case 'constant':
      return formula.value
    case 'and':
      return formula.parts.every((part) => isEntailed(engine, branch, part))
    case 'or':
      return formula.parts.some((part) => isEntailed(engine, branch, part))
    case 'literal':
      return isRefuted(engine, branch, engine.formulas.not(formula))
  }
}

function fits(engine: Engine, { open, wholes }: Branch, value: JsonValue): boolean {
  const known = new Map<number, boolean>()
  return (
    open.every((disjunction) => holdsFor(engine, disjunction, value, known)) &&
    wholes.every(({ claim }) => engine.accepts(claim, value))
  )
}

/** Of the disjunctions that the example fails, the one with the fewest alternatives. */
function chooseDisjunction(engine: Engine, { open }: Branch, example: Outcome): Disjunction | undefined {
  const known = new Map<number, boolean>()
  const failing =
    example.kind === 'value' ? open.filter((disjunction) => !holdsFor(engine, disjunction, example.value, known)) : open
  const choices = failing.length > 0 ? failing : open
  return choices.reduce<Disjunction | undefined>(
    (best, one) => (best === undefined || one.parts.length < best.parts.length ? one : best),
    undefined,
  )
}
