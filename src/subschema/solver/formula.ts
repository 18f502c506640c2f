// Hash-consed formulas over literals: equal formulas are one object with one number.
// Invariant: conjunctions and disjunctions are flat, sorted, free of repetitions and of complementary pairs.
import { type Literal, literalKey, negateLiteral } from './literal.ts'

export type Formula =
  | { readonly kind: 'constant'; readonly id: number; readonly value: boolean }
  | { readonly kind: 'and'; readonly id: number; readonly parts: readonly Formula[] }
  | { readonly kind: 'or'; readonly id: number; readonly parts: readonly Formula[] }
  | { readonly kind: 'literal'; readonly id: number; readonly literal: Literal }

export interface Formulas {
  readonly yes: Formula
  readonly no: Formula
  and(parts: readonly Formula[]): Formula
  or(parts: readonly Formula[]): Formula
  literal(literal: Literal): Formula
  not(formula: Formula): Formula
}

/** `pay` is told how much work there was; formulas are always finished. */
export function createFormulas(pay: (steps: number) => void = () => undefined): Formulas {
  const known = new Map<string, Formula>()
  const negated = new Map<number, Formula>()
  const yes: Formula = { kind: 'constant', id: 0, value: true }
  const no: Formula = { kind: 'constant', id: 1, value: false }
  let next = 2

  const formulas: Formulas = {
    yes,
    no,
    and: (parts) => combine('and', parts),
    or: (parts) => combine('or', parts),
    literal(literal) {
      const trivial = constantLiteral(literal)
      if (trivial !== undefined) return trivial ? yes : no
      return intern(literalKey(literal), (id) => ({ kind: 'literal', id, literal }))
    },
    not(formula) {
      const answer = negated.get(formula.id)
      if (answer !== undefined) return answer
      const fresh = negate(formula)
      negated.set(formula.id, fresh)
      // A literal on arrays may have a negation that other types use as well, but theirs is not negated back into it.
      if (isMutual(formula, fresh)) negated.set(fresh.id, formula)
      return fresh
    },
  }
  return formulas

  function negate(formula: Formula): Formula {
    switch (formula.kind) {
      case 'constant':
        return formula.value ? no : yes
      case 'and':
        return formulas.or(formula.parts.map(formulas.not))
      case 'or':
        return formulas.and(formula.parts.map(formulas.not))
      case 'literal':
        return negateLiteral(formula.literal, formulas)
    }
  }

  function combine(kind: 'and' | 'or', parts: readonly Formula[]): Formula {
    const [neutral, absorbing] = kind === 'and' ? [yes, no] : [no, yes]
    const flat = new Map<number, Formula>()
    for (const part of parts) {
      if (part === absorbing) return absorbing
      if (part === neutral) continue
      if (part.kind === kind) for (const inner of part.parts) flat.set(inner.id, inner)
      else flat.set(part.id, part)
    }
    pay(flat.size * stepsPerPart)
    for (const part of flat.values()) {
      const opposite = negated.get(part.id)
      if (opposite !== undefined && flat.has(opposite.id)) return absorbing
    }
    if (flat.size === 0) return neutral
    const sorted = [...flat.values()].sort((a, b) => a.id - b.id)
    if (sorted.length === 1) return sorted[0] as Formula
    const key = `${kind} ${sorted.map(({ id }) => id).join(' ')}`
    return intern(key, (id) => ({ kind, id, parts: sorted }))
  }

  function intern(key: string, make: (id: number) => Formula): Formula {
    const same = known.get(key)
    if (same !== undefined) return same
    const fresh = make(next++)
    known.set(key, fresh)
    return fresh
  }
}

const stepsPerPart = 0.02

function isMutual(formula: Formula, negation: Formula): boolean {
  return formula.kind === 'literal' && formula.literal.kind !== 'at' && negation.kind === 'literal'
}

/** What a literal says whatever the value, if it says anything. */
function constantLiteral(literal: Literal): boolean | undefined {
  switch (literal.kind) {
    case 'in':
      return literal.values.length === 0 ? !literal.holds : undefined
    case 'size':
      if (literal.min > literal.max) return false
      return literal.min <= 0 && literal.max === Number.POSITIVE_INFINITY ? true : undefined
    case 'count':
      if (literal.min > literal.max) return false
      return literal.min <= 0 && literal.max === Number.POSITIVE_INFINITY ? true : undefined
    case 'at':
      return literal.claim === trueClaim ? true : undefined
    case 'all':
      return literal.claim === trueClaim || isNo(literal.keys) ? true : undefined
    case 'some':
      return literal.claim === -trueClaim || isNo(literal.keys) ? false : undefined
    default:
      return undefined
  }
}

/** The number of the schema `true` in every pool. */
export const trueClaim = 1

function isNo(formula: Formula): boolean {
  return formula.kind === 'constant' && !formula.value
}
