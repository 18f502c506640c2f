// Which histories of the explorations are played on Postgres: one for every kind of step, and then some from every part of the search.
import { startDatabases } from '../../../test/ledger/databases.ts'
import { tidy } from '../canonical.ts'
import type { Step } from '../deed.ts'
import { type Exploration, kindOf } from '../explore.ts'
import type { Setting } from '../setting.ts'
import { firstState } from '../state.ts'
import { stepsFrom } from '../steps.ts'
import { openProcesses, type RealProcess, type RealProcesses } from './real-processes.ts'
import { replay } from './replay.ts'

export interface FoundHistory {
  readonly setting: Setting
  readonly history: readonly Step[]
  /** It is a shortest one of its setting that ends in a step of this kind. */
  readonly kind: string | undefined
}

/** One history for each kind of step, to where it was taken first, and then some to states in every part of the search. */
export function historiesOf(
  setting: Setting,
  { firstOf, states, stepsTo }: Exploration,
  some: number,
): readonly FoundHistory[] {
  const found: FoundHistory[] = []
  for (const [kind, state] of firstOf) {
    const before = stepsTo(state)
    const from = before.at(-1)?.next ?? tidy(firstState(setting))
    const step = stepsFrom(from, setting).find(({ deed }) => kindOf(deed) === kind)
    if (step !== undefined) found.push({ setting, history: [...before, step], kind })
  }
  const others = Math.max(0, some - found.length)
  for (let one = 1; one <= others; one++)
    found.push({ setting, history: stepsTo(Math.floor((states * one) / (others + 1))), kind: undefined })
  return found
}

export interface PlayInput {
  readonly found: readonly FoundHistory[]
  /** More, where more are needed to show every kind of step. */
  readonly wanted: number
  readonly onProgress: ((what: string, done: number, of: number) => void) | undefined
}

export interface PlayedHistories {
  readonly replayed: number
  readonly steps_compared: number
  readonly cut_short: number
  readonly differences: readonly string[]
  /** Kinds of steps that were played and compared. */
  readonly replayedKinds: ReadonlySet<string>
}

export async function playHistories({ found, wanted, onProgress }: PlayInput): Promise<PlayedHistories> {
  const { chosen, spare } = choose(found, wanted)
  const databases = await startDatabases()
  try {
    const real = await openProcesses(await databases.fresh())
    try {
      const player = createPlayer(real)
      for (const [at, history] of chosen.entries()) {
        await player.play(history)
        onProgress?.('histories on Postgres', at, chosen.length)
      }
      // A history that could not be played to its end has not shown what it was chosen for; another one may.
      for (const history of spare)
        if (history.kind !== undefined && !player.kinds.has(history.kind)) await player.play(history)
      return player.result()
    } finally {
      await real.close()
    }
  } finally {
    await databases.end()
  }
}

/** For every kind of step the shortest history, and of all others as many as are wanted besides, evenly. */
function choose(
  found: readonly FoundHistory[],
  wanted: number,
): { readonly chosen: readonly FoundHistory[]; readonly spare: readonly FoundHistory[] } {
  const shortest = new Map<string, FoundHistory>()
  for (const each of found) {
    const known = each.kind === undefined ? undefined : shortest.get(each.kind)
    if (each.kind !== undefined && (known === undefined || each.history.length < known.history.length))
      shortest.set(each.kind, each)
  }
  const first = new Set(shortest.values())
  const others = found.filter((each) => !first.has(each))
  const some = Math.min(others.length, Math.max(0, wanted - first.size))
  const picked = new Set(Array.from({ length: some }, (_, at) => others[Math.floor((at * others.length) / some)]))
  return {
    chosen: found.filter((each) => first.has(each) || picked.has(each)),
    spare: others.filter((each) => !picked.has(each)),
  }
}

function createPlayer(real: RealProcesses) {
  const pools = { powerless: [] as RealProcess[], plain: [] as RealProcess[] }
  const kinds = new Set<string>()
  const differences: string[] = []
  let replayed = 0
  let compared = 0
  let cutShort = 0
  return {
    kinds: kinds as ReadonlySet<string>,
    async play({ setting, history }: FoundHistory): Promise<void> {
      const said = await replay(setting, history, real, pools[setting.powerless === true ? 'powerless' : 'plain'])
      replayed++
      compared += said.compared
      for (const { deed } of history.slice(0, said.compared)) kinds.add(kindOf(deed))
      if (said.cutShort) cutShort++
      if (said.difference !== undefined) differences.push(`${setting.name}: ${said.difference}`)
    },
    result: (): PlayedHistories => ({
      replayed,
      steps_compared: compared,
      cut_short: cutShort,
      differences,
      replayedKinds: kinds,
    }),
  }
}
