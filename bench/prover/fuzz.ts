// Differential fuzzing of the prover, seeded and repeatable: node bench/prover/fuzz.ts [--count N] [--seed N] [--plant KEYWORD] [--budget N].
// `--plant` makes the prover deaf to one keyword of L, which must be found. Exit 0: no fault; 1: a fault.
import { readArguments, readCount, report, say } from '../arguments.ts'
import { fuzz } from './harness.ts'

const flags = readArguments({
  count: { type: 'string', default: '2000' },
  seed: { type: 'string', default: '1' },
  plant: { type: 'string' },
  budget: { type: 'string' },
})
const started = performance.now()
const count = readCount(flags.count, 'count')
const { faults, ...figures } = fuzz({
  count,
  seed: readCount(flags.seed, 'seed'),
  ...(flags.plant === undefined ? {} : { plant: flags.plant }),
  ...(flags.budget === undefined ? {} : { budget: readCount(flags.budget, 'budget') }),
  progress: (pairs, found) => say(`${pairs} pairs, ${found} faults, ${seconds()} s`),
})
report(
  { pairs: count, ...figures, faults: faults.length, seconds: seconds(), examples: faults.slice(0, 5) },
  flags.json,
)
process.exitCode = faults.length === 0 ? 0 : 1

function seconds(): number {
  return Math.round((performance.now() - started) / 100) / 10
}
