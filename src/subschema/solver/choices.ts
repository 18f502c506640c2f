// Which disjunction a search takes apart next, and what is left to choose once one of its alternatives is assumed.
import type { JsonValue } from '../../json/value.ts'
import { indexByTags } from '../keywords/tag-index.ts'
import { presentNames } from '../keywords/tags.ts'
import type { Branch, Disjunction } from './branch.ts'
import type { Engine } from './engine.ts'
import { holdsFor } from './evaluate.ts'
import type { Formula } from './formula.ts'
import type { Outcome } from './outcome.ts'
import { splitByConstant } from './split-by-constant.ts'

/** Whether a value that the domain built also satisfies what is not in the domain. */
export function fits(engine: Engine, { open, wholes }: Branch, value: JsonValue): boolean {
  const known = new Map<number, boolean>()
  return (
    open.every((disjunction) => holdsFor(engine, disjunction, value, known)) &&
    wholes.every(({ claim }) => engine.accepts(claim, value))
  )
}

/** Of the disjunctions that the example fails, the one with the fewest alternatives, or a split that decides many. */
export function chooseDisjunction(engine: Engine, branch: Branch, example: Outcome): Disjunction | undefined {
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

/** From so many choices on, those that hold for a part anyhow are found by its tags. */
const manyChoices = 6

/** The choices that are still to be made once a part of one is assumed. */
export function otherChoices(
  engine: Engine,
  branch: Branch,
  chosen: Disjunction,
): (part: Formula) => readonly Formula[] {
  const others = branch.open.filter((one) => one !== chosen)
  if (branch.type !== 'object' || others.length < manyChoices) return () => others
  const index = indexByTags(others, engine.tags.ofChoice)
  const present = presentNames(branch.literals)
  return (part) => index.overlapping(engine.tags.ofFormulas([part], present))
}
