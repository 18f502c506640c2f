// A batch of calls with mixed locks against the same calls run bare: through call() by as many workers, with no lock in the way.
// Rounds are interleaved, each on empty ledgers, and each batch is set against the bare calls of its own round; the median of those
// differences counts. What the locks did is read from the facts of every call.
import { readArguments, readCount, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { checkExecutions, executionOf } from './check-facts.ts'
import { context, openDesk, proposals, touch } from './desk.ts'

const flags = readArguments({
  calls: { type: 'string', default: '1000' },
  things: { type: 'string', default: '50' },
  parallel: { type: 'string', default: '64' },
  rounds: { type: 'string', default: '25' },
})
const calls = readCount(flags.calls, 'calls')
const things = readCount(flags.things, 'things')
const parallel = readCount(flags.parallel, 'parallel')
const rounds = readCount(flags.rounds, 'rounds')
const warmUps = 5
const target = { overhead_us_per_call: 30, exclusivity_violations: 0, order_violations: 0 }

const batchMicros: number[] = []
const bareMicros: number[] = []
const directMicros: number[] = []
let findings = checkExecutions([])
let waited = 0

for (let round = -warmUps; round < rounds; round++) {
  const given = proposals(calls, things, round)
  const [locked, free] = [await openDesk(true), await openDesk(false)]
  const answers = await timed(batchMicros, round, () => locked.callAll(given, context, { maxParallel: parallel }))
  await timed(bareMicros, round, () => byWorkers((index) => free.call(given[index] ?? { tool: '' }, context)))
  await timed(directMicros, round, () => byWorkers(touch))
  if (answers.some(({ observation }) => observation.status.is_error)) throw new Error('A call of the batch failed')
  const ids = answers.map(({ observation }) => observation.tool_identity.call_id)
  const facts = await Promise.all(ids.map((id) => locked.calls.facts(id)))
  const found = checkExecutions(facts.flatMap((of) => executionOf(of) ?? []))
  waited += facts.filter((of) => of.some(({ evidence }) => Object(evidence).waited === true)).length
  findings = {
    executions: findings.executions + found.executions,
    contended: findings.contended + found.contended,
    exclusivity_violations: findings.exclusivity_violations + found.exclusivity_violations,
    order_violations: findings.order_violations + found.order_violations,
  }
  await locked.close()
  await free.close()
}

const batchUs = median(batchMicros)
const bareUs = median(bareMicros)
const directUs = median(directMicros)
const overhead = median(batchMicros.map((micros, round) => micros - (bareMicros[round] ?? Number.NaN)))
say(`batch ${batchUs} µs, bare ${bareUs} µs, the functions alone ${directUs} µs of CPU per call`)
report(
  {
    calls,
    things,
    parallel,
    rounds,
    calls_checked: findings.executions,
    waited_for_a_lock: waited,
    contended_locks: findings.contended,
    exclusivity_violations: findings.exclusivity_violations,
    order_violations: findings.order_violations,
    batch_us_per_call: batchUs,
    bare_us_per_call: bareUs,
    functions_us_per_call: directUs,
    overhead_us_per_call: overhead,
    target,
    met: {
      overhead_us_per_call: overhead <= target.overhead_us_per_call,
      exclusivity_violations: findings.exclusivity_violations === 0,
      order_violations: findings.order_violations === 0,
    },
    machine: thisMachine(),
  },
  flags.json,
)

/** CPU microseconds per call, garbage collection included. */
async function timed<T>(samples: number[], round: number, work: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  if (round >= 0) samples.push((user + system) / calls)
  return result
}

/** The caller of a step wants all its answers. */
async function byWorkers<T>(work: (index: number) => Promise<T>): Promise<readonly T[]> {
  const results = new Array<T>(calls)
  let next = 0
  const worker = async () => {
    while (next < calls) {
      const index = next++
      results[index] = await work(index)
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  return results
}

function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return Math.round((sorted[Math.floor(sorted.length / 2)] ?? Number.NaN) * 100) / 100
}
