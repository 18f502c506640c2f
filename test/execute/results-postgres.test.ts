// Results on the durable ledger: a secret is in no row, a stored one is read by another process, and a call that dies before it could
// store its result says so to the next.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../../src/index.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { context, counted, open, order } from '../pipeline/bench-desk.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.end())

const marker = 'iban-DE89-3704-0044'

/** Everything that lies in the tables, as text; bytes once as they are and once as hex. */
async function everythingIn(url: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'proviso'`,
    )
    const texts: string[] = []
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
      texts.push(...rows.map(({ row }) => row))
    }
    return texts.join('\n')
  } finally {
    await client.end()
  }
}

const holds = (text: string, part: string) => text.includes(part) || text.includes(Buffer.from(part).toString('hex'))
const refOf = (answer: Answer) => answer.result?.refs[0] ?? ''

const tool = (classification: 'secret' | 'regulated' | 'internal', more: object = {}) =>
  counted('LOW_RISK_INTERNAL', { classification, ...more, execute: () => ({ iban: marker }) as never })

describe('results on Postgres', () => {
  it('are in no row where they are secret, and in their own alone where they are regulated [kept-by-classification]', async () => {
    const secret = await databases.fresh()
    const first = await open(tool('secret').source, { ledger: await postgres(secret) })
    const answer = await first.call(order('c1'), context)
    expect(answer.observation.result_payload.data).toEqual({ iban: marker })
    await first.close()
    expect(holds(await everythingIn(secret), marker)).toBe(false)

    const regulated = await databases.fresh()
    const second = await open(tool('regulated').source, { ledger: await postgres(regulated) })
    const ref = refOf(await second.call(order('c1'), context))
    await second.close()
    expect(holds(await everythingIn(regulated), marker)).toBe(true)
    const another = await open(tool('regulated').source, { ledger: await postgres(regulated) })
    expect(await another.results.get(ref, context)).toMatchObject({ ok: true, value: { iban: marker } })
    expect(await another.results.get(ref, { ...context, user: 'bob' })).toMatchObject({ reason: 'permission_denied' })
    const again = await another.call(order('c1'), context)
    expect([again.effect, refOf(again)]).toEqual(['happened', ref])
    await another.close()
  })

  it('that could not be stored are not in the record either, and the next one is told [kept-by-classification]', async () => {
    const url = await databases.fresh()
    const ledger = await postgres(url)
    const full = () => Promise.reject(new Error('the disk is full'))
    const broken = { ...ledger, results: { ...ledger.results, save: full } }
    const first = await open(tool('regulated').source, { ledger: broken, onFault: () => undefined })
    const answer = await first.call(order('c1'), context)
    expect([answer.effect, holds(JSON.stringify(answer), marker)]).toEqual(['happened', false])
    const again = await first.call(order('c1'), context)
    expect([again.effect, again.observation.result_payload.data]).toEqual(['happened', null])
    await first.close()
    expect(holds(await everythingIn(url), marker)).toBe(false)
  })

  it('are recognized when they are read back, also by a process that did not store them [no-read-store-read]', async () => {
    const url = await databases.fresh()
    const first = await open(tool('internal', { maxInlineBytes: 8 }).source, { ledger: await postgres(url) })
    const ref = refOf(await first.call(order('c1'), context))
    await first.close()
    const reader = counted('READ_ONLY', {
      name: 'read_result_v1',
      maxInlineBytes: 8,
      execute: async () => {
        const stored = await second.results.get(ref, context)
        return (stored.ok ? stored.value : null) as never
      },
    })
    const second = await open(reader.source, { ledger: await postgres(url) })
    const answer = await second.call({ tool: 'read_result_v1', arguments: '{"order_id":"a"}', callId: 'r' }, context)
    expect(refOf(answer)).toBe(ref)
    await second.close()
  })
})
