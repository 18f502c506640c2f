// Owners that are dead, and owners that only sleep: how another process finds out, and what an owner does that was cut off.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import type { SlotRecord } from '../../src/contract/call/slot.ts'
import { manualClock } from '../../src/json/clock.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import type { AdmitRequest, Claim } from '../../src/ledger/ports/operations.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { restartLeaseMs } from '../../src/ledger/rules/recovery-times.ts'
import { databasesOfFile } from './databases-of-file.ts'
import { admission, callId, settleOn, slot, slotAt, unknown } from './requests.ts'

const databases = databasesOfFile()
const program = new URL('./owning-process.ts', import.meta.url).pathname

interface OwningProcess {
  readonly pid: number
  readonly nonce: string
  /** Whether it may act, as it says when it is asked. */
  mayAct(): Promise<boolean>
  kill(signal: NodeJS.Signals): void
}

/** A process that was admitted and has not come to its end. */
async function startOwner(url: string): Promise<OwningProcess> {
  const child = spawn(process.execPath, [program, url], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const line = async () => {
    await expect.poll(() => said.includes('\n')).toBe(true)
    const [first = ''] = said.split('\n', 1)
    said = said.slice(first.length + 1)
    return first
  }
  const nonce = await line()
  return {
    pid: child.pid ?? 0,
    nonce,
    async mayAct() {
      child.stdin.write('?\n')
      return (await line()) === 'true'
    },
    kill: (signal) => void child.kill(signal),
  }
}

async function open(url: string): Promise<Ledger> {
  const ledger = await postgres(url, { connections: 2, leaseMs: 1_000 })
  onTestFinished(async () => ledger.close())
  return ledger
}

async function adminOf(url: string): Promise<pg.Client> {
  const admin = new pg.Client(url)
  await admin.connect()
  onTestFinished(() => admin.end())
  return admin
}

/** How many processes have a session on this database. */
async function sessionsOf(url: string): Promise<number | undefined> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from pg_locks l join pg_database d on d.oid = l.database
     where l.locktype = 'advisory' and d.datname = current_database()`,
  )
  await client.end()
  return rows[0]?.count
}

const held = async (ledger: Ledger) => {
  const record = await slotAt(ledger)
  if (record === undefined) throw new Error('There is no slot.')
  return record
}

it('an owner that was killed is known to be dead within moments [dead-owners-are-known]', async () => {
  const url = await databases.fresh()
  const owner = await startOwner(url)
  const ledger = await open(url)
  const record = await held(ledger)
  expect(record.nonce).toBe(owner.nonce)
  owner.kill('SIGKILL')
  await expect.poll(() => sessionsOf(url)).toBe(1)
  await claimIt(ledger, record)
  // Nothing tells since when: by clocks that stood still it may have sent something just before.
  expect(await ledger.operations.fence(record)).toBe('fenced')
  expect(await ledger.operations.fence(record)).toBe('dead')
})

it('an owner is asked about only by the process that looks after its attempt', async () => {
  const url = await databases.fresh()
  const owner = await startOwner(url)
  const [slow, ledger] = [await open(url), await open(url)]
  const record = await held(ledger)
  owner.kill('SIGSTOP')
  await claimIt(ledger, record)
  // It has lost its claim: what it found, the one that has it would have to find as well.
  expect(await slow.operations.fence(record)).toBe('fenced')
  await expect.poll(() => sessionsOf(url)).toBe(3)
  expect(await ledger.operations.fence(record)).toBe('fenced')
  await expect.poll(() => sessionsOf(url)).toBe(2)
  owner.kill('SIGCONT')
  expect(await owner.mayAct()).toBe(false)
})

/** As a process does that finds the attempt due. */
async function claimIt(ledger: Ledger, { contractHash }: SlotRecord): Promise<void> {
  await expect
    .poll(async () => ledger.operations.claim({ contracts: [contractHash], limit: 1, forMs: 60_000 }), {
      timeout: 10_000,
    })
    .toHaveLength(1)
}

it('an owner that only sleeps is cut off, and does nothing when it wakes [sleeping-owners-are-cut-off]', async () => {
  const url = await databases.fresh()
  const owner = await startOwner(url)
  expect(await owner.mayAct()).toBe(true)
  const ledger = await open(url)
  const record = await held(ledger)
  owner.kill('SIGSTOP')
  await claimIt(ledger, record)
  const admin = await adminOf(url)
  await admin.query('create table moment as select proviso.clock() as fenced')
  expect(await ledger.operations.fence(record)).toBe('fenced')
  // Until now it may have acted: the process that looks after this attempt next counts from here, also where this process is gone by then.
  const { rows } = await admin.query('select lease_until >= fenced as counts from proviso.idempotency_keys, moment')
  expect(rows).toEqual([{ counts: true }])
  // For this attempt it is done for, also once it has another session.
  expect(await ledger.operations.fence(record)).toBe('dead')
  owner.kill('SIGCONT')
  // Its lease is over, and the database does not renew it any more.
  for (let times = 0; times < 20; times++) expect(await owner.mayAct()).toBe(false)
})

it('an owner whose session is lost does nothing until it has another, and the database has confirmed what it holds', async () => {
  const url = await databases.fresh()
  const ledger = await open(url)
  const request = admission({ slot: slot() })
  expect(await ledger.operations.admit(request)).toMatchObject({ kind: 'admitted' })
  expect(ledger.operations.mayAct(request.nonce)).toBe(true)
  const admin = new pg.Client(url)
  await admin.connect()
  onTestFinished(() => admin.end())
  const seen = new Set<boolean>()
  const looking = setInterval(() => seen.add(ledger.operations.mayAct(request.nonce)), 1)
  onTestFinished(() => clearInterval(looking))
  const { rows } = await admin.query<{ ended: boolean }>(
    `select pg_terminate_backend(pid, 1000) as ended from pg_stat_activity
     where application_name = 'proviso owner' and datname = current_database()`,
  )
  expect(rows).toEqual([{ ended: true }])
  await expect.poll(() => seen.has(false)).toBe(true)
  await expect.poll(() => ledger.operations.mayAct(request.nonce)).toBe(true)
})

/** As this process is given it, once it is due. */
async function claimed(ledger: Ledger, { entry }: AdmitRequest): Promise<Claim> {
  const contracts = [entry?.call.contractHash ?? '']
  const claims: Claim[] = []
  await expect
    .poll(async () => claims.push(...(await ledger.operations.claim({ contracts, limit: 1, forMs: 60_000 }))), {
      timeout: 5_000,
    })
    .toBe(1)
  return claims[0] as Claim
}

it('an attempt that its owner had given up when it was claimed counts as without an owner', async () => {
  const url = await databases.fresh()
  const ledger = await open(url)
  const other = await open(url)
  const request = admission({ slot: slot() })
  await ledger.operations.admit(request)
  await settleOn(ledger, { ...unknown, nonce: request.nonce, held: false })
  const { slot: record } = await claimed(other, request)
  expect(await other.operations.fence(record)).toBe('dead')
})

it('one that its owner gives up after it was claimed may have sent something just before', async () => {
  const url = await databases.fresh()
  const ledger = await open(url)
  const other = await open(url)
  const admin = await adminOf(url)
  const request = admission({ slot: slot() })
  await ledger.operations.admit(request)
  await admin.query('update proviso.idempotency_keys set look_after = proviso.clock()')
  const { slot: record } = await claimed(other, request)
  await settleOn(ledger, { ...unknown, nonce: request.nonce, held: false })
  expect(await other.operations.fence(record)).toBe('fenced')
})

it('every process has a lock of its own, and gives it back when it closes', async () => {
  const url = await databases.fresh()
  const locks = () => sessionsOf(url)
  const [a, b] = [await postgres(url, { connections: 1 }), await postgres(url, { connections: 1 })]
  expect(await locks()).toBe(2)
  await a.close()
  await expect.poll(locks).toBe(1)
  await b.close()
  await expect.poll(locks).toBe(0)
})

it('an owner process that ends by itself leaves no session behind', async () => {
  const url = await databases.fresh()
  const child = spawn(process.execPath, [program, url], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([0, null])
})

it('an owner whose session may not be ended counts as alive, so that its absence never counts', async () => {
  const url = await databases.fresh()
  const owner = await startOwner(url)
  const ledger = await open(url)
  const record = await held(ledger)
  const admin = new pg.Client(url)
  await admin.connect()
  onTestFinished(() => admin.end())
  // What another role has: everything, but for the right to end sessions of the first.
  await admin.query(`create role outsider login bypassrls; grant usage on schema proviso to outsider`)
  await admin.query('grant all on all tables in schema proviso to outsider')
  await admin.query('grant execute on all functions in schema proviso to outsider')
  const other = await postgres(url, { connections: 2, driver: { options: '-c role=outsider' } })
  onTestFinished(async () => other.close())
  owner.kill('SIGSTOP')
  await claimIt(other, record)
  expect(await other.operations.fence(record)).toBe('alive')
})

it('a request that is sent again may leave until its timeout is over, however long connecting takes', async () => {
  const url = await databases.fresh()
  const ledger = await postgres(url, { connections: 2, leaseMs: 1_000 })
  const request = admission({ slot: slot() })
  await ledger.operations.admit(request)
  await ledger.close()
  const clock = manualClock()
  const next = await postgres(url, { connections: 2, leaseMs: 1_000, clock })
  onTestFinished(async () => next.close())
  const claim = await claimed(next, request)
  const nonce = callId(5)
  const restart = { nonce, timeoutMs: 30_000, withinMs: 3_600_000 }
  expect(await next.operations.restart(claim.slot, restart)).toBe(true)
  clock.advance(restartLeaseMs(30_000) - 1)
  expect(next.operations.mayAct(nonce)).toBe(true)
  clock.advance(1)
  expect(next.operations.mayAct(nonce)).toBe(false)
})
