// `oneOf`: some branch holds and no two do. Pairs that plainly exclude each other, by a discriminator for example, need no
// clause, so that a union of n tagged objects costs n clauses instead of n².
import type { NormalObject } from '../schema/normal.ts'
import type { Formula } from './formula.ts'
import type { RuleContext } from './rule-context.ts'

const maxPairs = 3000

export function exactlyOne(context: RuleContext, branches: readonly Formula[], node: NormalObject): Formula {
  const { formulas } = context
  const possible = branches.filter((branch) => branch !== formulas.no)
  if ((possible.length * (possible.length - 1)) / 2 > maxPairs) {
    const claim = context.claim({ oneOf: node.oneOf ?? [] })
    return formulas.and([formulas.or(possible), context.literal({ kind: 'whole', claim, construct: 'oneOf' })])
  }
  const clauses: Formula[] = [formulas.or(possible)]
  for (const [index, one] of possible.entries()) {
    for (const other of possible.slice(index + 1)) {
      if (one === other || !context.areDisjoint(one, other)) {
        clauses.push(formulas.or([formulas.not(one), formulas.not(other)]))
      }
    }
  }
  return formulas.and(clauses)
}
