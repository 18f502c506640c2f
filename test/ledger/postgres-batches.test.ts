// Calls that share a statement share nothing else: what the database refuses for one of them hurts no other.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { CallRecord } from '../../src/ledger/ports/calls.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import type { AdmitRequest } from '../../src/ledger/ports/operations.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { compareNames } from '../../src/ledger/rules/names.ts'
import { waiting } from '../audit/two-processes.ts'
import { type Databases, startDatabases } from './databases.ts'
import {
  callId,
  callRecord,
  claim,
  endOn,
  entryOf,
  fact,
  distinct as narrow,
  settlement,
  slot,
  slotAt,
  type ways,
} from './requests.ts'

let databases: Databases
let ledger: Ledger
let admin: pg.Client
let url: string
let numbers = 0

beforeAll(async () => {
  databases = await startDatabases()
  url = await databases.fresh()
  ledger = await postgres(url)
  admin = new pg.Client(url)
  await admin.connect()
}, 60_000)

afterAll(async () => {
  await ledger.close()
  await admin.end()
  await databases.end()
}, 60_000)

/** With room for all the calls of this file. */
const distinct = (number: number, change: Partial<AdmitRequest> = {}) =>
  narrow(number, {
    rate: { scope: 'tool', windowMs: 1_000, max: 100_000 },
    claims: [claim(100_000)],
    ...change,
  })
const take = (count: number) => Array.from({ length: count }, () => ++numbers)
const good = 20

interface Poison {
  readonly name: string
  readonly call?: Partial<CallRecord>
  readonly admit?: Partial<AdmitRequest>
  /** What is odd, but can be kept. */
  readonly fits?: true
}

const noUuid: Poison = { name: 'an id that is no UUID', call: { id: 'no uuid' }, admit: { callId: 'no uuid' } }

const poisons: readonly Poison[] = [
  noUuid,
  { name: 'a NUL in its run', call: { key: { ...callRecord().key, run: 'a\u0000b' } }, fits: true },
  { name: 'a NUL in the name of its tool', call: { key: { ...callRecord().key, tool: 'a\u0000b' } }, fits: true },
  {
    name: 'a lone surrogate in the name of its tool',
    call: { key: { ...callRecord().key, tool: '\ud800' } },
    fits: true,
  },
  { name: 'arguments of 50 MB', call: { argumentText: 'x'.repeat(50_000_000) }, fits: true },
]

function poisoned({ call, admit }: Poison, number: number): AdmitRequest {
  const clean = distinct(number)
  const known = clean.entry?.call ?? callRecord()
  const key = { ...(call?.key ?? known.key), providerCallId: `p${number}` }
  return { ...clean, entry: entryOf({ ...known, ...call, key }, { facts: [fact({ callId: clean.callId })] }), ...admit }
}

describe('twenty calls stand beside one that has', () => {
  for (const poison of poisons) {
    it(`${poison.name}: all are admitted, and it stands alone`, async () => {
      const numbersOf = take(good + 1)
      const bad = numbersOf[9] ?? 0
      const requests = numbersOf.map((n) => (n === bad ? poisoned(poison, n) : distinct(n)))
      const ends = await Promise.allSettled(requests.map((request) => ledger.operations.admit(request)))
      const others = ends.filter((_, index) => index !== 9)
      expect(others.map((end) => end.status === 'fulfilled' && end.value.kind)).toEqual(others.map(() => 'admitted'))
      expect(ends[9]?.status).toBe(poison.fits === true ? 'fulfilled' : 'rejected')
      expect((await slotAt(ledger, `slot-${bad}`))?.status).toBe(poison.fits === true ? 'PENDING' : undefined)
      if (poison.fits === true) {
        const kept = await ledger.calls.get(callId(bad))
        expect(kept?.argumentText.length).toBe(requests[9]?.entry?.call.argumentText.length)
        expect(kept?.key.tool).toBe(requests[9]?.entry?.call.key.tool)
      }
    })

    it(`${poison.name}: all are settled, and it stands alone`, async () => {
      const numbersOf = take(good + 1)
      await Promise.all(numbersOf.map((n) => ledger.operations.admit(distinct(n))))
      const ends = await Promise.allSettled(
        numbersOf.map((n, index) => {
          const settle = settlement({ callId: callId(n), slotKey: `slot-${n}` })
          const record = index === 9 ? { id: callId(n), ...poison.call } : { id: callId(n) }
          return ledger.operations.record(entryOf(record, { settle, facts: [fact({ callId: callId(n) })] }))
        }),
      )
      const others = ends.filter((_, index) => index !== 9)
      expect(others.map((end) => end.status === 'fulfilled' && end.value)).toEqual(others.map(() => 'settled'))
      expect(ends[9]?.status).toBe(poison.fits === true ? 'fulfilled' : 'rejected')
    })
  }

  it('a request hash that is none: all are admitted, and it stands alone [batch-hurts-nobody]', async () => {
    const numbersOf = take(good + 1)
    const ends = await Promise.allSettled(
      numbersOf.map((n, index) =>
        ledger.operations.admit(
          index === 9 ? distinct(n, { slot: slot({ key: `slot-${n}`, requestHash: 'no hash' }) }) : distinct(n),
        ),
      ),
    )
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    expect(ends[9]?.status).toBe('rejected')
  })

  it('a NUL in the slot it looks up: all are read, and it stands alone', async () => {
    const key = callRecord().key
    const ends = await Promise.allSettled(
      take(good + 1).map((n, index) =>
        ledger.operations.lookUp({
          key,
          slot: { key: index === 9 ? 'a\u0000' : `slot-${n}`, providerCallId: undefined },
        }),
      ),
    )
    expect(ends.map(({ status }) => status)).toEqual(ends.map((_, index) => (index === 9 ? 'rejected' : 'fulfilled')))
  })
})

it('counts only the good ones against their budget, also when their batch had to be split', async () => {
  const numbersOf = take(good + 1)
  const claims = [claim(100, { name: 'budget:write:split' })]
  await Promise.allSettled(
    numbersOf.map((n, index) =>
      ledger.operations.admit({ ...(index === 9 ? poisoned(noUuid, n) : distinct(n)), claims }),
    ),
  )
  const { rows } = await admin.query('select used from proviso.counters where name = $1', ['budget:write:split'])
  expect(rows).toEqual([{ used: String(good) }])
})

it('admits one of two equal operations that come in one turn, and tells the other of it [concurrent-duplicates-once]', async () => {
  const [a = 0, b = 0] = take(2)
  const both = await Promise.all([
    ledger.operations.admit(distinct(a, { slot: slot({ key: 'twins', providerCallId: 'pa' }) })),
    ledger.operations.admit(distinct(b, { slot: slot({ key: 'twins', providerCallId: 'pb' }) })),
  ])
  expect(both.map(({ kind }) => kind).sort()).toEqual(['admitted', 'slot'])
  const admitted = both[0]?.kind === 'admitted' ? a : b
  const told = both.find(({ kind }) => kind === 'slot')
  expect(told).toMatchObject({ record: { callId: callId(admitted), status: 'PENDING' } })
})

it('admits the same request once when it is sent twice in one turn', async () => {
  const [n = 0] = take(1)
  const request = distinct(n, { claims: [claim(1, { name: 'budget:write:twice' })] })
  const both = await Promise.all([ledger.operations.admit(request), ledger.operations.admit(request)])
  expect(both[0]).toMatchObject({ kind: 'admitted', attempt: 1 })
  expect(both[1]).toEqual(both[0])
})

it('shares a statement among calls of different tenants, and keeps each to its own', async () => {
  const numbersOf = take(good)
  const requests = numbersOf.map((n) => {
    const tenant = `tenant-${n % 4}`
    return distinct(n, { tenant, slot: slot({ tenant, key: 'shared' }) })
  })
  const ends = await Promise.all(requests.map((request) => ledger.operations.admit(request)))
  expect(ends.filter(({ kind }) => kind === 'admitted')).toHaveLength(4)
  const read = await Promise.all(
    requests.map(({ tenant }) =>
      ledger.operations.lookUp({
        key: { ...callRecord().key, tenant },
        slot: { key: 'shared', providerCallId: undefined },
      }),
    ),
  )
  expect(read.map(({ slot: reading }) => reading?.record?.tenant)).toEqual(requests.map(({ tenant }) => tenant))
})

it('takes as many calls at once as come', async () => {
  const ends = await Promise.all(take(1_000).map((n) => ledger.operations.admit(distinct(n))))
  expect(ends.filter(({ kind }) => kind === 'admitted')).toHaveLength(1_000)
})

it('counts in the window of the time it was admitted at, though it waited for the counter beyond the edge', async () => {
  const windowMs = 1_000
  const [a = 0, b = 0] = take(2)
  const claims = [claim(100, { name: 'budget:edge', windowMs })]
  const rate = { scope: 'tool', windowMs: 86_400_000, max: 1_000_000 }
  await ledger.operations.admit(distinct(a, { claims, rate, unseen: true }))
  await admin.query('begin')
  await admin.query(`select 1 from proviso.counters where name = 'budget:edge' for update`)
  const admitting = ledger.operations.admit(distinct(b, { claims, rate, unseen: true }))
  await new Promise((resolve) => setTimeout(resolve, windowMs + 100))
  await admin.query('commit')
  expect(await admitting).toMatchObject({ kind: 'admitted' })
  // What it gives back, should it have had no effect, goes to the window of that time.
  const { rows } = await admin.query(
    `select c.window_from = to_timestamp(floor(extract(epoch from k.admitted_at))) as same
     from proviso.counters c cross join proviso.idempotency_keys k where c.name = 'budget:edge' and k.slot_key = $1`,
    [`slot-${b}`],
  )
  expect(rows).toEqual([{ same: true }])
})

it('takes the rows of slots in one order, for every order of the batch and every statement that writes', async () => {
  const holder = new pg.Client(url)
  await holder.connect()
  onTestFinished(() => holder.end())
  const [low, high] = take(2).map((number) => ({ number, key: `order-${number}` })) as [Named, Named]
  const admissions = [low, high].map(({ number, key }) =>
    distinct(number, { unseen: true, slot: slot({ key, providerCallId: `p${number}` }) }),
  )
  for (const request of admissions) expect(await ledger.operations.admit(request)).toMatchObject({ kind: 'admitted' })
  const keyOf = (number: number) => ({ ...callRecord().key, providerCallId: `p${number}` })
  const ends = [low, high].map(({ number, key }, index) => {
    const id = callId(number)
    const settle = settlement({ callId: id, slotKey: key, nonce: admissions[index]?.nonce ?? '' })
    return entryOf({ id, key: keyOf(number) }, { settle })
  })
  const notes = [low, high].map(({ key }) => {
    const [number = 0] = take(1)
    const seen = { slotKey: key, generation: 1, providerCallId: `p${number}` }
    return entryOf({ id: callId(number), key: keyOf(number) }, { seen })
  })
  // A plain statement writes the first two, and the function the others.
  for (const entries of [ends, notes]) {
    await holder.query('begin')
    await holder.query('select 1 from proviso.idempotency_keys where slot_key = $1 for update', [low.key])
    const written = Promise.all(entries.toReversed().map((entry) => ledger.operations.record(entry)))
    await expect.poll(() => waiting(admin)).toBe(1)
    await admin.query('select 1 from proviso.idempotency_keys where slot_key = $1 for update nowait', [high.key])
    await holder.query('commit')
    expect(await written).toEqual(['settled', 'settled'])
  }
})

it('writes what the suite of all engines sends by plain statements the short way, and by functions the long way', async () => {
  const rowsOf = async (way: (typeof ways)[number]) => {
    const own = await databases.fresh()
    const ledger = await postgres(own)
    expect((await endOn(ledger, way, { facts: [fact({ seq: 2 })] })).settlement).toBe('settled')
    await ledger.close()
    const client = new pg.Client(own)
    await client.connect()
    const count =
      'select (select count(*)::int from proviso.facts) as facts, (select count(*)::int from proviso.call_keys) as keys'
    const { rows } = await client.query<{ facts: number; keys: number }>(count)
    await client.end()
    return rows[0]
  }
  // Only the functions write the key of a call; only the plain end puts its facts into the row of its admission's.
  expect([await rowsOf('short'), await rowsOf('long')]).toEqual([
    { facts: 1, keys: 0 },
    { facts: 2, keys: 1 },
  ])
})

interface Named {
  readonly number: number
  readonly key: string
}

it('takes names in the order in which the database takes them', async () => {
  const names = [
    'a',
    'b',
    'B',
    '',
    'a\u00e9',
    '\ue000',
    '\ufffd',
    '\u{1F600}',
    'a\u{1F600}',
    'a\ufffd',
    '\ud7ff',
    'z',
  ].sort(compareNames)
  const { rows } = await admin.query<{ name: string }>(
    'select name from unnest($1::text[]) u (name) order by name collate "C"',
    [names.toReversed()],
  )
  expect(rows.map(({ name }) => name)).toEqual(names)
})
