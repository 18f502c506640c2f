// Reads on Postgres: limits drawn from blocks that processes lease, and facts that trail their answers.
import pg from 'pg'
import { expect, it } from 'vitest'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import type { AdmitRequest } from '../../src/ledger/ports/operations.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { databasesOfFile } from './databases-of-file.ts'
import { admission, callId, callRecord, claim, entryOf, fact } from './requests.ts'

const databases = databasesOfFile()

const read = (change: Partial<AdmitRequest>) => admission({ slot: undefined, entry: undefined, ...change })
const claims = [claim(100, { name: 'budget:read:=run-1' })]
const rate = { scope: 'tool', windowMs: 86_400_000, max: 1_000_000 }

const trailing = (number: number, run = 'run-1') =>
  entryOf(
    { id: callId(number), key: { ...callRecord().key, run } },
    { findAgain: false, trails: true, facts: [fact({ callId: callId(number) })] },
  )

async function query<T extends pg.QueryResultRow>(url: string, text: string): Promise<readonly T[]> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<T>(text)
  await client.end()
  return rows
}

async function open(count: number): Promise<{ readonly url: string; readonly ledgers: readonly Ledger[] }> {
  const url = await databases.fresh()
  return { url, ledgers: await Promise.all(Array.from({ length: count }, () => postgres(url, { connections: 2 }))) }
}

/** Every ledger asks, five at a time, until it is refused; gives how many were admitted in all. */
async function drain(ledgers: readonly Ledger[], refusal: string, change: Partial<AdmitRequest>): Promise<number> {
  let admitted = 0
  await Promise.all(
    ledgers.map(async (ledger) => {
      for (let refused = 0; refused === 0; ) {
        const ends = await Promise.all([1, 2, 3, 4, 5].map(() => ledger.operations.admit(read(change))))
        admitted += ends.filter(({ kind }) => kind === 'admitted').length
        refused = ends.filter(({ kind }) => kind === refusal).length
      }
    }),
  )
  return admitted
}

it('never admits more reads than the budget that four processes share, and in the end all of them [budget-per-run]', async () => {
  const { ledgers } = await open(4)
  expect(await drain(ledgers, 'budget', { claims, rate })).toBe(100)
  for (const ledger of ledgers) await ledger.close()
})

it('counts reads and durable admissions against one budget', async () => {
  const { ledgers } = await open(2)
  const [first, second] = ledgers
  if (first === undefined || second === undefined) throw new Error('two ledgers')
  const kinds: string[] = []
  for (let n = 0; n < 70; n++) {
    kinds.push((await first.operations.admit(read({ claims, rate }))).kind)
    kinds.push((await second.operations.admit(read({ claims, rate, exact: true }))).kind)
  }
  expect(kinds.filter((kind) => kind === 'admitted').length).toBeLessThanOrEqual(100)
  expect(kinds.at(-1)).toBe('budget')
  for (const ledger of ledgers) await ledger.close()
})

it('admits no more reads than the rate allows in a window, over all processes [rate-window]', async () => {
  const { ledgers } = await open(3)
  const narrow = { scope: 'narrow', windowMs: 86_400_000, max: 50 }
  expect(await drain(ledgers, 'rate', { rate: narrow, claims: [] })).toBe(50)
  for (const ledger of ledgers) await ledger.close()
})

it('answers a read before its facts are written, and has written all of them when it is closed [trailing-facts-not-lost]', async () => {
  const { url, ledgers } = await open(1)
  const [ledger] = ledgers
  const count = 1_000
  for (let n = 1; n <= count; n++) {
    // Answered at once: nothing to wait for.
    expect(ledger?.operations.record(trailing(n))).toBe('settled')
  }
  await ledger?.close()
  const rows = await query<{ facts: number; calls: number; first: number; last: number; numbers: number }>(
    url,
    `select count(*)::int as facts, (select count(*)::int from proviso.calls) as calls, min(number)::int as first,
      max(number)::int as last, count(distinct number)::int as numbers from proviso.facts`,
  )
  expect(rows).toEqual([{ facts: count, calls: count, first: 1, last: count, numbers: count }])
})

it('writes what trails soon, without being closed', async () => {
  const { ledgers } = await open(1)
  const [ledger] = ledgers
  await ledger?.operations.record(trailing(1))
  await expect.poll(() => ledger?.calls.facts(callId(1)), { timeout: 10_000 }).toHaveLength(1)
  await ledger?.close()
})

it('makes callers wait when the queue is full, and loses nothing', async () => {
  const { url, ledgers } = await open(1)
  const [ledger] = ledgers
  if (ledger === undefined) throw new Error('one ledger')
  const blocker = new pg.Client(url)
  await blocker.connect()
  await blocker.query('begin; lock table proviso.facts in exclusive mode')
  let sent = 0
  let waiting: Promise<unknown> | undefined
  while (waiting === undefined && sent < 100_000) {
    const answer = ledger.operations.record(trailing(++sent))
    if (answer !== 'settled') waiting = Promise.resolve(answer)
  }
  expect(sent).toBeLessThan(10_000)
  let done = false
  void waiting?.then(() => {
    done = true
  })
  // A caller that asks meanwhile sees that nothing was taken.
  expect(await query(url, 'select 1 from proviso.calls')).toEqual([])
  expect(done).toBe(false)
  await blocker.query('commit')
  await blocker.end()
  await waiting
  await ledger.close()
  expect(await query(url, 'select count(*)::int as count from proviso.facts')).toEqual([{ count: sent }])
})

it('writes everything that trails beside an entry which the database refuses, and shows the gap', async () => {
  const { url, ledgers } = await open(1)
  const [ledger] = ledgers
  const refused = { ...trailing(20), call: { ...trailing(20).call, id: 'no uuid' } }
  for (let n = 1; n <= 50; n++) await ledger?.operations.record(n === 20 ? refused : trailing(n))
  await ledger?.close()
  const rows = await query<{ number: number }>(url, 'select number::int as number from proviso.facts order by 1')
  expect(rows.map(({ number }) => number)).toEqual(
    Array.from({ length: 50 }, (_, n) => n + 1).filter((number) => number !== 20),
  )
})

it('asks for a block again where the connection is lost on the way, also where others wait for the same', async () => {
  const { url, ledgers } = await open(1)
  const [ledger] = ledgers
  if (ledger === undefined) throw new Error('one ledger')
  const admin = new pg.Client(url)
  const holder = new pg.Client(url)
  await Promise.all([admin.connect(), holder.connect()])
  const waits = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  let cut = 0
  const cutWaiting = async () => {
    const { rows } = await admin.query<{ pid: number }>(waits)
    for (const { pid } of rows) {
      await admin.query('select pg_terminate_backend($1, 5000)', [pid])
      cut++
    }
    return cut
  }
  // No process gets a block as long as this is held.
  await holder.query('begin; lock table proviso.counters in exclusive mode')
  const asked = [1, 2, 3].map(() => ledger.operations.admit(read({ claims, rate })))
  try {
    await expect.poll(cutWaiting).toBeGreaterThanOrEqual(2)
  } finally {
    await holder.query('rollback')
    await Promise.all([admin.end(), holder.end()])
  }
  expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(['admitted', 'admitted', 'admitted'])
  await ledger.close()
})
