// Random scenarios: calls, repetitions, lost processes, recoveries and resolutions in any order, held to a run in which nothing ever
// crashes. In the end every operation that was asked for is there exactly once, and its answer is the one of that other run.
import fc from 'fast-check'
import { factGaps } from './fact-gaps.ts'
import type { Told } from './host.ts'
import { openRandomBench, type RandomBench } from './random-bench.ts'
import type { Site } from './site.ts'
import type { Tally } from './tally.ts'
import { isRecoverable, type Order, specOf, type ToolSpec } from './tool-spec.ts'

/** The crash-free run: an operation is wanted, and so it is done. */
interface Reference {
  readonly wanted: Set<number>
  /** Ids whose generation ended without effect and cannot be tried again. */
  readonly settledNone: Set<string>
}

interface Operation {
  readonly spec: ToolSpec
  readonly order: Order
}

interface Real {
  readonly bench: RandomBench
  readonly operations: readonly Operation[]
  readonly told: Told[][]
}

const quickly = { timeoutMs: 80, horizonMs: 50, windowMs: 86_400_000 }
const kinds = ['sql', 'provider', 'verifier', 'neither'] as const
/** Each operation has its own way of going wrong by itself, beside what is done to its process. */
const flavours: readonly Omit<Order, 'id'>[] = [{}, { fails: 1 }, { breaks: 1 }, { hangs: 1 }]
const labels = [
  'lookUp:before#1',
  'lookUp:after#1',
  'admit:before#1',
  'admit:after#1',
  'begin:after#1',
  'effect:before#1',
  'effect:after#1',
  'transaction.commit:before#1',
  'transaction.commit:after#1',
  'record:before#1',
  'record:after#1',
  'verify:after#1',
]

type Command = fc.AsyncCommand<Reference, Real>

/** Proposes an operation; with a label, in a process that is lost there. */
const ask = (operation: number, again: number, label?: string): Command => ({
  check: () => true,
  async run({ wanted, settledNone }, { bench, operations, told }) {
    const { spec, order } = operations[operation] as Operation
    const callId = `c-${order.id}-${again}`
    wanted.add(operation)
    const answer =
      label === undefined || !bench.canCrash
        ? await bench.call(spec, order, callId)
        : await bench.crash(spec, order, callId, label)
    if (answer !== undefined) told[operation]?.push(answer)
    const fired = await bench.fired(order.id)
    must(fired <= 1, `${order.id} is there ${fired} times`)
    must(answer?.effect !== 'happened' || fired === 1, `${order.id} was told to have happened`)
    // An id that was once told for good that nothing was done is told so ever after, also when later ids did something.
    if (answer?.effect === 'none' && !answer.retryable && fired === 0) settledNone.add(callId)
    const none = answer?.effect === 'none' && !settledNone.has(callId)
    must(!none || fired === 0, `${order.id} was told not to have happened`)
  },
  toString: () =>
    `${label === undefined ? 'ask' : 'lose'}(${[operation, again, label].filter((part) => part !== undefined)})`,
})

const recover: Command = {
  check: () => true,
  run: (_, { bench }) => bench.recover(),
  toString: () => 'recover()',
}

const resolve = (operation: number): Command => ({
  check: () => true,
  async run(_, { bench, operations }) {
    // People look only once nothing can be under way any more.
    await bench.recover()
    await bench.resolve((operations[operation] as Operation).order.id)
  },
  toString: () => `resolve(${operation})`,
})

function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}

const number = fc.integer({ min: 0, max: 3 })
const again = fc.integer({ min: 1, max: 2 })
const commands = fc.commands(
  [
    fc.tuple(number, again).map(([operation, id]) => ask(operation, id)),
    fc.tuple(number, again, fc.constantFrom(...labels)).map(([operation, id, label]) => ask(operation, id, label)),
    fc.constant(recover),
    number.map(resolve),
  ],
  { maxCommands: 10, size: 'max' },
)

let rounds = 0

export interface RandomScenarios {
  /** In memory where there is no database. */
  readonly place: Site | { readonly world: Site['world'] }
  readonly runs: number
  readonly seed: number
  readonly tally: Tally
}

export async function randomScenarios({ place, runs, seed, tally }: RandomScenarios): Promise<void> {
  const durable = 'query' in place
  const tools = kinds
    .filter((kind) => durable || kind !== 'sql')
    .map((kind) => specOf('MEDIUM_RISK_WRITE', kind, { name: `random_${kind}`, ...quickly }))
  const property = fc.asyncProperty(
    fc.array(fc.tuple(fc.nat(tools.length - 1), fc.nat(flavours.length - 1)), { minLength: 4, maxLength: 4 }),
    commands,
    async (choices, list) => {
      const bench = await openRandomBench(tools, place)
      const round = ++rounds
      const operations = choices.map(([tool, flavour], index) => ({
        spec: tools[tool] as ToolSpec,
        order: { id: `random-${round}-${index}`, ...flavours[flavour] },
      }))
      const reference: Reference = { wanted: new Set(), settledNone: new Set() }
      const real: Real = { bench, operations, told: operations.map(() => []) }
      try {
        await fc.asyncModelRun(() => ({ model: reference, real }), list)
        await compare(reference, real, tally)
      } finally {
        await bench.close()
      }
    },
  )
  const result = await fc.check(property, { numRuns: runs, seed, endOnFailure: true })
  const where = `random scenarios ${durable ? 'on Postgres' : 'in memory'}`
  if (!result.failed) return
  const { errorInstance, counterexample } = result
  const what = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  tally.fail(where, `${what}; seed ${seed}, after ${counterexample?.map(String).join(' ')}`)
}

const clean = { lost: [], stuck: [], factsMissing: [], falseAnswers: [], heldNeedlessly: [] }

/** Lets everything come to its end and looks whether anything tells this run from one without crashes. */
async function compare({ wanted }: Reference, { bench, operations, told }: Real, tally: Tally): Promise<void> {
  for (const [index, { spec, order }] of operations.entries()) {
    const op = order.id
    const answers = told[index] ?? []
    let last: Told | undefined
    for (let tries = 0; wanted.has(index) && tries < 6 && last?.effect !== 'happened'; tries++) {
      await bench.recover()
      await bench.resolve(op)
      last = await bench.call(spec, order, `c-${op}-end-${tries}`)
      if (last !== undefined) answers.push(last)
    }
    const fired = await bench.fired(op)
    must(fired === (wanted.has(index) ? 1 : 0), `${op} is there ${fired} times`)
    must(!wanted.has(index) || last?.effect === 'happened', `${op} ends as ${last?.effect} (${last?.reason})`)
    const facts = await bench.facts(op)
    const factsMissing = [...facts].flatMap(([call, own]) => factGaps({ call, facts: own, slot: undefined }))
    const closing = [...facts.values()].flat().filter(({ phase }) => phase === 'emit').length
    const answered = answers.filter(({ recorded }) => recorded).length
    if (closing < answered) factsMissing.push(`${answered} answers were given and ${closing} are on record`)
    must(factsMissing.length === 0, factsMissing.join('; '))
    const stuck = await bench.stuck(op)
    must(stuck.length === 0, stuck.join('; '))
    const recovered = [...facts.values()].flat().some(({ verdict }) => verdict.kind === 'recovered')
    const held = [...facts.values()].flat().some(({ verdict }) => verdict.kind === 'resolved')
    must(!(held && bench.canCrash && isRecoverable(spec)), `${op} was held, although its tool has a way to be asked`)
    if (wanted.has(index)) tally.add('random', { ...clean, fired, recovered, held })
  }
}
