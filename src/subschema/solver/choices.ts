// Which disjunction a search takes apart next, and what is left to choose once one of its alternatives is assumed.
import type { JsonValue } from '../../json/value.ts'
import { presentNames } from '../keywords/tag-reader.ts'
import { indexByTags } from '../keywords/tags.ts'
import { type Branch, branchTags } from './branch.ts'
import type { ProverEngine } from './engine.ts'
import { holdsFor } from './evaluate.ts'
import { type Disjunction, type Formula, singleName } from './formula.ts'
import type { SearchOutcome } from './outcome.ts'

/** Whether a value that the domain built also satisfies what is not in the domain. */
export function satisfiesRest(engine: ProverEngine, { open, wholes }: Branch, value: JsonValue): boolean {
  const known = new Map<number, boolean>()
  return (
    open.every((disjunction) => holdsFor(engine, disjunction, value, known)) &&
    wholes.every(({ claim }) => engine.accepts(claim, value))
  )
}

/** Of the disjunctions that the example fails, the one with the fewest alternatives, or a split that decides many. */
export function chooseDisjunction(
  engine: ProverEngine,
  branch: Branch,
  example: SearchOutcome,
): Disjunction | undefined {
  const { open } = branch
  const known = new Map<number, boolean>()
  const failing =
    example.kind === 'value' ? open.filter((disjunction) => !holdsFor(engine, disjunction, example.value, known)) : open
  const choices = failing.length > 0 ? failing : open
  const chosen = choices.reduce<Disjunction | undefined>(
    (best, one) => (best === undefined || one.parts.length < best.parts.length ? one : best),
    undefined,
  )
  return chosen === undefined ? undefined : (splitByConstant(engine, branch, chosen) ?? chosen)
}

/** From so many choices on, tags find those that hold for a part in any case. */
const manyChoices = 6

/** The choices that are still to be made once a part of one is assumed. */
export function otherChoices(
  engine: ProverEngine,
  branch: Branch,
  chosen: Disjunction,
): (part: Formula) => readonly Formula[] {
  const others = branch.open.filter((one) => one !== chosen)
  if (branch.type !== 'object' || others.length < manyChoices) return () => others
  const index = indexByTags(others, engine.tags.ofChoice)
  const present = presentNames(branch.literals)
  return (part) => index.overlapping(engine.tags.ofFormulas([part], present))
}

/** Choices that must depend on the property before a split by its constants is worth while, and constants for each. */
const minChoices = 3
const constantsPerChoice = 4

/**
 * Where many choices depend on one property with a few constants, as conditions on a discriminator do, the search is split
 * by that constant: each case decides most of the choices at once, instead of two cases for each of them. One case per
 * constant; undefined where the chosen disjunction is the better split.
 */
function splitByConstant(engine: ProverEngine, branch: Branch, chosen: Disjunction): Disjunction | undefined {
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
