// Divides all names that no constraint mentions into classes; constraints on keys treat all names of a class alike.
// Invariant: the classes are disjoint and together hold every such name, unless a gap is reported.
import type { ProverEngine } from '../solver/engine.ts'
import type { Formula, Formulas, SchemaClaim } from '../solver/formula.ts'
import type { Gap } from '../solver/outcome.ts'
import type { RecordShape } from './record-shape.ts'

export interface KeyClass {
  /** What a property with such a name must obey. */
  readonly claims: readonly SchemaClaim[]
  isAmong(keys: Formula): boolean
  /** The n-th name of the class; undefined when there is none, or when none was found and a gap was noted. */
  name(index: number): string | undefined
}

export interface KeyClasses {
  readonly classes: readonly KeyClass[]
  readonly gaps: Gap[]
}

const maxClasses = 64
const keysGap: Gap = {
  construct: 'patternProperties',
  reason: 'The patterns for names divide them into too many classes',
}

export function divideKeys(engine: ProverEngine, shape: RecordShape, mentioned: ReadonlySet<string>): KeyClasses {
  const { formulas } = engine
  const gaps: Gap[] = []
  const simplified = new Map<Formula, Formula>()
  for (const { keys } of [...shape.wideAll, ...shape.wideSome]) simplified.set(keys, withoutNames(keys, formulas))
  const splitters = [...new Set(simplified.values())].filter(({ kind }) => kind !== 'constant')
  const outside = formulas.literal({ kind: 'in', values: [...mentioned], holds: false })
  let regions: { readonly formula: Formula; readonly inside: ReadonlySet<Formula> }[] = [
    { formula: outside, inside: new Set([formulas.yes]) },
  ]
  for (const splitter of splitters) {
    const split: typeof regions = []
    for (const { formula, inside } of regions) {
      const [yes, no] = [formulas.and([formula, splitter]), formulas.and([formula, formulas.not(splitter)])]
      if (mayHoldText(yes)) split.push({ formula: yes, inside: new Set([...inside, splitter]) })
      if (mayHoldText(no)) split.push({ formula: no, inside })
    }
    regions = split
    if (regions.length > maxClasses) {
      gaps.push(keysGap)
      return { classes: [], gaps }
    }
  }
  const classes = regions.map(({ formula, inside }): KeyClass => {
    const isAmong = (keys: Formula): boolean => inside.has(simplified.get(keys) ?? keys)
    const claims = shape.wideAll.filter(({ keys }) => isAmong(keys)).map(({ claim }) => claim)
    return { claims, isAmong, name: namesOf(formula) }
  })
  return { classes, gaps }

  function mayHoldText(formula: Formula): boolean {
    const answer = engine.texts(formula, 1)
    return answer.words.length > 0 || !answer.complete
  }

  function namesOf(formula: Formula): (index: number) => string | undefined {
    const names: string[] = []
    const known = new Set<string>()
    let isAll = false
    return (index) => {
      if (index >= names.length && !isAll) {
        const answer = engine.texts(formula, Math.max(4, (index + 1) * 2))
        // The empty name is hard to see in a witness; it comes last of those found.
        const fresh = answer.words.filter((word) => !known.has(word))
        names.push(...fresh.filter((word) => word !== ''), ...fresh.filter((word) => word === ''))
        for (const word of fresh) known.add(word)
        isAll = answer.complete
        if (index >= names.length && !isAll) gaps.push(answer.stopped === 'budget' ? engine.outOfBudget() : keysGap)
      }
      return names[index]
    }
  }
}

/** The names that a formula mentions. */
export function collectNames(formula: Formula, into: Set<string>, seen: Set<number> = new Set()): void {
  if (seen.has(formula.id)) return
  seen.add(formula.id)
  if (formula.kind === 'and' || formula.kind === 'or') for (const part of formula.parts) collectNames(part, into, seen)
  else if (formula.kind === 'literal' && formula.literal.kind === 'in') {
    for (const value of formula.literal.values) if (typeof value === 'string') into.add(value)
  }
}

/** The formula as it reads for texts that it does not mention. */
function withoutNames(formula: Formula, formulas: Formulas, known: Map<number, Formula> = new Map()): Formula {
  if (formula.kind === 'and' || formula.kind === 'or') {
    const earlier = known.get(formula.id)
    if (earlier !== undefined) return earlier
    const fresh = formulas[formula.kind](formula.parts.map((part) => withoutNames(part, formulas, known)))
    known.set(formula.id, fresh)
    return fresh
  }
  if (formula.kind === 'literal' && formula.literal.kind === 'in')
    return formula.literal.holds ? formulas.no : formulas.yes
  return formula
}
