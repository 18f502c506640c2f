// Every attack on every engine: what people did not agree to is never executed.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Clock, EpochMs } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import { manualClock } from '../../src/public/testing.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { type PostgresEngines, postgresEngines } from '../ledger/postgres-engine.ts'
import { approveAs } from '../people.ts'
import { attacks } from './attacks.ts'
import { openPayDesk, payment, where } from './desk.ts'

it('knows more than twenty kinds of attack, each by its own name', () => {
  expect(new Set(attacks.map(({ name }) => name)).size).toBeGreaterThan(20)
})

const memoryDesk = async () => {
  const clock = manualClock()
  const ledger = memory({ clock })
  const engine = { ledger, advance: async (ms: number) => clock.advance(ms), peer: async () => ledger }
  return { desk: await openPayDesk(engine, clock), now: () => clock.now() }
}

describe('on memory', () => {
  it.each(attacks.map((attack) => [attack.name, attack] as const))(
    'refuses %s [token-holds] [grant-is-narrow] [packet-shows-plainly] [TC-031, TC-095, TC-213, TC-224, TC-238, TC-241, TC-242, TC-245, TC-246, TC-325]',
    async (_, attack) => {
      const { desk, now } = await memoryDesk()
      const rightly = await attack.run(desk, now)
      expect(desk.executed).toHaveLength(rightly ?? 0)
    },
  )

  it('lets the payment through that people agreed to', async () => {
    const { desk } = await memoryDesk()
    await desk.approved('bob', 'cleo')
    expect((await desk.call()).effect).toBe('happened')
  })

  it('shows what waits a page at a time, also when ten thousand packets wait', async () => {
    const { desk } = await memoryDesk()
    for (let n = 0; n < 10_000; n++)
      await desk.call({ ...payment, to: `supplier-${n}` }, { ...where, run: `run-${n % 500}` }, `c${n}`)
    const begun = performance.now()
    const page = await desk.proviso.approvals.list({ status: 'pending', limit: 100 })
    const last = page.at(-1)
    const next = await desk.proviso.approvals.list({ status: 'pending', limit: 100, after: last?.id ?? '' })
    expect([page.length, next.length, next[0]?.id === last?.id]).toEqual([100, 100, false])
    expect(performance.now() - begun).toBeLessThan(500)
    expect((await approveAs(desk.proviso, next[0]?.id ?? '', 'bob')).decisions).toHaveLength(1)
  }, 60_000)
})

describe('on Postgres', () => {
  let databases: Databases
  let engines: PostgresEngines
  let url = ''
  beforeAll(async () => {
    databases = await startDatabases()
    url = await databases.fresh()
    engines = await postgresEngines(url)
  })
  afterAll(async () => {
    await engines.end()
    await databases.end()
  })

  const postgresDesk = async () => {
    const engine = await engines.start()
    let later = 0
    const clock: Clock = {
      now: () => (Date.now() + later) as EpochMs,
      monotonic: () => performance.now(),
    }
    const advance = async (ms: number) => {
      later += ms
      await engine.advance(ms)
    }
    return { desk: await openPayDesk({ ...engine, advance }, clock), now: clock.now }
  }

  it.each(attacks.map((attack) => [attack.name, attack] as const))('refuses %s', async (_, attack) => {
    const { desk, now } = await postgresDesk()
    const rightly = await attack.run(desk, now)
    expect(desk.executed).toHaveLength(rightly ?? 0)
  })

  it('lets the payment through that people agreed to', async () => {
    const { desk } = await postgresDesk()
    await desk.approved('bob', 'cleo')
    expect((await desk.call()).effect).toBe('happened')
  })

  it('shows what waits a page at a time, also when ten thousand packets wait among as many that ran out', async () => {
    const { desk } = await postgresDesk()
    const { id = '' } = (await desk.call()).approval ?? {}
    const client = new pg.Client(url)
    await client.connect()
    const copy = `insert into proviso.approvals (id, tenant, call_id, requester, run, slot_key, generation, payload_hash, body, created_at, expires_at)
      select id || $2 || to_char(n, 'FM00000'), tenant, call_id, requester, run, slot_key || n, generation, payload_hash || n,
        convert_to(replace(convert_from(body, 'UTF8'), id, id || $2 || to_char(n, 'FM00000')), 'UTF8'), created_at,
        expires_at + $3::float8 * interval '1 ms'
      from proviso.approvals cross join generate_series(1, 10000) n where id = $1`
    await client.query(copy, [id, '-waits-', 0])
    await client.query(copy, [id, '-ran-out-', -9_000_000])
    await client.end()
    const begun = performance.now()
    const page = await desk.proviso.approvals.list({ status: 'pending', limit: 100 })
    const next = await desk.proviso.approvals.list({ status: 'pending', limit: 100, after: page.at(-1)?.id ?? '' })
    expect(performance.now() - begun).toBeLessThan(2_000)
    expect([page.length, next.length, next[0]?.id.slice(-5)]).toEqual([100, 100, '00100'])
  })
})
