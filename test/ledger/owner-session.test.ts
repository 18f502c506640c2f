// The session of a process under a network and a host that do their worst: it is held when it is said to be, found again when it was lost,
// and gone when the ledger is closed.
import { randomUUID } from 'node:crypto'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { manualClock, systemClock } from '../../src/json/clock.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import { type Database, openDatabase } from '../../src/ledger/postgres/driver/database.ts'
import type { PostgresOptions } from '../../src/ledger/postgres/options.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { createReadings } from '../../src/ledger/postgres/read/look-up.ts'
import type { StoreWork } from '../../src/ledger/postgres/work.ts'
import { createLeases } from '../../src/ledger/postgres/write/leases.ts'
import { createOperations } from '../../src/ledger/postgres/write/operations.ts'
import { openOwner, unseenOwner } from '../../src/ledger/postgres/write/owner.ts'
import { createRunKeys } from '../../src/ledger/postgres/write/run-keys.ts'
import { laterBy } from './databases.ts'
import { databasesOfFile } from './databases-of-file.ts'
import { poolerTo } from './pooler.ts'
import { admission, distinct, retryable, settleOn, slot, slotAt } from './requests.ts'

const databases = databasesOfFile()

async function open(url: string, options: PostgresOptions = {}): Promise<Ledger> {
  const ledger = await postgres(url, { connections: 2, ...options })
  onTestFinished(async () => ledger.close())
  return ledger
}

async function adminOf(url: string): Promise<pg.Client> {
  const admin = new pg.Client(url)
  await admin.connect()
  onTestFinished(() => admin.end())
  return admin
}

const ownersOf = async (admin: pg.Client): Promise<readonly number[]> => {
  const { rows } = await admin.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'proviso owner' and datname = current_database()`,
  )
  return rows.map(({ pid }) => pid)
}

const endOwners = (admin: pg.Client) =>
  admin.query(
    `select pg_terminate_backend(pid, 1000) from pg_stat_activity
     where application_name = 'proviso owner' and datname = current_database()`,
  )

interface Network {
  readonly url: string
  /** The client's side of every connection ends; the server hears nothing of it. */
  cut(): void
  /** From now on none comes through. */
  shut(): void
  /** From now on nothing arrives on what is connected, in either direction. */
  swallow(): void
}

/** A network of our own between a process and the server. */
async function networkTo(url: string): Promise<Network> {
  const { hostname, pathname, username } = new URL(url)
  const path = `${decodeURIComponent(hostname)}/.s.PGSQL.5432`
  const wires: { readonly near: net.Socket; readonly far: net.Socket; carries: boolean }[] = []
  const server = net.createServer({ allowHalfOpen: true }, (near) => {
    const far = net.connect({ path, allowHalfOpen: true })
    const wire = { near, far, carries: true }
    wires.push(wire)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => undefined)
      from.on('data', (bytes) => wire.carries && to.write(bytes))
      from.on('end', () => wire.carries && to.end())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    for (const { near, far } of wires) for (const end of [near, far]) end.destroy()
  })
  const { port } = server.address() as net.AddressInfo
  const swallow = () => {
    for (const wire of wires) wire.carries = false
  }
  const cut = () => {
    swallow()
    for (const { near } of wires) near.destroy()
  }
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}?sslmode=disable`,
    swallow,
    cut,
    /** From now on none comes through. */
    shut() {
      server.close()
      cut()
    },
  }
}

it('a process that stays without its session says so, once', async () => {
  const network = await networkTo(await databases.fresh())
  const faults: string[] = []
  const onFault = (fault: unknown) => void faults.push(String(fault))
  const ledger = await open(network.url, { onFault })
  network.shut()
  await expect.poll(() => faults, { timeout: 15_000 }).not.toEqual([])
  await sleep(3_000)
  expect(faults.filter((fault) => fault.includes('has lost its session'))).toHaveLength(1)
  await ledger.close()
}, 30_000)

it('a process whose network was cut acts again, though the server has not heard that its session is gone', async () => {
  const url = await databases.fresh()
  const admin = await adminOf(url)
  const network = await networkTo(url)
  const ledger = await open(network.url)
  const before = await ownersOf(admin)
  network.cut()
  const request = distinct(1)
  await expect.poll(async () => (await ledger.operations.admit(request)).kind).toBe('admitted')
  await expect.poll(() => ledger.operations.mayAct(request.nonce), { timeout: 10_000 }).toBe(true)
  const after = await ownersOf(admin)
  expect(after).toHaveLength(1)
  expect(after).not.toEqual(before)
}, 20_000)

it('a ledger closes though its server has fallen silent', async () => {
  const network = await networkTo(await databases.fresh())
  const ledger = await postgres(network.url, { connections: 2, answerMs: 500, patienceMs: 500 })
  network.swallow()
  await ledger.close()
})

it('a session that ends while it is looked at does not count as held', async () => {
  const url = await databases.fresh()
  const admin = await adminOf(url)
  const database = openDatabase({ connectionString: url, max: 2 })
  onTestFinished(() => database.end())
  let times = 0
  const cutFrom = (first: number): Database => ({
    ...database,
    async transaction(work) {
      const result = await database.transaction(work)
      if (++times >= first && times < first + 2) {
        await endOwners(admin)
        // Until this process has heard of it.
        await sleep(50)
      }
      return result
    },
  })
  await expect(openOwner(cutFrom(1), randomUUID(), () => undefined)).rejects.toThrow('has ended')
  times = 0
  const owner = await openOwner(cutFrom(2), randomUUID(), () => undefined)
  onTestFinished(() => owner.close())
  const told: boolean[] = []
  owner.onChange((isHeld) => void told.push(isHeld))
  await endOwners(admin)
  await expect.poll(() => times).toBeGreaterThan(3)
  await expect.poll(() => owner.isHeld()).toBe(true)
  expect(told).toEqual([false, true])
  expect(await ownersOf(admin)).toHaveLength(1)
})

it('a ledger that is closed while it looks for its session looks no more', async () => {
  const url = await databases.fresh()
  const admin = await adminOf(url)
  const database = openDatabase({ connectionString: url, max: 2 })
  let sessions = 0
  let goOn = () => {}
  const waits = new Promise<void>((resolve) => {
    goOn = resolve
  })
  let isLooking = false
  const slow: Database = {
    ...database,
    session() {
      sessions++
      return database.session()
    },
    async transaction(work) {
      if (sessions > 1) {
        isLooking = true
        await waits
      }
      return database.transaction(work)
    },
  }
  const owner = await openOwner(slow, randomUUID(), () => undefined)
  await endOwners(admin)
  await expect.poll(() => isLooking).toBe(true)
  await owner.close()
  await database.end()
  goOn()
  // Longer than it would have waited before another try.
  await sleep(500)
  expect(sessions).toBe(2)
  expect(await ownersOf(admin)).toEqual([])
})

it('what refuses to open leaves no session behind', async () => {
  const url = await databases.fresh()
  const admin = await adminOf(url)
  let asked = 0
  const broken = () => {
    asked++
    throw new Error('no time')
  }
  const opening = postgres(url, { connections: 1, clock: { now: broken, monotonic: broken } })
  await expect(opening).rejects.toThrow('no time')
  expect(asked).toBeGreaterThan(0)
  await expect.poll(() => ownersOf(admin)).toEqual([])
})

it('an owner whose session may not be ended counts as alive', async () => {
  const url = await databases.empty()
  const admin = await adminOf(url)
  await admin.query(`create role finder login createrole; grant create on database ${new URL(url).pathname.slice(1)} to finder;
    do $$ begin create role proviso_reader nologin; exception when duplicate_object then null; end $$;
    grant proviso_reader to finder with admin option`)
  const finder = await open(url, { driver: { options: '-c role=finder' } })
  // Of the server's first role, which no other may cut off.
  const ledger = await open(url)
  await ledger.operations.admit(admission({ slot: slot() }))
  const record = await slotAt(finder)
  if (record === undefined) throw new Error('There is no slot.')
  await admin.query('update proviso.idempotency_keys set look_after = proviso.clock()')
  expect(await finder.operations.claim({ contracts: [record.contractHash], limit: 1, forMs: 60_000 })).toHaveLength(1)
  expect(await finder.operations.fence(record)).toBe('alive')
})

it('who was cut off after its lease does nothing more, also where the clock is set back then [sleeping-owners-are-cut-off]', async () => {
  const url = await databases.fresh()
  const ledger = await open(url)
  const request = admission({ slot: slot() })
  await ledger.operations.admit(request)
  expect(ledger.operations.mayAct(request.nonce)).toBe(true)
  // On a server whose clock is ahead the lease is over; the owner is renewed by one whose clock is not.
  const ahead = await open(url, laterBy(3_600_000))
  const [claim] = await ahead.operations.claim({ contracts: [], limit: 1, forMs: 60_000 })
  if (claim === undefined) throw new Error('Nothing was claimed.')
  expect(await ahead.operations.fence(claim.slot)).toBe('fenced')
  await expect.poll(() => ledger.operations.mayAct(request.nonce)).toBe(false)
  const next = distinct(2)
  await ledger.operations.admit(next)
  // Its session is there again, and has asked.
  await expect.poll(() => ledger.operations.mayAct(next.nonce)).toBe(true)
  for (let times = 0; times < 100; times++) {
    expect(ledger.operations.mayAct(request.nonce)).toBe(false)
    await sleep(1)
  }
})

it('the attempt after one that was looked at is renewed like any other', async () => {
  const url = await databases.fresh()
  const admin = await adminOf(url)
  const ledger = await open(url, { leaseMs: 500 })
  const other = await open(url)
  const first = admission({ slot: slot() })
  await ledger.operations.admit(first)
  await admin.query('update proviso.idempotency_keys set look_after = proviso.clock()')
  expect(
    await other.operations.claim({ contracts: [first.entry?.call.contractHash ?? ''], limit: 1, forMs: 60_000 }),
  ).toHaveLength(1)
  await settleOn(ledger, { ...retryable, nonce: first.nonce })
  const second = admission({ slot: slot() })
  expect(await ledger.operations.admit(second)).toMatchObject({ kind: 'admitted', attempt: 2 })
  const until = performance.now() + 1_500
  while (performance.now() < until) {
    expect(ledger.operations.mayAct(second.nonce)).toBe(true)
    await sleep(10)
  }
})

it('a renewal that was sent before the session was lost confirms nothing after it', async () => {
  const url = await databases.fresh()
  const ledger = await open(url)
  const request = admission({ slot: slot() })
  const admitted = await ledger.operations.admit(request)
  if (admitted.kind !== 'admitted') throw new Error(admitted.kind)
  const database = openDatabase({ connectionString: url, max: 2 })
  onTestFinished(() => database.end())
  let arrives = () => {}
  let answers = 0
  const slow: Database = {
    ...database,
    async run(...query) {
      const rows = await database.run<never>(...query)
      if (++answers === 1)
        await new Promise<void>((resolve) => {
          arrives = resolve
        })
      return rows
    },
  }
  let isHeld = true
  const leases = createLeases({ database: slow, clock: systemClock, leaseMs: 60_000, isHeld: () => isHeld })
  onTestFinished(() => leases.close())
  await leases.begin(request, admitted, leases.askMoment(), undefined)
  leases.confirm()
  await expect.poll(() => answers).toBe(1)
  isHeld = false
  leases.doubt()
  // Its clock has stepped: by now the database has given the attempt to another.
  const admin = await adminOf(url)
  await admin.query('update proviso.idempotency_keys set lease_until = proviso.clock()')
  arrives()
  isHeld = true
  leases.confirm()
  await expect.poll(() => answers).toBe(2)
  await sleep(0)
  expect(leases.mayAct(request.nonce)).toBe(false)
})

/** A process whose clocks stand still, and whose admissions are done and not answered before `arrives` is called. */
async function slowProcess(url: string) {
  const database = openDatabase({ connectionString: url, max: 4 })
  onTestFinished(() => database.end())
  let arrives = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrives = resolve
  })
  const late = async <T>(name: string, answer: Promise<T>): Promise<T> => {
    const said = await answer
    if (name.startsWith('admit')) await arrived
    return said
  }
  const slow: Database = {
    ...database,
    run: (name, ...query) => late(name, database.run(name, ...query)),
    change: (name, ...query) => late(name, database.change(name, ...query)),
  }
  const writer = randomUUID()
  const owner = await openOwner(database, writer, () => undefined)
  onTestFinished(() => owner.close())
  const clock = manualClock()
  const times = { clock, leaseMs: 15_000, patienceMs: 1_000 }
  const work: StoreWork = { database: slow, ...times, writer, report: () => undefined, runKeys: createRunKeys() }
  const operations = createOperations(work, { readings: createReadings(work), owner, tools: undefined })
  onTestFinished(() => operations.close())
  return { operations, owner, arrives: () => arrives() }
}

it.each([
  ['cut off meanwhile does nothing', true],
  ['without its session for a moment goes on', false],
])('whose admission was answered after its session was lost: one that was %s', async (_what, isCutOff) => {
  const url = await databases.fresh()
  const admin = await adminOf(url)
  const { operations, owner, arrives } = await slowProcess(url)
  const [before] = await ownersOf(admin)
  const request = admission({ slot: slot() })
  const admitting = operations.admit(request)
  const finder = await open(url, isCutOff ? laterBy(3_600_000) : {})
  await expect.poll(async () => (await slotAt(finder))?.status).toBe('PENDING')
  if (isCutOff) {
    const [claim] = await finder.operations.claim({ contracts: [], limit: 1, forMs: 60_000 })
    if (claim === undefined) throw new Error('Nothing was claimed.')
    expect(await finder.operations.fence(claim.slot)).toBe('fenced')
  } else await admin.query('select pg_terminate_backend($1, 1000)', [before])
  // Another one of its own, beside that of the finder: it has heard that the one before is gone.
  await expect
    .poll(async () => (await ownersOf(admin)).filter((pid) => pid !== before), { timeout: 5_000 })
    .toHaveLength(2)
  await expect.poll(() => owner.isHeld()).toBe(true)
  arrives()
  expect(await admitting).toMatchObject({ kind: 'admitted' })
  expect(operations.mayAct(request.nonce)).toBe(!isCutOff)
})

it.each([
  { servers: 2, choice: 'the last one' },
  { servers: 2, choice: 'the first one' },
  { servers: 3, choice: 'the first one' },
  { servers: 2, choice: 'any' },
  { servers: 3, choice: 'any' },
] as const)(
  'behind a pooler in transaction mode there are no sessions, which is said: of $servers servers, $choice',
  async (pool) => {
    const url = await databases.fresh()
    const admin = await adminOf(url)
    for (let times = 0; times < 10; times++) {
      const database = openDatabase({ connectionString: await poolerTo(url, pool), max: 2 })
      const faults: string[] = []
      const owner = await openOwner(database, randomUUID(), (fault) => void faults.push(String(fault)))
      expect(owner.name).toBe(unseenOwner)
      expect(faults).toEqual([expect.stringContaining('no session of its own')])
      await owner.close()
      await database.end()
    }
    const locks = `select 1 from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`
    expect((await admin.query(locks)).rows).toEqual([])
  },
)
