// The whole check: explores each setting to its end, plants faults to see that they are found, and plays histories on a real Postgres.
import { everyRule } from '../../src/ledger/rules/every-rule.ts'
import { startDatabases } from '../../test/ledger/databases.ts'
import { tidy } from './canonical.ts'
import type { Step } from './deed.ts'
import { type Bounds, type Exploration, explore, kindOf } from './explore.ts'
import { type Plant, planted, plants, settingOf } from './plants.ts'
import { openProcesses, type RealProcess } from './real-processes.ts'
import { lineOf, replay } from './replay.ts'
import type { Mishap, Setting } from './setting.ts'
import { firstState } from './state.ts'
import { stepsFrom } from './steps.ts'

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
  'approval_counts.*': 'How many packets of a run are open is beside what becomes of one.',
  'saga_due.*': 'Who drives a saga is beside what it does to operations.',
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
  const chosen: { setting: Setting; history: readonly Step[] }[] = []
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
    chosen.push(
      ...historiesOf(setting, explored, Math.ceil(options.histories / settings.length)).map((history) => ({
        setting,
        history,
      })),
    )
  }
  const found = options.plants.map((plant, at) => {
    onProgress?.(`planted: ${plant.name}`, at, options.plants.length)
    return look(plant, settingOf(plant, settings), maxStates)
  })
  const played = await playAll(firstOfAll(chosen, options.histories), onProgress)
  return {
    bounds,
    states: sumOf(bounds, 'states'),
    transitions: sumOf(bounds, 'transitions'),
    depth: Math.max(...bounds.map(({ depth }) => depth)),
    frontier: sumOf(bounds, 'frontier'),
    kinds: kinds.size,
    rows_never_fired: allRows.filter((row) => !fired.has(row)),
    rows_beyond: beyond,
    violations,
    plants: found,
    plants_missed: found.filter((each) => each.found === undefined).map(({ name }) => name),
    ...played,
  }
}

export const isClean = (checked: Checked): boolean =>
  checked.frontier === 0 &&
  checked.violations.length === 0 &&
  checked.plants_missed.length === 0 &&
  checked.differences.length === 0

const sumOf = (bounds: readonly Explored[], what: 'states' | 'transitions' | 'frontier'): number =>
  bounds.reduce((sum, each) => sum + each[what], 0)

/** One history for each kind of step, to where it was taken first, and then some to states in every part of the search. */
function historiesOf(
  setting: Setting,
  { firstOf, states, stepsTo }: Exploration,
  some: number,
): readonly (readonly Step[])[] {
  const histories: (readonly Step[])[] = []
  for (const [kind, state] of firstOf) {
    const before = stepsTo(state)
    const from = before.at(-1)?.next ?? tidy(firstState(setting))
    const step = stepsFrom(from, setting).find(({ deed }) => kindOf(deed) === kind)
    if (step !== undefined) histories.push([...before, step])
  }
  const others = Math.max(0, some - histories.length)
  for (let one = 1; one <= others; one++) histories.push(stepsTo(Math.floor((states * one) / (others + 1))))
  return histories
}

/** As many as are wanted, and of each setting those that show a kind of step. */
function firstOfAll<T>(all: readonly T[], wanted: number): readonly T[] {
  if (all.length <= wanted) return all
  return Array.from({ length: wanted }, (_, at) => all[Math.floor((at * all.length) / wanted)] as T)
}

function look(plant: Plant, setting: Setting, maxStates: number): PlantFound {
  const { violations } = planted(plant, () => explore(setting, { maxStates, maxViolations: 1 }))
  const [first] = violations
  return { name: plant.name, setting: setting.name, found: first?.what, history: (first?.history ?? []).map(lineOf) }
}

type Played = Pick<Checked, 'replayed' | 'steps_compared' | 'cut_short' | 'differences'>

async function playAll(
  chosen: readonly { readonly setting: Setting; readonly history: readonly Step[] }[],
  onProgress: CheckOptions['onProgress'],
): Promise<Played> {
  if (chosen.length === 0) return { replayed: 0, steps_compared: 0, cut_short: 0, differences: [] }
  const databases = await startDatabases()
  try {
    const real = await openProcesses(await databases.fresh())
    try {
      const pools = { powerless: [] as RealProcess[], plain: [] as RealProcess[] }
      const differences: string[] = []
      let compared = 0
      let cutShort = 0
      for (const [at, { setting, history }] of chosen.entries()) {
        const pool = pools[setting.powerless === true ? 'powerless' : 'plain']
        const said = await replay(setting, history, real, pool)
        compared += said.compared
        if (said.cutShort) cutShort++
        if (said.difference !== undefined) differences.push(`${setting.name}: ${said.difference}`)
        onProgress?.('histories on Postgres', at, chosen.length)
      }
      return { replayed: chosen.length, steps_compared: compared, cut_short: cutShort, differences }
    } finally {
      await real.close()
    }
  } finally {
    await databases.end()
  }
}

export const smallPlants = (settings: readonly Setting[]): readonly Plant[] =>
  plants.filter(({ setting }) => settings.some(({ name }) => name === setting))
