// Draws the next proposal: mostly near-right calls, some damaged texts, now and then something that no honest model sends.
import type { JsonObject, JsonValue } from '../../src/json/value.ts'
import { hostileArguments, hostileName } from './hostile-proposal.ts'
import { mutateValue, randomValue } from './mutate-value.ts'
import { deepText, hugeText, largeText } from './oversize-text.ts'
import type { Random } from './random.ts'
import type { Subject } from './subjects.ts'
import { damageText, garbageText, spellValue } from './write-text.ts'

export interface Draw {
  readonly kind: DrawKind
  /** Undefined: the name is hostile, and no subject is meant. */
  readonly subject: Subject | undefined
  readonly tool: unknown
  readonly arguments: unknown
}

type DrawKind =
  | 'right'
  | 'mutated'
  | 'spelled'
  | 'parsed'
  | 'random'
  | 'damaged'
  | 'garbage'
  | 'deep'
  | 'hostile'
  | 'name'
  | 'large'
  | 'huge'

interface Recipe {
  readonly weight: number
  readonly kind: DrawKind
  make(example: JsonObject, random: Random): unknown
}

const recipes: readonly Recipe[] = [
  { weight: 80, kind: 'right', make: (example) => JSON.stringify(example) },
  { weight: 380, kind: 'mutated', make: (example, random) => JSON.stringify(mutated(example, random)) },
  {
    weight: 120,
    kind: 'spelled',
    make: (example, random) => spellValue(random.chance(0.5) ? example : mutated(example, random), random),
  },
  { weight: 60, kind: 'parsed', make: (example, random) => mutated(example, random) },
  { weight: 60, kind: 'random', make: (_, random) => JSON.stringify(randomValue(random, 5)) },
  { weight: 150, kind: 'damaged', make: (example, random) => damageText(JSON.stringify(example), random) },
  { weight: 50, kind: 'garbage', make: (_, random) => garbageText(random) },
  { weight: 30, kind: 'deep', make: (_, random) => deepText(random) },
  { weight: 40, kind: 'hostile', make: (example, random) => hostileArguments(example, random) },
  { weight: 28, kind: 'name', make: (example) => JSON.stringify(example) },
  { weight: 1.8, kind: 'large', make: (example, random) => largeText(example, random) },
  { weight: 0.2, kind: 'huge', make: (_, random) => hugeText(random) },
]

const choices = recipes.map((recipe) => [recipe.weight, recipe] as const)

export function drawProposal(subjects: readonly Subject[], random: Random): Draw {
  const { kind, make } = random.weighted(choices)
  const subject = random.pick(subjects)
  const given = make(random.pick(subject.examples), random)
  if (kind === 'name') return { kind, subject: undefined, tool: hostileName(random), arguments: given }
  return { kind, subject, tool: subject.name, arguments: given }
}

function mutated(example: JsonObject, random: Random): JsonValue {
  let value: JsonValue = example
  for (
    let times = random.weighted([
      [6, 1],
      [3, 2],
      [1, 4],
    ]);
    times > 0;
    times--
  )
    value = mutateValue(value, random)
  return value
}
