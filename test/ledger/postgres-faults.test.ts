// Connections that are cut and servers that stop, in the middle of traffic: every call gets its answer, and nothing is admitted or
// counted twice.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { startEmbedded } from '../../src/ledger/embedded/start-embedded.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { asTools } from './databases.ts'
import { databasesOfFile } from './databases-of-file.ts'
import {
  admission,
  answerOf,
  callId,
  callRecord,
  claim,
  distinct,
  entryOf,
  fact,
  one,
  retryable,
  settlement,
  settleOn,
  slotAt,
} from './requests.ts'

const databases = databasesOfFile()

const claims = [claim(1_000_000)]
const rate = { scope: 'tool', windowMs: 86_400_000 * 365 * 10, max: 1_000_000 }

/** Admits and settles calls, so many at a time; `between` is called after each answer. */
async function traffic(ledger: Ledger, count: number, between: (answered: number) => void): Promise<readonly string[]> {
  const ends: string[] = []
  let next = 0
  const worker = async () => {
    while (next < count) {
      const number = ++next
      const id = callId(number)
      const request = distinct(number, { claims, rate })
      const entry = request.entry ?? entryOf()
      const admitted = await ledger.operations.admit({ ...request, entry: { ...entry, facts: [fact({ callId: id })] } })
      between(ends.length)
      const settle = settlement({ callId: id, slotKey: `slot-${number}`, answer: answerOf(`${number}`) })
      const call = { id, key: { ...callRecord().key, providerCallId: `p${number}` }, answer: settle.answer }
      const settled = await ledger.operations.record(entryOf(call, { settle, facts: [fact({ callId: id, seq: 2 })] }))
      ends.push(`${admitted.kind} ${settled}`)
      between(ends.length)
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  return ends
}

/** What is in the database of so many calls, each admitted once, settled once and counted once. */
async function expectOnce(admin: pg.Client, count: number): Promise<void> {
  const { rows } = await admin.query(`
    select count(*)::int as slots, count(distinct nonce)::int as nonces, min(attempt) as attempt, min(starts) as least,
      max(starts) as most, count(*) filter (where status = 'COMPLETED')::int as completed,
      (select count(*)::int from proviso.calls) as calls,
      (select count(*)::int from proviso.facts) as groups,
      (select array_agg(used::int order by name) from proviso.counters where name like 'budget:%') as used
    from proviso.idempotency_keys`)
  expect(rows).toEqual([
    {
      slots: count,
      nonces: count,
      attempt: 1,
      least: 1,
      most: 1,
      completed: count,
      calls: count,
      // That of the admission, and that of the end.
      groups: 2 * count,
      // The rate is wide, so it is drawn from blocks.
      used: [count],
    },
  ])
}

it('answers every call and counts each once while its connections are cut again and again', async () => {
  const url = await databases.fresh()
  const ledger = await postgres(url, { connections: 4, patienceMs: 60_000 })
  const admin = new pg.Client(url)
  await admin.connect()
  const count = 400
  let cuts = 0
  let pending: Promise<unknown> = Promise.resolve()
  const cut = () => {
    cuts++
    pending = pending.then(() =>
      admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'proviso'`),
    )
  }
  const ends = await traffic(ledger, count, (answered) => {
    if (answered >= (cuts + 1) * 20) cut()
  })
  await pending
  expect(cuts).toBeGreaterThan(10)
  expect(ends).toEqual(Array.from({ length: count }, () => 'admitted settled'))
  await expectOnce(admin, count)
  await ledger.close()
  await admin.end()
})

it('goes on after a restart of its server in the middle of traffic', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'proviso-restart-'))
  let server = await startEmbedded({ dir, settings: { fsync: 'off' } })
  const ledger = await postgres(server.url, { connections: 4, patienceMs: 60_000 })
  const count = 300
  let restarts: Promise<void> = Promise.resolve()
  let begun = 0
  const ends = await traffic(ledger, count, (answered) => {
    if (begun === 2 || answered < (begun + 1) * 100) return
    begun++
    restarts = restarts.then(async () => {
      await server.release()
      server = await startEmbedded({ dir, settings: { fsync: 'off' } })
    })
  })
  await restarts
  expect(begun).toBe(2)
  expect(ends).toEqual(Array.from({ length: count }, () => 'admitted settled'))
  const admin = new pg.Client(server.url)
  await admin.connect()
  await expectOnce(admin, count)
  await admin.end()
  await ledger.close()
  await server.release()
  await rm(dir, { recursive: true, force: true })
})

it('gives up on a database that stays away, once its patience is over, and says so', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'proviso-away-'))
  const server = await startEmbedded({ dir, settings: { fsync: 'off' } })
  const ledger = await postgres(server.url, { connections: 2, patienceMs: 200 })
  await ledger.operations.admit(admission())
  await server.release()
  await expect(ledger.operations.admit(distinct(2))).rejects.toThrow()
  await expect(settleOn(ledger)).rejects.toThrow()
  await ledger.close()
  await rm(dir, { recursive: true, force: true })
})

describe('a transaction in which a tool works', () => {
  const open = async () => {
    const url = await databases.fresh()
    const ledger = await postgres(url, { ...asTools(url), connections: 3 })
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query('create table public.effects (id int); grant insert on public.effects to proviso_tools')
    const request = admission()
    await ledger.operations.admit(request)
    const attempt = { slotKey: request.slot?.key ?? '', generation: 1, nonce: request.nonce }
    const transaction = await ledger.operations.begin?.('acme', attempt)
    if (transaction === undefined) throw new Error('no transaction')
    return {
      ledger,
      transaction,
      admin,
      endOf: (change: Parameters<typeof settlement>[0] = {}) =>
        entryOf({}, { settle: settlement({ nonce: request.nonce, ...change }), facts: [fact()] }),
      effects: async () => (await admin.query('select id from public.effects')).rows.length,
      async end() {
        await ledger.close()
        await admin.end()
      },
    }
  }
  const insert = 'insert into public.effects values ($1)'

  it('commits its effect together with its settle', async () => {
    const { ledger, transaction, endOf, effects, end } = await open()
    await transaction.query(insert, [1])
    expect(await effects()).toBe(0)
    expect(await transaction.commit(endOf())).toBe('settled')
    expect([await effects(), (await slotAt(ledger))?.status]).toEqual([1, 'COMPLETED'])
    await expect(transaction.query(insert, [2])).rejects.toThrow('over')
    await end()
  })

  it('commits nothing when another settled the attempt first', async () => {
    const { ledger, transaction, endOf, effects, end } = await open()
    await transaction.query(insert, [1])
    await settleOn(ledger, { status: 'FAILED_FINAL', effect: 'none' }, { facts: [fact({ seq: 9 })] })
    expect(await transaction.commit(endOf({ attempt: 2 }))).toBe('late')
    expect(await effects()).toBe(0)
    expect(await ledger.calls.facts(one)).toHaveLength(1)
    await end()
  })

  it('commits nothing once its attempt was given up as undone: callers were told so', async () => {
    const { ledger, transaction, endOf, effects, end } = await open()
    await transaction.query(insert, [1])
    await settleOn(ledger, retryable)
    expect(await transaction.commit(endOf())).toBe('late')
    expect(await effects()).toBe(0)
    expect(await slotAt(ledger)).toMatchObject({ status: 'FAILED_RETRYABLE', effect: 'none' })
    await end()
  })

  it('commits nothing with an end that was written before, though that is settled', async () => {
    const { ledger, transaction, endOf, effects, end } = await open()
    await transaction.query(insert, [1])
    const sent = { ...endOf(), id: callId(77) }
    expect(await ledger.operations.record(sent)).toBe('settled')
    expect(await ledger.operations.record(sent)).toBe('settled')
    expect(await transaction.commit(sent)).toBe('late')
    expect([await effects(), (await slotAt(ledger))?.status]).toEqual([0, 'COMPLETED'])
    await end()
  })

  it('leaves nothing behind when it is rolled back, however often', async () => {
    const { ledger, transaction, effects, end } = await open()
    await transaction.query(insert, [1])
    await transaction.rollback()
    await transaction.rollback()
    expect([await effects(), (await slotAt(ledger))?.status]).toEqual([0, 'PENDING'])
    await end()
  })

  it('fails by itself, and nothing with it, when its connection is cut while it is idle', async () => {
    const { ledger, transaction, admin, endOf, effects, end } = await open()
    await transaction.query(insert, [1])
    const { rows } = await transaction.query('select pg_backend_pid() as pid')
    await admin.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await expect
      .poll(async () => (await admin.query('select 1 from pg_stat_activity where pid = $1', [rows[0]?.pid])).rows)
      .toEqual([])
    expect(await transaction.commit(endOf())).toBe('late')
    expect([await effects(), (await slotAt(ledger))?.status]).toEqual([0, 'PENDING'])
    expect(await settleOn(ledger)).toBe('settled')
    await end()
  })
})
