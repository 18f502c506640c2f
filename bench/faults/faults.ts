// Kills, cuts, stops and starves everything around a mutating call, and counts what must never be. Exit 1 on any violation; `--plant`
// puts a fault in to show that it is found; `--progress` says how far it is where no terminal shows it. Stopped, it reports what it has.
import { processTerminal } from '../../src/cli/terminal.ts'
import { nothingJudged, readArguments, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { foundAs, isPlantName, plants } from './plants.ts'
import { isClean, runFaults } from './run-faults.ts'
import { sweepProgress } from './sweep-progress.ts'

const flags = readArguments({
  plant: { type: 'string' },
  only: { type: 'string' },
  quick: { type: 'boolean', default: false },
  progress: { type: 'boolean', default: false },
})
const { plant, only } = flags
if (plant !== undefined && !isPlantName(plant)) {
  say(`--plant takes one of ${Object.keys(plants).join(', ')}`)
  process.exit(nothingJudged)
}
const terminal = processTerminal()
const started = performance.now()
const result = await runFaults({
  quick: flags.quick || plant !== undefined,
  // One sweep is enough to find what is planted in it.
  only: only ?? (plant === undefined ? '' : plants[plant].in),
  ...(plant === undefined ? {} : { plant }),
  progress: sweepProgress(terminal, flags.progress),
  signal: terminal.interruption(),
})
for (const why of result.skipped) say(`NOT TRIED: ${why}`)
if (plant !== undefined) {
  const found = result[foundAs[plant]] > 0
  say(`${plants[plant].is} ${found ? `Found as: ${plants[plant].named}.` : 'NOT FOUND.'}`)
}
const seconds = Math.round((performance.now() - started) / 100) / 10
const { scenarios, skipped, missed, problems, ...counts } = result
const clean = isClean(result) && result.runs > 0 && !result.stopped
report({ ...counts, clean, seconds, scenarios, skipped, missed, problems, machine: thisMachine() }, flags.json)
process.exitCode = clean ? 0 : 1
// What was under way when it was stopped is left as it is.
if (result.stopped) process.exit()
