// What budgets add to a call: transactions that write, and time. A call with one limit on calls, as every run has it, beside one that takes
// from five limits, windows and money among them.
import pg from 'pg'
import { defineTool, openProviso, type ProvisoOptions } from '../../src/index.ts'
import { postgres } from '../../src/ledger/index.ts'

export interface CommitsOfCall {
  readonly writes_per_call: number
  readonly median_ms: number
}

const money = { kind: 'financial', max: 1_000_000, currency: 'EUR' } as const

export const fiveLimits: NonNullable<ProvisoOptions['budgets']> = {
  write: 1_000_000,
  limits: [
    { id: 'calls-a-day', kind: 'write', per: 'tenant', windowSec: 86_400, max: 1_000_000 },
    { id: 'user-a-day', ...money, per: 'user', windowSec: 86_400 },
    { id: 'tool', ...money, per: 'tool' },
    { id: 'run', ...money, per: 'run' },
  ],
}

export async function commitsOfCall(
  url: string,
  budgets: NonNullable<ProvisoOptions['budgets']>,
  calls: number,
): Promise<CommitsOfCall> {
  const ledger = await postgres(url, { connections: 2, log: { sequence: false } })
  const proviso = await openProviso({
    ledger,
    budgets,
    sweepMs: 2_000_000_000,
    tools: [
      defineTool({
        name: 'pay',
        description: 'Pays an amount.',
        effect: 'MEDIUM_RISK_WRITE',
        input: {
          type: 'object',
          properties: { number: { type: 'integer' }, amount: { type: 'number' } },
          required: ['number', 'amount'],
          additionalProperties: false,
        },
        amount: { pointer: '/amount', currency: { const: 'EUR' } },
        trusted: true,
        rate: { windowSec: 1, maxRequests: 1_000_000 },
        execute: () => ({}),
      }),
    ],
  })
  const client = new pg.Client(url)
  await client.connect()
  const writes = async () => {
    const { rows } = await client.query<{ next: string }>(
      'select pg_snapshot_xmax(pg_current_snapshot())::text as next',
    )
    return Number(rows[0]?.next)
  }
  const times: number[] = []
  const call = async (number: number) => {
    const startedAt = performance.now()
    const proposal = { tool: 'pay', arguments: { number, amount: 0.01 }, callId: `c${number}` }
    const { effect, observation } = await proviso.call(proposal, { tenant: 'acme', user: 'ann', run: 'run-1' })
    if (effect !== 'happened') throw new Error(`The call did not happen: ${JSON.stringify(observation.status)}`)
    times.push(performance.now() - startedAt)
  }
  // Blocks of rates are leased, and statements prepared, before anything is counted.
  for (let number = 1; number <= 50; number++) await call(number)
  times.length = 0
  const before = await writes()
  for (let number = 51; number <= 50 + calls; number++) await call(number)
  const after = await writes()
  await client.end()
  await proviso.close()
  const sorted = times.toSorted((a, b) => a - b)
  return {
    writes_per_call: Math.round((100 * (after - before)) / calls) / 100,
    median_ms: Math.round((sorted[Math.floor(sorted.length / 2)] ?? Number.NaN) * 1_000) / 1_000,
  }
}
