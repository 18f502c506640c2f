// Makes formulas, hash-consed: equal formulas are one object with one number.
// Invariant: conjunctions and disjunctions are flat, sorted, free of repetitions and of complementary pairs, and every
// literal has an exact negation within its type, written in the table below.
import { type Formula, type Formulas, isNo, type Literal, type LiteralOf, literalKey, trueClaim } from './formula.ts'

/** `pay` gets the steps of work; formulas are always finished. */
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

/** The answer of a literal that is the same for all values; undefined for every other literal. */
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

type Negations = { readonly [K in Literal['kind']]: (literal: LiteralOf<K>, formulas: Formulas) => Formula }

const negations: Negations = {
  above: ({ bound, open }, { literal }) => literal({ kind: 'below', bound, open: !open }),
  below: ({ bound, open }, { literal }) => literal({ kind: 'above', bound, open: !open }),
  multiple: (own, { literal }) => literal({ ...own, holds: !own.holds }),
  in: (own, { literal }) => literal({ ...own, holds: !own.holds }),
  size: ({ min, max }, formulas) => outside(min, max, formulas, (low, high) => ({ kind: 'size', min: low, max: high })),
  match: (own, { literal }) => literal({ ...own, holds: !own.holds }),
  format: (own, { literal }) => literal({ ...own, holds: !own.holds }),
  at: ({ index, claim }, { and, literal }) =>
    and([
      literal({ kind: 'size', min: index + 1, max: Number.POSITIVE_INFINITY }),
      literal({ kind: 'at', index, claim: -claim }),
    ]),
  count: (own, formulas) =>
    outside(own.min, own.max, formulas, (min, max) => ({ kind: 'count', from: own.from, claim: own.claim, min, max })),
  unique: (own, { literal }) => literal({ ...own, holds: !own.holds }),
  all: ({ keys, claim }, { literal }) => literal({ kind: 'some', keys, claim: -claim }),
  some: ({ keys, claim }, { literal }) => literal({ kind: 'all', keys, claim: -claim }),
  whole: (own, { literal }) => literal({ ...own, claim: -own.claim }),
}

function negateLiteral(literal: Literal, formulas: Formulas): Formula {
  return (negations[literal.kind] as (own: Literal, formulas: Formulas) => Formula)(literal, formulas)
}

function outside(
  min: number,
  max: number,
  { or, literal }: Formulas,
  make: (min: number, max: number) => Literal,
): Formula {
  const parts: Formula[] = []
  if (min > 0) parts.push(literal(make(0, min - 1)))
  if (max !== Number.POSITIVE_INFINITY) parts.push(literal(make(max + 1, Number.POSITIVE_INFINITY)))
  return or(parts)
}
