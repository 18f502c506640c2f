// CPU time per tool call, side by side in one process: the function itself, bare Ajv, the AI SDK's loop, Proviso with all facts kept.
// Invariant: rounds are interleaved and the median counts, so a busy machine disturbs every contender alike; garbage collection is in it.
import { readArguments, readCount, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { aiSdk, callsPerLoop } from './ai-sdk.ts'
import { bareAjv } from './bare-ajv.ts'
import type { Contender } from './contender.ts'
import { direct } from './direct.ts'
import { type Order, orderText } from './order-payload.ts'
import { throughProviso } from './proviso.ts'

/** Facts of every Proviso call stay in memory, hence fewer calls where the payload is large. */
const sizes = [
  { suffix: '', bytes: 200, callsPerRound: 3_000, warmUps: 5 },
  { suffix: '_4k', bytes: 4_096, callsPerRound: 600, warmUps: 4 },
  { suffix: '_64k', bytes: 65_536, callsPerRound: 60, warmUps: 3 },
] as const

const target = { proviso_us: 60 }

const flags = readArguments({
  rounds: { type: 'string', default: '11' },
  only: { type: 'string' },
  size: { type: 'string' },
})
const rounds = Math.max(1, readCount(flags.rounds, 'rounds'))

const figures: Record<string, number> = {}
const spread: Record<string, readonly [least: number, most: number]> = {}
for (const { suffix, bytes, callsPerRound, warmUps } of sizes) {
  if (flags.size !== undefined && String(bytes) !== flags.size) continue
  const texts = Array.from({ length: callsPerRound }, (_, index) => orderText(bytes, index))
  const parsed = texts.map((text) => JSON.parse(text) as Order)
  const all = [direct(parsed), bareAjv(), aiSdk('steps'), aiSdk('parallel'), await throughProviso()]
  const contenders = all.filter(({ name }) => flags.only === undefined || name === flags.only)
  const timings = await race(contenders, texts, warmUps)
  for (const [name, samples] of timings) {
    const micros = at(samples, 0.5)
    figures[`${name}_us${suffix}`] = micros
    spread[`${name}_us${suffix}`] = [at(samples, 0), at(samples, 1)]
    say(`${String(bytes).padStart(6)} B  ${name.padEnd(16)} ${micros.toFixed(1).padStart(9)} µs`)
  }
}

const cheapestSdk = Math.min(figures.ai_sdk_us ?? Number.NaN, figures.ai_sdk_parallel_us ?? Number.NaN)
const measured = figures.proviso_us
const met = {
  proviso_us: measured !== undefined && measured <= target.proviso_us,
  not_above_ai_sdk: measured !== undefined && measured <= cheapestSdk,
}
report(
  {
    ...figures,
    ratios: Object.fromEntries(sizes.flatMap(({ suffix }) => ratiosOf(suffix))),
    ai_sdk_calls_per_loop: callsPerLoop,
    spread,
    rounds,
    calls_per_round: Object.fromEntries(sizes.map(({ bytes, callsPerRound }) => [bytes, callsPerRound])),
    target,
    met,
    machine: thisMachine(),
  },
  flags.json,
)

/** Sorted CPU microseconds per call, one sample a round. The first rounds of each contender are the compiler's and do not count. */
async function race(contenders: readonly Contender[], texts: readonly string[], warmUps: number) {
  const samples = new Map<string, number[]>(contenders.map(({ name }) => [name, []]))
  for (let round = -warmUps; round < rounds; round++) {
    for (const contender of contenders) {
      const before = process.cpuUsage()
      await contender.run(texts)
      const { user, system } = process.cpuUsage(before)
      if (round >= 0) samples.get(contender.name)?.push((user + system) / texts.length)
    }
  }
  for (const own of samples.values()) own.sort((a, b) => a - b)
  return samples
}

/** The sample at a share of the way from the least to the most. */
function at(sorted: readonly number[], share: number): number {
  return Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN) * 100) / 100
}

function ratiosOf(suffix: string): readonly (readonly [string, number])[] {
  const proviso = figures[`proviso_us${suffix}`]
  if (proviso === undefined) return []
  return ['ajv', 'ai_sdk', 'ai_sdk_parallel'].flatMap((name) => {
    const other = figures[`${name}_us${suffix}`]
    return other === undefined
      ? []
      : [[`proviso_to_${name}${suffix}`, Math.round((proviso / other) * 100) / 100] as const]
  })
}
