// What the runs came to, for each kind and together.
import type { PauseKind } from './kinds.ts'
import type { PauseRun } from './pause-run.ts'
import type { Usual } from './sleeper.ts'

interface KindTally {
  readonly runs: number
  /** Stopped within the call; the others were over before their moment came. */
  readonly stopped: number
  /** Stopped while the executor ran. */
  readonly stopped_in_executor: number
  /** Begun by the other process as well, which had found nothing of it: these are what the rest is about. */
  readonly made_again: number
  readonly effects_once: number
  /** Twice or more, and not in the window. */
  readonly effects_twice: number
  readonly in_window: number
  readonly undone: number
  /** How often executors were told that they may not act any more. */
  readonly refused: number
  readonly executor_ms: number | undefined
  readonly last_look_to_end_ms: number | undefined
}

export interface PauseTally extends KindTally {
  readonly kinds: Readonly<Record<string, KindTally>>
  readonly none_lost: boolean
  readonly most_effects: number
  readonly problems: readonly string[]
}

export function tallyOf(
  runs: readonly PauseRun[],
  kinds: readonly PauseKind[],
  usual: ReadonlyMap<PauseKind, Usual>,
): PauseTally {
  const problems = runs.flatMap((run) => run.problems)
  return {
    ...tallyKind(runs, undefined),
    kinds: Object.fromEntries(
      kinds.map((kind) => [
        kind,
        tallyKind(
          runs.filter((run) => run.kind === kind),
          usual.get(kind),
        ),
      ]),
    ),
    none_lost: problems.length === 0 && runs.every(({ fired }) => fired > 0),
    most_effects: Math.max(0, ...runs.map(({ fired }) => fired)),
    problems,
  }
}

function tallyKind(runs: readonly PauseRun[], usual: Usual | undefined): KindTally {
  const count = (holds: (run: PauseRun) => boolean) => runs.filter(holds).length
  return {
    runs: runs.length,
    stopped: count(({ pausedMs }) => pausedMs !== undefined),
    stopped_in_executor: count(({ stoppedInExecutor }) => stoppedInExecutor),
    made_again: count(({ madeAgain }) => madeAgain),
    effects_once: count(({ fired }) => fired === 1),
    effects_twice: count(({ fired, inWindow }) => fired > 1 && !inWindow),
    in_window: count(({ inWindow }) => inWindow),
    undone: count(({ fired }) => fired === 0),
    refused: runs.reduce((sum, { refusals }) => sum + refusals, 0),
    executor_ms: rounded(usual?.executorMs),
    last_look_to_end_ms: rounded(usual?.lookToEndMs),
  }
}

const rounded = (ms: number | undefined) => (ms === undefined ? undefined : Math.round(ms * 100) / 100)
