// What a ledger does with its connections, and what its statements read: seen from outside, by what the server says of them.
import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import { expect, it, vi } from 'vitest'
import { exactRows } from '../../src/ledger/exact/exact-rows.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import { openDatabase } from '../../src/ledger/postgres/driver/database.ts'
import { patientOn } from '../../src/ledger/postgres/driver/unanswered.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { openProviso } from '../../src/runtime/open-proviso.ts'
import { databasesOfFile } from './databases-of-file.ts'
import {
  admission,
  callId,
  callRecord,
  claim,
  distinct,
  entryOf,
  fact,
  one,
  settlement,
  settleOn,
  slot,
  unknown,
} from './requests.ts'

const databases = databasesOfFile()

async function onFresh(work: (ledger: Ledger, admin: pg.Client) => Promise<void>): Promise<void> {
  const url = await databases.fresh()
  const admin = new pg.Client(url)
  await admin.connect()
  const ledger = await postgres(url, { connections: 3 })
  try {
    await work(ledger, admin)
  } finally {
    await ledger.close()
    await admin.end()
  }
}

const fresh = (number: number, key = `slot-${number}`) =>
  distinct(number, {
    unseen: true,
    rate: { scope: 'tool', windowMs: 86_400_000, max: 1_000_000 },
    claims: [claim(1_000_000)],
    slot: slot({ key, providerCallId: `p${number}` }),
  })

/** An ordinary call from its admission to its end. */
async function call(ledger: Ledger, number: number): Promise<string> {
  const request = fresh(number)
  const { kind } = await ledger.operations.admit(request)
  const id = callId(number)
  const settle = settlement({ callId: id, slotKey: `slot-${number}`, nonce: request.nonce })
  const key = { ...callRecord().key, providerCallId: `p${number}` }
  return `${kind} ${await ledger.operations.record(entryOf({ id, key }, { settle, facts: [fact({ callId: id, seq: 2 })] }))}`
}

const connections = async (admin: pg.Client) => {
  const { rows } = await admin.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'proviso' order by pid`,
  )
  return rows.map(({ pid }) => pid)
}

it('keeps its connections when a statement is refused', async () => {
  await onFresh(async (ledger, admin) => {
    const first = (round: number) =>
      Promise.all([1, 2, 3, 4].map((n) => ledger.operations.admit(fresh(round * 10 + n, `twin-${round}-${n % 2}`))))
    await first(1)
    const before = await connections(admin)
    for (let round = 2; round < 8; round++) {
      const kinds = (await first(round)).map(({ kind }) => kind)
      expect(kinds.filter((kind) => kind === 'admitted')).toHaveLength(2)
      await ledger.operations.admit(fresh(round * 10 + 9, 'twin-1-1'))
    }
    const after = await connections(admin)
    expect(before.filter((pid) => !after.includes(pid))).toEqual([])
  })
})

it('goes on when the server has ended the connections that were kept', async () => {
  await onFresh(async (ledger, admin) => {
    expect(await call(ledger, 1)).toBe('admitted settled')
    for (let round = 0; round < 3; round++) {
      const kept = await connections(admin)
      expect(kept.length).toBeGreaterThan(0)
      for (const pid of kept) await admin.query('select pg_terminate_backend($1)', [pid])
      await expect.poll(() => connections(admin)).toEqual([])
      expect(await Promise.all([2, 3, 4].map((n) => call(ledger, round * 10 + n)))).toEqual(
        Array.from({ length: 3 }, () => 'admitted settled'),
      )
    }
  })
})

it('sends again what was not answered in time, on another connection, and it counts once [silent-connection-is-cut]', async () => {
  const url = await databases.fresh()
  const admin = new pg.Client(url)
  await admin.connect()
  // What a transaction has seen of the server's activity it goes on seeing.
  const blocker = new pg.Client(url)
  await blocker.connect()
  const ledger = await postgres(url, { connections: 2, answerMs: 300 })
  const request = fresh(1)
  expect(await call(ledger, 2)).toBe('admitted settled')
  const before = await connections(admin)
  await blocker.query('begin')
  await blocker.query('lock table proviso.idempotency_keys in access exclusive mode')
  const admitting = ledger.operations.admit(request)
  await expect.poll(async () => (await connections(admin)).some((pid) => !before.includes(pid))).toBe(true)
  await blocker.query('commit')
  expect(await admitting).toMatchObject({ kind: 'admitted', attempt: 1 })
  expect(await ledger.limits.balances('acme', [claim(1_000_000)])).toMatchObject([{ used: 2 }])
  await ledger.close()
  await blocker.end()
  await admin.end()
})

it('cuts a connection that is not answered, and neither one that waits for its caller nor one that is waited for on purpose', async () => {
  const database = openDatabase({ connectionString: await databases.fresh(), max: 1, answerMs: 150 })
  const slowly = 'select pg_sleep(1)'
  await expect(database.transaction((client) => client.query(slowly))).rejects.toThrow(/did not answer within 150 ms/)
  await database.transaction(async (client) => {
    await patientOn(client, () => client.query(slowly))
    await setTimeout(500)
    await client.query('select 1')
  })
  await expect(database.transaction((client) => client.query(slowly))).rejects.toThrow(/the connection was cut/)
  await database.end()
})

it('does not wait for the rest of a reading that is lost with its connection', async () => {
  const client = new pg.Client(await databases.fresh())
  client.on('error', () => undefined)
  await client.connect()
  const { connection } = client as unknown as { connection: EventEmitter & { stream: Socket } }
  connection.once('portalSuspended', () => connection.stream.destroy())
  const text = 'select generate_series(1, 100)'
  const { rows } = await exactRows(client, { text, values: [], maxRows: 5, readOnly: true })
  expect(rows).toHaveLength(5)
  await expect(client.query('select 1')).rejects.toThrow()
})

it('takes no time to wait that is none', async () => {
  const url = await databases.fresh()
  for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY])
    await expect(postgres(url, { answerMs: value })).rejects.toThrow(/Give milliseconds, or 0/)
  await (await postgres(url, { answerMs: 0 })).close()
})

it('keeps its connections where the URL sets a limit of the driver', async () => {
  const url = new URL(await databases.fresh())
  url.searchParams.set('query_timeout', '50')
  const admin = new pg.Client(url.href)
  await admin.connect()
  const ledger = await postgres(url.href, { connections: 1 })
  expect(await call(ledger, 1)).toBe('admitted settled')
  const before = await connections(admin)
  await setTimeout(300)
  expect(await call(ledger, 2)).toBe('admitted settled')
  expect(await connections(admin)).toEqual(before)
  await ledger.close()
  await admin.end()
})

it('a Proviso that cannot be opened closes the ledger that it opened, and no other', async () => {
  const url = await databases.fresh()
  const admin = new pg.Client(url)
  await admin.connect()
  const blocked = { nowhere: 'There is no such tool.' }
  await expect(openProviso({ ledger: url, blocked })).rejects.toThrow('no tool has this name')
  await expect.poll(() => connections(admin)).toEqual([])
  const ledger = await postgres(url, { connections: 1 })
  await expect(openProviso({ ledger, blocked })).rejects.toThrow('no tool has this name')
  expect(await ledger.calls.list({})).toEqual([])
  await ledger.close()
  await admin.end()
})

it('opens no more connections than it was told to, and waits for them instead', async () => {
  await onFresh(async (ledger, admin) => {
    const calls = Array.from({ length: 60 }, (_, n) => call(ledger, n + 1))
    const reads = Array.from({ length: 30 }, (_, n) => ledger.calls.facts(callId(n + 1)))
    await Promise.all([...calls, ...reads])
    expect((await connections(admin)).length).toBeLessThanOrEqual(3)
  })
})

/** A session counts what it has read when it ends, which is a moment after its client has left. */
async function sessionsCounted(admin: pg.Client): Promise<void> {
  const open = `select from pg_stat_activity where application_name like 'proviso%' and datname = current_database()`
  await expect.poll(async () => (await admin.query(open)).rowCount).toBe(0)
}

it('ends an attempt without reading all others that are pending, after all that the planner has learnt', async () => {
  const url = await databases.fresh()
  const admin = new pg.Client(url)
  await admin.connect()
  const read = async () => {
    const { rows } = await admin.query<{ read: string }>(
      `select idx_tup_read as read from pg_stat_user_indexes where indexrelname = 'idempotency_keys_pending_idx'`,
    )
    return Number(rows[0]?.read)
  }
  const pending = 500
  const filling = await postgres(url)
  await Promise.all(Array.from({ length: pending }, (_, n) => filling.operations.admit(fresh(n + 1))))
  await filling.close()
  await admin.query('analyze proviso.idempotency_keys')
  const before = await read()
  const ledger = await postgres(url)
  for (let n = 1; n <= 20; n++) expect(await call(ledger, pending + n)).toBe('admitted settled')
  expect(new Set(await Promise.all(Array.from({ length: 40 }, (_, n) => call(ledger, pending + 100 + n))))).toEqual(
    new Set(['admitted settled']),
  )
  // A connection that ends says what it has read.
  await ledger.close()
  await sessionsCounted(admin)
  await admin.query('select pg_stat_clear_snapshot()')
  expect((await read()) - before).toBeLessThan(pending)
  await admin.end()
})

it('resolves what is held without reading all that ever was', async () => {
  const url = await databases.fresh()
  const admin = new pg.Client(url)
  await admin.connect()
  const read = async () => {
    const { rows } = await admin.query<{ read: string }>(
      `select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_user_tables where relname = 'idempotency_keys'`,
    )
    return Number(rows[0]?.read)
  }
  const ended = 300
  const filling = await postgres(url)
  await filling.operations.admit(admission())
  await settleOn(filling, unknown)
  for (let n = 1; n <= ended; n++) expect(await call(filling, n + 10)).toBe('admitted settled')
  await filling.close()
  await sessionsCounted(admin)
  await admin.query('vacuum (analyze) proviso.idempotency_keys')
  const before = await read()
  const ledger = await postgres(url)
  const said = { tenant: 'acme', effect: 'happened', by: 'ann', why: 'seen', quorum: 1 } as const
  expect(await ledger.operations.resolve({ ...said, callId: one })).toMatchObject({ kind: 'resolved' })
  await ledger.close()
  await sessionsCounted(admin)
  await admin.query('select pg_stat_clear_snapshot()')
  expect((await read()) - before).toBeLessThan(ended / 10)
  await admin.end()
})

it('keeps nothing of what it has sent until the answer', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const url = await databases.fresh()
  const blocker = new pg.Client(url)
  await blocker.connect()
  await blocker.query('select pg_advisory_lock(1)')
  const database = openDatabase({ connectionString: url, max: 1 })
  /** In a function of its own: what it had at hand is gone when it returns. */
  const send = () => {
    const values = [Buffer.alloc(1_000)]
    const text = 'select pg_advisory_lock(1), $1::bytea'
    return { kept: new WeakRef(values), written: database.change('locking', values, text) }
  }
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`
  const { kept, written } = send()
  try {
    await expect.poll(async () => (await blocker.query(waits)).rowCount).toBe(1)
    await expect
      .poll(() => {
        collect()
        // Not the values themselves: a comparison would keep them.
        return kept.deref() === undefined
      })
      .toBe(true)
  } finally {
    await blocker.end()
  }
  expect(await written).toBe(1)
  await database.end()
})

it('does not spin the event loop while a lone call waits', async () => {
  const ledger = await postgres(await databases.fresh())
  const turns = vi.spyOn(globalThis, 'setImmediate')
  const calls = 20
  try {
    for (let n = 1; n <= calls; n++) expect(await call(ledger, n)).toBe('admitted settled')
    // A loop that looks at its sockets by itself took five turns and more for each of the two statements of a call.
    expect(turns.mock.calls.length).toBeLessThan(2 * calls)
  } finally {
    turns.mockRestore()
    await ledger.close()
  }
})

it('goes on after a statement was refused and after its connection was lost', async () => {
  const database = openDatabase({ connectionString: await databases.fresh(), max: 2 })
  const change = (text: string) => database.change(text, [], text).catch((error: Error) => error.message)
  await change('create table kept (id integer primary key)')
  expect(await change('insert into kept values (1)')).toBe(1)
  expect(await change('insert into kept values (1)')).toContain('duplicate key')
  expect(await change('do $$ begin perform pg_terminate_backend(pg_backend_pid()); end $$')).toContain('terminat')
  expect(await change('insert into kept values (2)')).toBe(1)
  expect(await Promise.all([change('select 1'), change('insert into kept values (3)')])).toEqual([1, 1])
  expect(await change('insert into kept values (4)')).toBe(1)
  await database.end()
})
