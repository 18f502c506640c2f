// The row of an operation as the database holds it: six statuses and no other, and one writer at a time.
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postgres } from '../../src/ledger/index.ts'
import { slotLocks } from '../../src/ledger/postgres/locks.ts'
import { slotStatuses } from '../../src/ledger/rules/slot.ts'
import { type Databases, startDatabases } from './databases.ts'
import { admission, retryable, settleOn } from './requests.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
}, 60_000)
afterAll(() => databases.end(), 60_000)

async function admitted() {
  const url = await databases.fresh()
  const ledger = await postgres(url, { connections: 2 })
  expect(await ledger.operations.admit(admission())).toMatchObject({ kind: 'admitted' })
  const admin = new pg.Client(url)
  await admin.connect()
  // The server ends its sessions when it stops.
  admin.on('error', () => undefined)
  const close = async () => {
    await admin.end()
    await ledger.close()
  }
  return { url, ledger, admin, close }
}

it('takes no status for an operation but the six [TC-167]', async () => {
  const { admin, close } = await admitted()
  const words = ['PENDING', 'COMPLETED', 'FAILED_RETRYABLE', 'FAILED_FINAL', 'COMPENSATED', 'EXPIRED']
  const { rows } = await admin.query('select unnest(enum_range(null::proviso.slot_status))::text as word')
  expect(rows.map(({ word }) => word).toSorted()).toEqual(words.toSorted())
  expect([...slotStatuses].toSorted()).toEqual(words.toSorted())
  for (const word of ['DONE', 'pending', '']) {
    const change = admin.query(`update proviso.idempotency_keys set status = $1`, [word])
    await expect(change).rejects.toThrow('invalid input value for enum')
  }
  await close()
})

it('lets a second admission wait while another transaction has the operation, and judges it after that [TC-180]', async () => {
  const { url, ledger, admin, close } = await admitted()
  await settleOn(ledger, retryable)
  await admin.query('begin')
  // As all who decide about an operation lock it: by its number, since its row may not be there yet.
  await admin.query('select proviso.lock_slots_v1($1)', [slotLocks([{ tenant: 'acme', key: 'slot-1' }])])
  let judged: unknown
  const second = (async () => {
    judged = await ledger.operations.admit(admission())
    return judged
  })()
  const watcher = new pg.Client(url)
  await watcher.connect()
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  await expect.poll(async () => (await watcher.query(waiting)).rowCount).toBeGreaterThan(0)
  expect(judged).toBeUndefined()
  await admin.query('commit')
  expect(await second).toMatchObject({ kind: 'admitted', attempt: 2 })
  await watcher.end()
  await close()
})
