// Durable tool calls a second, side by side on one Postgres and one size of pool: idempotency by hand in two statements, by hand in
// batches, a MEDIUM_RISK_WRITE through all of Proviso, which puts its calls into its log meanwhile, and a DBOS workflow with one step.
// It prints ratios; nothing here passes or fails.
import { loadavg } from 'node:os'
import { readArguments, readCount, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { dbosSettings, throughDbos } from './dbos.ts'
import { measureGrowth } from './growth.ts'
import { handBatched } from './hand-batched.ts'
import { handWritten } from './hand-written.ts'
import { throughProviso } from './proviso.ts'
import { alternate, median, medianRatio, type Round, runRound } from './round.ts'
import { logMegabytes, startServer } from './server.ts'
import { argumentBytes } from './setting.ts'

const target = {
  ratio_1: 0.7,
  ratio_64: 1.4,
  ratio_256: 1.6,
  batched_ratio_64: 0.4,
  p99_ratio_64: 2,
  growth_ratio: 1.3,
}
const ceilings: ReadonlySet<string> = new Set(['p99_ratio_64', 'growth_ratio'])

// `--growth` may stand without a number.
const growthAt = process.argv.indexOf('--growth')
if (growthAt > 0 && !/^\d/.test(process.argv[growthAt + 1] ?? '')) process.argv.splice(growthAt + 1, 0, '3000000')

const flags = readArguments({
  concurrency: { type: 'string', default: '1,16,64,256' },
  // Many and short: the speed of a machine that others share changes within seconds, and a ratio is of two rounds side by side.
  rounds: { type: 'string', default: '11' },
  seconds: { type: 'string', default: '1' },
  connections: { type: 'string', default: '10' },
  // Names of contenders, with commas; all by default.
  only: { type: 'string' },
  growth: { type: 'string' },
})
const levels = flags.concurrency.split(',').map((text) => readCount(text, 'concurrency'))
const rounds = Math.max(1, readCount(flags.rounds, 'rounds'))
const seconds = Math.max(1, readCount(flags.seconds, 'seconds'))
const connections = Math.max(1, readCount(flags.connections, 'connections'))
const only = flags.only?.split(',')
const growthCalls = flags.growth === undefined ? 0 : readCount(flags.growth, 'growth')

/**
 * Before anything counts, connections are opened, statements prepared and functions compiled. A compiler works by counts of calls, and one
 * lane makes few: with two seconds of it, half of the time of this process was still spent on compiling, and on code not compiled yet.
 */
const warmUp = [
  [64, 5],
  [1, 8],
] as const

const figures: Record<string, number> = {}
const spread: Record<string, readonly [least: number, most: number]> = {}
const load: Record<string, number> = {}
const ran: string[] = []
const server = await startServer()
try {
  if (growthCalls > 0) {
    Object.assign(figures, await measureGrowth(server, { calls: growthCalls, connections, rounds, seconds }))
  } else {
    await race()
  }
} finally {
  await server.stop()
}

const met = Object.entries(target).flatMap(([name, wanted]) => {
  const figure = figures[name]
  return figure === undefined ? [] : [[name, ceilings.has(name) ? figure <= wanted : figure >= wanted]]
})
report(
  {
    ...figures,
    spread,
    load,
    rounds,
    seconds_per_round: seconds,
    ...(growthCalls === 0 && {
      warm_up: warmUp.map(([lanes, time]) => ({ lanes, seconds: time })),
      contenders: ran,
      ...(ran.includes('dbos') && { dbos: dbosSettings(connections) }),
    }),
    log_written_before_mb: logMegabytes,
    connections,
    argument_bytes: argumentBytes,
    runs: 'one per lane',
    postgres: server.settings,
    target,
    met: Object.fromEntries(met),
    machine: thisMachine(),
  },
  flags.json,
)

async function race(): Promise<void> {
  const url = await server.database('durable')
  const makers = {
    hand_written: () => handWritten(url, connections),
    hand_batched: () => handBatched(url, connections),
    proviso: () => throughProviso(url, connections, { pays: true }),
    dbos: async () => throughDbos(await server.database('dbos'), connections),
  }
  const wanted = Object.entries(makers).filter(([name]) => only === undefined || only.includes(name))
  ran.push(...wanted.map(([name]) => name))
  const { logPosition } = server
  const contenders = await Promise.all(wanted.map(([, make]) => make()))
  for (const [lanes, time] of warmUp) {
    for (const contender of contenders) await runRound(contender, { lanes, seconds: time, logPosition })
  }
  for (const lanes of levels) {
    const taken = await alternate(contenders, { lanes, rounds, seconds, logPosition })
    load[lanes] = keep(loadavg()[0] ?? 0)
    for (const [name, own] of taken) keepFigures(name, lanes, own)
    keepRatios(lanes, taken)
  }
  for (const contender of contenders) await contender.close()
}

function keepFigures(name: string, lanes: number, own: readonly Round[]): void {
  const of = (pick: (round: Round) => number) => own.map(pick)
  figures[`${name}_per_s_${lanes}`] = Math.round(median(of(({ perSecond }) => perSecond)))
  figures[`${name}_p50_ms_${lanes}`] = keep(median(of(({ p50 }) => p50)))
  figures[`${name}_p99_ms_${lanes}`] = keep(median(of(({ p99 }) => p99)))
  figures[`${name}_cpu_us_${lanes}`] = Math.round(median(of(({ cpuMicros }) => cpuMicros)))
  figures[`${name}_wal_bytes_${lanes}`] = Math.round(median(of(({ walBytes }) => walBytes)))
  spread[`${name}_per_s_${lanes}`] = spreadOf(of(({ perSecond }) => perSecond))
  // After each checkpoint whole pages are written once more; the least is without them.
  spread[`${name}_wal_bytes_${lanes}`] = spreadOf(of(({ walBytes }) => walBytes))
  const [perSecond, p50, p99, cpu, wal] = ['per_s', 'p50_ms', 'p99_ms', 'cpu_us', 'wal_bytes'].map(
    (key) => figures[`${name}_${key}_${lanes}`],
  )
  say(
    `${String(lanes).padStart(4)} lanes  ${name.padEnd(13)} ${String(perSecond).padStart(6)}/s  ` +
      `p50 ${p50} ms  p99 ${p99} ms  ${cpu} µs of this process  ${wal} bytes of log`,
  )
}

function keepRatios(lanes: number, taken: ReadonlyMap<string, readonly Round[]>): void {
  const proviso = taken.get('proviso')
  const written = taken.get('hand_written')
  const batched = taken.get('hand_batched')
  const dbos = taken.get('dbos')
  if (proviso === undefined) return
  const speed = ({ perSecond }: Round) => perSecond
  if (written !== undefined) {
    figures[`ratio_${lanes}`] = keep(medianRatio(proviso, written, speed))
    figures[`p99_ratio_${lanes}`] = keep(medianRatio(proviso, written, ({ p99 }) => p99))
  }
  if (batched !== undefined) figures[`batched_ratio_${lanes}`] = keep(medianRatio(proviso, batched, speed))
  if (dbos !== undefined) figures[`dbos_ratio_${lanes}`] = keep(medianRatio(proviso, dbos, speed))
  const ratios = ['ratio', 'batched_ratio', 'dbos_ratio'].map((name) => `${name} ${figures[`${name}_${lanes}`] ?? '-'}`)
  say(`            ${ratios.join('  ')}`)
}

function spreadOf(values: readonly number[]): readonly [least: number, most: number] {
  return [Math.round(Math.min(...values)), Math.round(Math.max(...values))]
}

function keep(value: number): number {
  return Math.round(value * 1_000) / 1_000
}
