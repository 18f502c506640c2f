// The whole check: explores each setting to its end, plants faults to see that they are found, and plays histories on a real Postgres.
import { everyRule } from '../../src/ledger/rules/every-rule.ts'
import { type Bounds, explore } from './explore.ts'
import { type Plant, planted, plants, settingOf } from './plants.ts'
import { type FoundHistory, historiesOf, playHistories } from './replay/play-histories.ts'
import { lineOf } from './replay/replay.ts'
import type { Mishap, Setting } from './setting.ts'

export interface CheckOptions {
  readonly settings: readonly Setting[]
  /** Faults are looked for in these, wherever they are explored. */
  readonly plants: readonly Plant[]
  /** How many histories are played on Postgres. */
  readonly histories: number
  readonly maxStates: number
  onProgress?(what: string, done: number, of: number): void
}

export interface Explored {
  readonly name: string
  readonly tool: Setting['tool']
  readonly processes: number
  readonly calls: number
  readonly passes: number
  readonly may: Partial<Readonly<Record<Mishap, number>>>
  readonly states: number
  readonly transitions: number
  readonly depth: number
  readonly seconds: number
  readonly frontier: number
  /** States with an effect in the stated window, that no promise covers. */
  readonly stated: number
}

export interface Checked {
  readonly bounds: readonly Explored[]
  readonly states: number
  readonly transitions: number
  readonly depth: number
  readonly frontier: number
  readonly kinds: number
  /** Of these kinds of steps, those that were played on Postgres and compared. */
  readonly kinds_replayed: number
  readonly kinds_not_replayed: readonly string[]
  readonly rows_never_fired: readonly string[]
  /** Rows that the model does not speak of, and why. */
  readonly rows_beyond: Readonly<Record<string, string>>
  readonly violations: readonly {
    readonly setting: string
    readonly what: string
    readonly history: readonly string[]
  }[]
  readonly plants: readonly PlantFound[]
  readonly plants_missed: readonly string[]
  readonly replayed: number
  readonly steps_compared: number
  readonly cut_short: number
  readonly differences: readonly string[]
}

export interface PlantFound {
  readonly name: string
  readonly setting: string
  /** How it was found; undefined: it was not. */
  readonly found: string | undefined
  readonly history: readonly string[]
}

/** What the model does not speak of, and so cannot decide. */
const beyond: Readonly<Record<string, string>> = {
  'settle_fit.no_record': 'No slot is ever deleted.',
  'settle_fit.did_nothing_without_operation': 'A read has no operation.',
  'settle_fit.ended_without_operation': 'A read has no operation.',
  'work_due.known_to_none': 'Every process has every tool.',
  'work_due.for_others': 'Every process has every tool.',
}

const allRows: readonly string[] = everyRule
  .flatMap(({ name, rows }) => rows.map(({ id }) => `${name}.${id}`))
  .filter((row) => beyond[row] === undefined && beyond[`${row.split('.')[0]}.*`] === undefined)

export async function checkProtocol(options: CheckOptions): Promise<Checked> {
  const { settings, maxStates, onProgress } = options
  const bounds: Explored[] = []
  const violations: Checked['violations'][number][] = []
  const fired = new Set<string>()
  const kinds = new Set<string>()
  const found: FoundHistory[] = []
  for (const [at, setting] of settings.entries()) {
    const bound: Bounds = {
      maxStates,
      maxViolations: 1,
      onProgress: (states, frontier) =>
        onProgress?.(`${setting.name}: ${states} states, ${frontier} ahead`, at, settings.length),
    }
    const explored = explore(setting, bound)
    const { states, transitions, depth, seconds, frontier, stated } = explored
    const { name, tool, processes, calls, passes, may } = setting
    const rounded = Math.round(seconds * 10) / 10
    bounds.push({
      name,
      tool,
      processes,
      calls: calls.length,
      passes,
      may,
      states,
      transitions,
      depth,
      seconds: rounded,
      frontier,
      stated,
    })
    for (const row of explored.rows.keys()) fired.add(row)
    for (const kind of explored.kinds.keys()) kinds.add(kind)
    for (const { what, history } of explored.violations)
      violations.push({ setting: name, what, history: history.map(lineOf) })
    found.push(...historiesOf(setting, explored, Math.ceil(options.histories / settings.length)))
  }
  const seen = options.plants.map((plant, at) => {
    onProgress?.(`planted: ${plant.name}`, at, options.plants.length)
    return look(plant, settingOf(plant, settings), maxStates)
  })
  const { replayedKinds, ...played } = await playHistories({ found, wanted: options.histories, onProgress })
  return {
    bounds,
    states: sumOf(bounds, 'states'),
    transitions: sumOf(bounds, 'transitions'),
    depth: Math.max(...bounds.map(({ depth }) => depth)),
    frontier: sumOf(bounds, 'frontier'),
    kinds: kinds.size,
    kinds_replayed: [...kinds].filter((kind) => replayedKinds.has(kind)).length,
    kinds_not_replayed: [...kinds].filter((kind) => !replayedKinds.has(kind)),
    rows_never_fired: allRows.filter((row) => !fired.has(row)),
    rows_beyond: beyond,
    violations,
    plants: seen,
    plants_missed: seen.filter((each) => each.found === undefined).map(({ name }) => name),
    ...played,
  }
}

export const isClean = (checked: Checked): boolean =>
  checked.frontier === 0 &&
  checked.violations.length === 0 &&
  checked.plants_missed.length === 0 &&
  checked.kinds_not_replayed.length === 0 &&
  checked.differences.length === 0

const sumOf = (bounds: readonly Explored[], what: 'states' | 'transitions' | 'frontier'): number =>
  bounds.reduce((sum, each) => sum + each[what], 0)

function look(plant: Plant, setting: Setting, maxStates: number): PlantFound {
  const { violations } = planted(plant, () => explore(setting, { maxStates, maxViolations: 1 }))
  const [first] = violations
  return { name: plant.name, setting: setting.name, found: first?.what, history: (first?.history ?? []).map(lineOf) }
}

export const smallPlants = (settings: readonly Setting[]): readonly Plant[] =>
  plants.filter(({ setting }) => settings.some(({ name }) => name === setting))
