// How a ledger and a Proviso come to their end: what is under way ends, what comes later is refused by name, and closing twice is closing.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { defineTool, openProviso } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import type { AdmitRequest } from '../../src/ledger/ports/operations.ts'
import { openDatabase } from '../../src/ledger/postgres/driver/database.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { asTools } from './databases.ts'
import { databasesOfFile } from './databases-of-file.ts'
import { admission, callId, claim, distinct, entryOf, settlement, slot } from './requests.ts'

const databases = databasesOfFile()

const engines: readonly (readonly [string, () => Promise<Ledger>])[] = [
  ['memory', async () => memory()],
  ['Postgres', async () => postgres(await databases.fresh(), { connections: 3 })],
]

/** What came of it; one that throws at once has failed like one that does later. */
const came = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work()
  } catch (error) {
    return error
  }
}

for (const [name, open] of engines) {
  it(`${name} is closed once, however often it is told to`, async () => {
    const ledger = await open()
    const first = ledger.close()
    expect(ledger.close()).toBe(first)
    await first
    await ledger.close()
  })

  it(`${name} ends what is under way when it is closed, and refuses by name what comes later [closing-waits]`, async () => {
    const ledger = await open()
    const admitted = admission({ slot: slot() })
    await ledger.operations.admit(admitted)
    const { operations, calls, limits, runs } = ledger
    const underWay = [
      operations.record(entryOf({}, { settle: settlement({ nonce: admitted.nonce }) })),
      ...Array.from({ length: 40 }, (_, n) => operations.admit(distinct(n + 10))),
      ...Array.from({ length: 20 }, (_, n) => calls.facts(callId(n + 10))),
      ...Array.from({ length: 20 }, () => limits.balances('acme', [claim(10)])),
      ...Array.from({ length: 20 }, () => runs.addLabels('acme', 'run-1', ['untrusted'])),
    ]
    const closing = ledger.close()
    const refused = came(() => operations.admit(distinct(90)))
    const ends = await Promise.all(underWay)
    expect(ends[0]).toBe('settled')
    expect(ends.slice(1, 41).map((end) => (end as { kind: string }).kind)).toEqual(Array(40).fill('admitted'))
    await closing
    for (const error of [
      await refused,
      await came(() => operations.admit(distinct(91))),
      await came(() => calls.list({})),
      await came(() => runs.labels('acme', 'run-1')),
    ]) {
      expect(error).toMatchObject({ name: 'Fault', code: 'closed' })
      expect(String(error)).toContain('The ledger is closed')
    }
    expect(operations.mayAct(admitted.nonce)).toBe(false)
  })
}

it('a call of several statements ends as a whole when the ledger is closed between them', async () => {
  const url = await databases.fresh()
  const ledger = await postgres(url, { connections: 1 })
  // One connection: each of these waits for the one before.
  const labels = Array.from({ length: 10 }, (_, n) => ledger.runs.addLabels('acme', `run-${n}`, ['secret'], 'parent'))
  const reads = Array.from({ length: 10 }, () => ledger.calls.get(callId(1), 'acme'))
  await ledger.close()
  expect(await Promise.all(labels)).toEqual(Array(10).fill(['secret']))
  expect(await Promise.all(reads)).toEqual(Array(10).fill(undefined))
})

it('does not wait for ever for a statement that does not end', async () => {
  const url = await databases.fresh()
  const blocker = new pg.Client(url)
  await blocker.connect()
  onTestFinished(() => blocker.end())
  const ledger = await postgres(url, { connections: 2, patienceMs: 200, answerMs: 0 })
  await blocker.query('begin; lock table proviso.idempotency_keys in access exclusive mode')
  const stuck = came(() => ledger.operations.admit(distinct(1)))
  const waiting = Array.from({ length: 5 }, () => came(() => ledger.calls.list({})))
  await expect
    .poll(async () => (await blocker.query(`select from pg_locks where not granted`)).rowCount)
    .toBeGreaterThan(0)
  await ledger.close()
  for (const end of [await stuck, ...(await Promise.all(waiting))]) expect(end).toBeInstanceOf(Error)
})

it('a transaction that is open may still be committed while the ledger closes, and is undone where it is not', async () => {
  const url = await databases.fresh()
  const admin = new pg.Client(url)
  await admin.connect()
  onTestFinished(() => admin.end())
  const ledger = await postgres(url, { ...asTools(url), connections: 3, patienceMs: 1_000 })
  await admin.query('create table public.notes (note text); grant insert on public.notes to proviso_tools')
  const begin = ledger.operations.begin ?? (() => Promise.reject(new Error('It has none.')))
  const nonces = [1, 2].map((n) => distinct(n))
  for (const request of nonces) await ledger.operations.admit(request)
  const attemptOf = ({ slot, nonce }: AdmitRequest) => ({ slotKey: slot?.key ?? '', generation: 1, nonce })
  const [kept, left] = await Promise.all(nonces.map((request) => begin('acme', attemptOf(request))))
  if (kept === undefined || left === undefined) throw new Error('Two transactions were to begin.')
  await kept.query("insert into notes values ('kept')")
  await left.query("insert into notes values ('left')")
  const closing = ledger.close()
  const [first] = nonces
  const settle = settlement({ callId: first?.callId ?? '', slotKey: first?.slot?.key ?? '', nonce: first?.nonce ?? '' })
  expect(await kept.commit(entryOf({ id: first?.callId ?? '' }, { settle }))).toBe('settled')
  await closing
  expect((await admin.query('select note from public.notes')).rows).toEqual([{ note: 'kept' }])
  // What is cut off is undone by the server as soon as it hears of it.
  await expect
    .poll(async () => (await admin.query(`select from pg_stat_activity where state like 'idle in tr%'`)).rowCount)
    .toBe(0)
  await expect(left.query('select 1')).rejects.toThrow()
})

it('connections end once, however often that is asked for', async () => {
  const database = openDatabase({ connectionString: await databases.fresh(), max: 1 })
  const first = database.end()
  expect(database.end()).toBe(first)
  await first
  expect(await came(() => database.run('labels', ['acme', 'run-1']))).toMatchObject({ code: 'closed' })
  expect(await came(() => database.transaction(async () => 1))).toMatchObject({ code: 'closed' })
  expect(await came(() => database.session())).toMatchObject({ code: 'closed' })
})

it('a Proviso waits for its calls when it is closed, and closing it twice is closing it [closing-waits]', async () => {
  let ended = false
  let started = () => {}
  const starts = new Promise<void>((resolve) => {
    started = resolve
  })
  const slow = defineTool({
    name: 'slow_v1',
    description: 'Takes a moment.',
    effect: 'MEDIUM_RISK_WRITE',
    input: { type: 'object', additionalProperties: false },
    async execute() {
      started()
      await sleep(100)
      ended = true
      return { ok: true }
    },
  })
  const url = await databases.fresh()
  const faults: unknown[] = []
  const proviso = await openProviso({
    ledger: await postgres(url),
    tools: [slow],
    onFault: (fault) => void faults.push(fault),
  })
  const answering = proviso.call({ tool: 'slow_v1', arguments: {} }, { tenant: 'acme', run: 'run-1' })
  await starts
  const closing = proviso.close()
  expect(proviso.close()).toBe(closing)
  await closing
  expect(ended).toBe(true)
  expect((await answering).effect).toBe('happened')
  expect(faults).toEqual([])
  const later = await postgres(url)
  onTestFinished(async () => later.close())
  expect(await later.calls.list({})).toMatchObject([{ status: 'SUCCESS', effect: 'happened' }])
})
