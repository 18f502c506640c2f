// `oneOf`: some branch holds and no two do. Pairs that plainly exclude each other, by a discriminator for example, need no
// clause, so that a union of n tagged objects costs n clauses instead of n².
import type { NormalObject } from '../../schema/normal.ts'
import type { Formula } from '../solver/formula.ts'
import type { KeywordContext } from './keyword-context.ts'

/** The most pairs that are compared, and the most clauses; beyond these limits `oneOf` is only tested on values. */
const maxPairs = 20_000
const maxClauses = 3000
const stepsPerPair = 0.6

export function exactlyOne(context: KeywordContext, branches: readonly Formula[], node: NormalObject): Formula {
  const { formulas } = context
  const possible = branches.filter((branch) => branch !== formulas.no)
  const some = formulas.or(possible)
  const clauses = clausesFor(context, possible)
  if (clauses !== undefined) return formulas.and([some, ...clauses])
  const claim = context.claim({ oneOf: node.oneOf ?? [] })
  return formulas.and([some, context.literal({ kind: 'whole', claim, construct: 'oneOf' })])
}

/** No two of the branches; undefined when that takes too many clauses. */
function clausesFor(context: KeywordContext, branches: readonly Formula[]): readonly Formula[] | undefined {
  const { formulas } = context
  const clauses: Formula[] = []
  let pairs = 0
  const overlapping = context.sortByTags(branches)
  for (const [index, one] of branches.entries()) {
    for (const other of overlapping(one)) {
      if (other <= index) continue
      if (++pairs > maxPairs || !context.spend(stepsPerPair)) return undefined
      const two = branches[other] as Formula
      if (one !== two && context.areDisjoint(one, two)) continue
      clauses.push(formulas.or([formulas.not(one), formulas.not(two)]))
      if (clauses.length > maxClauses) return undefined
    }
  }
  return clauses
}
