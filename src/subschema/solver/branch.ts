// One branch of a search: what is known to hold, the choices still open, and what follows from them without a case split.
// Invariant: an alternative is dropped only when a domain or tags refute it; without budget none is dropped any more.

import type { JsonType } from '../../schema/json-type.ts'
import type { Tags } from '../keywords/tags.ts'
import { domains } from './domains.ts'
import { type Domain, type ProverEngine, takeLiteral } from './engine.ts'
import { stepsPerFormula } from './evaluate.ts'
import type { Disjunction, Formula, LiteralOf } from './formula.ts'

/** What is known to hold on one branch of the search. */
export interface Branch {
  readonly type: JsonType
  readonly domain: Domain
  readonly known: Set<number>
  readonly literals: Formula[]
  readonly wholes: LiteralOf<'whole'>[]
  open: Disjunction[]
  /** Answers about formulas since the last assumption: formulas share parts. */
  readonly refuted: Map<number, boolean>
  readonly entailed: Map<number, boolean>
  /** Tags of the literals; read at first use. */
  tags: Tags | undefined
}

/** `literals` were assumed together on the branch before. */
export function openBranch(engine: ProverEngine, type: JsonType, literals: readonly Formula[] = []): Branch {
  const branch: Branch = {
    type,
    domain: domains[type](engine),
    known: new Set(),
    literals: [...literals],
    wholes: [],
    open: [],
    refuted: new Map(),
    entailed: new Map(),
    tags: undefined,
  }
  for (const formula of literals) {
    if (formula.kind !== 'literal') continue
    branch.known.add(formula.id)
    if (formula.literal.kind === 'whole') branch.wholes.push(formula.literal)
    else branch.domain.take(formula.literal)
  }
  return branch
}

/** Takes formulas in; false if they plainly contradict what is known. */
export function assume(engine: ProverEngine, branch: Branch, formulas: readonly Formula[]): boolean {
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
        branch.tags = undefined
        const { literal } = formula
        if (literal.kind === 'whole') {
          if (branch.wholes.some(({ claim }) => claim === -literal.claim)) return false
          branch.wholes.push(literal)
        } else if (!takeLiteral(branch.domain, literal)) return false
      }
    }
  }
  return true
}

/** Drops alternatives that are refuted and disjunctions that already hold, until nothing changes. */
export function propagate(engine: ProverEngine, branch: Branch): boolean {
  for (let changed = true; changed; ) {
    changed = false
    const open = branch.open
    branch.open = []
    for (const disjunction of open) {
      const parts = possibleParts(engine, branch, disjunction)
      engine.budget.spend(stepsPerPart * parts.length)
      const left = parts.filter((part) => !isRefuted(engine, branch, part))
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

const stepsPerPart = 0.2
/** From so many alternatives on, they are sorted by their tags. */
const manyParts = 12

/** The alternatives that the tags on the branch leave. */
export function possibleParts(engine: ProverEngine, branch: Branch, disjunction: Disjunction): readonly Formula[] {
  if (branch.type !== 'object' || disjunction.parts.length < manyParts) return disjunction.parts
  return engine.tags.alternatives(disjunction).overlapping(branchTags(engine, branch))
}

/** The tags of every object on the branch. */
export function branchTags(engine: ProverEngine, branch: Branch): Tags {
  branch.tags ??= engine.tags.ofFormulas(branch.literals)
  return branch.tags
}

/** True only if the branch contradicts the formula; without budget nothing is refuted any more. */
export function isRefuted(engine: ProverEngine, branch: Branch, formula: Formula): boolean {
  const earlier = branch.refuted.get(formula.id)
  if (earlier !== undefined) return earlier
  if (!engine.budget.spend(stepsPerFormula)) return false
  const answer = refutes(engine, branch, formula)
  branch.refuted.set(formula.id, answer)
  return answer
}

function refutes(engine: ProverEngine, branch: Branch, formula: Formula): boolean {
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
function isEntailed(engine: ProverEngine, branch: Branch, formula: Formula): boolean {
  if (branch.known.has(formula.id)) return true
  const earlier = branch.entailed.get(formula.id)
  if (earlier !== undefined) return earlier
  if (!engine.budget.spend(stepsPerFormula)) return false
  const answer = entails(engine, branch, formula)
  branch.entailed.set(formula.id, answer)
  return answer
}

function entails(engine: ProverEngine, branch: Branch, formula: Formula): boolean {
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
