// Kills, cuts, stops and starves everything around a mutating call, and counts what must never be. Exit 1 on any violation; `--plant`
// puts a fault in to show that it is found.

import { progressBar } from '../../src/cli/subschema/progress-bar.ts'
import { processTerminal } from '../../src/cli/terminal.ts'
import { nothingJudged, readArguments, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { foundAs, isPlantName, plants } from './plants.ts'
import { isClean, runFaults } from './run-faults.ts'

const flags = readArguments({
  plant: { type: 'string' },
  only: { type: 'string' },
  quick: { type: 'boolean', default: false },
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
  only: only ?? (plant === undefined ? '' : 'killed at every point'),
  ...(plant === undefined ? {} : { plant }),
  progress(scenario, total) {
    const bar = progressBar(total, terminal)
    let done = 0
    return () => {
      bar.step(scenario)
      if (++done === total) bar.end()
    }
  },
  onDone: (scenario, { runs, stuck }, seconds) => say(`${scenario}: ${runs} runs, ${stuck} stuck, ${seconds} s`),
})
for (const why of result.skipped) say(`NOT TRIED: ${why}`)
for (const problem of result.problems) say(problem)
if (plant !== undefined) {
  const found = result[foundAs[plant]] > 0
  say(`${plants[plant].is} ${found ? `Found as: ${plants[plant].named}.` : 'NOT FOUND.'}`)
}
const seconds = Math.round((performance.now() - started) / 100) / 10
const { scenarios, skipped, missed, problems, ...counts } = result
const clean = isClean(result) && result.runs > 0
report({ ...counts, clean, seconds, scenarios, skipped, missed, problems, machine: thisMachine() }, flags.json)
process.exitCode = clean ? 0 : 1
