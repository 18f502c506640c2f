// What a ledger full of calls costs the next one: two databases of one server, one with nothing stored and one filled, measured in turn.
import { say } from '../arguments.ts'
import { throughProviso } from './proviso.ts'
import { alternate, median, medianRatio, runRound } from './round.ts'
import type { Server } from './server.ts'
import { storeCalls } from './stored-calls.ts'

export interface GrowthOptions {
  readonly calls: number
  readonly connections: number
  readonly rounds: number
  readonly seconds: number
}

export async function measureGrowth(server: Server, { calls, connections, rounds, seconds }: GrowthOptions) {
  const fullUrl = await server.database('growth_full')
  // What is stored was never put into the log, and is not waited for.
  const options = { pays: false }
  const full = await throughProviso(fullUrl, connections, { ...options, name: 'full' })
  const empty = await throughProviso(await server.database('growth_empty'), connections, { ...options, name: 'empty' })
  const contenders = [empty, full]
  const setting = { lanes: 1, seconds, logPosition: server.logPosition }
  for (const contender of contenders) await runRound(contender, setting)
  const startedAt = performance.now()
  await storeCalls(fullUrl, calls)
  const loadSeconds = Math.round((performance.now() - startedAt) / 1_000)
  for (const contender of contenders) await runRound(contender, setting)
  const taken = await alternate(contenders, { ...setting, rounds })
  for (const contender of contenders) await contender.close()
  const p50Of = (name: string) => median((taken.get(name) ?? []).map(({ p50 }) => p50))
  const ratio = medianRatio(taken.get('full') ?? [], taken.get('empty') ?? [], ({ p50 }) => p50)
  const figures = {
    growth_ratio: round(ratio),
    growth_p50_ms_empty: round(p50Of('empty')),
    growth_p50_ms_full: round(p50Of('full')),
    growth_calls: calls,
    growth_load_s: loadSeconds,
  }
  say(`p50 with nothing stored ${figures.growth_p50_ms_empty} ms, with ${calls} calls ${figures.growth_p50_ms_full} ms`)
  return figures
}

const round = (value: number) => Math.round(value * 1_000) / 1_000
