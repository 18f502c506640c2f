// Fuzzes the whole path from text to executor. Exit 1 on any violation; `--plant` puts a fault in to show that it is found.
import { nothingJudged, readArguments, readCount, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { isPlantName, plants } from './plants.ts'
import { isClean, runFuzz } from './run-fuzz.ts'

const flags = readArguments({
  count: { type: 'string', default: '100000' },
  seed: { type: 'string', default: '1' },
  plant: { type: 'string' },
})
const { plant } = flags
if (plant !== undefined && !isPlantName(plant)) {
  say(`--plant takes one of ${Object.keys(plants).join(', ')}`)
  process.exit(nothingJudged)
}
const count = readCount(flags.count, 'count')
const started = performance.now()
const result = await runFuzz({
  count,
  seed: readCount(flags.seed, 'seed'),
  ...(plant === undefined ? {} : { plant }),
  onProgress: (done) => say(`${done} of ${count}`),
})
const seconds = Math.round((performance.now() - started) / 100) / 10
report({ ...result, clean: isClean(result), seconds, machine: thisMachine() }, flags.json)
process.exitCode = isClean(result) ? 0 : 1
