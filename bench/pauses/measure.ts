// Owners that only sleep: a process is stopped at a random moment of a call, for a random time beyond its lease and its horizon, while
// another one finds out what became of the call and makes it again. Counted is how often the effect is there: once, but where the owner was
// stopped between its last look and its write. Exit 1 where it is there twice otherwise, or where one is lost.
import { appendFileSync, writeFileSync } from 'node:fs'
import { nothingJudged, readArguments, readCount, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { pauseKinds } from './kinds.ts'
import type { PauseRun } from './pause-run.ts'
import { runPauses, shortTiming } from './run-pauses.ts'

const flags = readArguments({
  runs: { type: 'string', default: '200' },
  // Of each kind besides, with the times that users get; they take some two minutes.
  defaults: { type: 'string', default: '2' },
  kinds: { type: 'string', default: pauseKinds.join(',') },
  width: { type: 'string', default: '4' },
  seed: { type: 'string' },
  // A fault of the executors, which must be found: deaf to what they are told, or looking too early.
  plant: { type: 'string' },
  rows: { type: 'string' },
  // Nothing of it is needed here; every measurement takes it.
  data: { type: 'string' },
})
const { plant, rows } = flags
const runs = readCount(flags.runs, 'runs')
const defaults = readCount(flags.defaults, 'defaults')
const width = Math.max(1, readCount(flags.width, 'width'))
const seed = flags.seed === undefined ? Date.now() % 1_000_000 : readCount(flags.seed, 'seed')
const kinds = pauseKinds.filter((kind) => flags.kinds.split(',').includes(kind))
const planted = plant === 'deaf' || plant === 'early' ? plant : undefined
if (plant !== undefined && planted === undefined) {
  say('--plant takes deaf or early')
  process.exit(nothingJudged)
}
if (kinds.length === 0 || runs + defaults === 0) {
  say(`--kinds takes some of ${pauseKinds.join(', ')}`)
  process.exit(nothingJudged)
}

if (rows !== undefined) writeFileSync(rows, '')
let ended = 0
const started = performance.now()
const { tally, failures, clean } = await runPauses({
  kinds,
  runs,
  defaults,
  width,
  seed,
  planted,
  onRun(run) {
    if (rows !== undefined) appendFileSync(rows, `${JSON.stringify(run)}\n`)
    say(lineOf(++ended, run))
  },
})
for (const failure of failures) say(`FAILED: ${failure}`)
const met = {
  effects_twice: tally.effects_twice === 0,
  none_lost: tally.none_lost,
  all_runs_ended: failures.length === 0,
  // Runs in which nothing was made again show little.
  some_made_again: tally.made_again > 0,
}
report(
  {
    ...tally,
    clean,
    failures,
    met,
    seed,
    planted: planted ?? false,
    runs_with_defaults: defaults * kinds.length,
    timing: shortTiming,
    seconds: Math.round((performance.now() - started) / 100) / 10,
    machine: thisMachine(),
  },
  flags.json,
)
process.exitCode = clean ? 0 : 1

function lineOf(number: number, { op, moment, pausedMs, fired, madeAgain, inWindow, problems }: PauseRun): string {
  const seen = [
    `${moment.delayMs.toFixed(1).padStart(6)} ms into its ${moment.after}`,
    pausedMs === undefined ? 'over before that' : `asleep for ${(pausedMs / 1_000).toFixed(1)} s`,
    ...(madeAgain ? ['made again'] : []),
    ...(inWindow ? ['in the window'] : []),
    ...(fired === 1 || inWindow ? [] : [`WRONG: the effect is there ${fired} times`]),
    ...problems.map((problem) => `WRONG: ${problem}`),
  ]
  return `${String(number).padStart(4)}  ${op.padEnd(16)} ${seen.join(', ')}`
}
