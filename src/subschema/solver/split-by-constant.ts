// Where many choices depend on one property with a few constants, as conditions on a discriminator do, the search is
// split by that constant: each case decides most of the choices at once, instead of two cases for each of them.
import type { JsonValue } from '../../json/value.ts'
import { singleName } from '../objects/single-name.ts'
import { type Branch, branchTags, type Disjunction } from './branch.ts'
import type { Engine } from './engine.ts'

/** Choices that must depend on the property before a split by its constants is worth while, and constants for each. */
const minChoices = 3
const constantsPerChoice = 4

/** One case per constant; undefined where the chosen disjunction is the better split. */
export function splitByConstant(engine: Engine, branch: Branch, chosen: Disjunction): Disjunction | undefined {
  if (branch.type !== 'object' || branch.open.length < minChoices) return undefined
  const tags = branchTags(engine, branch)
  if (tags.size === 0) return undefined
  for (const name of namesIn(chosen)) {
    const place = JSON.stringify(name)
    const constants = tags.get(place)
    if (constants === undefined || constants.size < 2) continue
    const depending = branch.open.filter((choice) => engine.tags.ofChoice(choice).has(place)).length
    if (depending < minChoices || constants.size > constantsPerChoice * depending) continue
    const keys = engine.formulas.literal({ kind: 'in', values: [name], holds: true })
    const cases = [...constants].map((constant) =>
      engine.formulas.literal({ kind: 'all', keys, claim: engine.constant(JSON.parse(constant) as JsonValue) }),
    )
    const split = engine.formulas.or(cases)
    if (split.kind === 'or') return split
  }
  return undefined
}

/** Names of single properties that the alternatives speak about. */
function namesIn({ parts }: Disjunction): ReadonlySet<string> {
  const names = new Set<string>()
  for (const part of parts) {
    for (const one of part.kind === 'and' ? part.parts : [part]) {
      if (one.kind !== 'literal' || !('keys' in one.literal)) continue
      const name = singleName(one.literal.keys)
      if (name !== undefined) names.add(name)
    }
  }
  return names
}
