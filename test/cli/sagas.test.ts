// Sagas from the command line: listed, shown as a timeline, and resumed by a person; another process goes on with them.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { ann, openTrip, type Trip, trip } from '../saga/trip.ts'
import { runProviso } from './run-proviso.ts'

let databases: Databases
let url = ''
let cwd = ''
let key = ''
let host: Trip
let done = ''
let frozen = ''

beforeAll(async () => {
  databases = await startDatabases()
  url = await databases.fresh()
  cwd = await mkdtemp(join(tmpdir(), 'proviso-sagas-'))
  host = await openTrip({ ledger: await postgres(url, { connections: 3 }), sweepMs: 50 })
  const saga = host.proviso.saga(trip)
  done = (await saga.start({ id: 't1' }, ann)).id
  host.world.troubles.set('payment', { times: 1 })
  host.world.troubles.set('cancel_hotel', { times: 1 })
  frozen = (await saga.start({ id: 't2' }, ann)).id
  const made = await run('keys', 'create', '--user', 'bea', '--tenant', 'acme', '--role', 'operator', '--json')
  key = JSON.parse(made.out).key
}, 60_000)

afterAll(async () => {
  await host.proviso.close()
  await databases.end()
  await rm(cwd, { recursive: true, force: true })
})

const run = (...argv: readonly string[]) => runProviso(argv, { cwd, env: { PROVISO_LEDGER: url, PROVISO_KEY: key } })

describe('proviso sagas', () => {
  it('lists them, newest first, and those that are open alone', async () => {
    const listed = await run('sagas', '--json')
    expect(listed.code).toBe(0)
    expect(JSON.parse(listed.out)).toMatchObject([
      { id: frozen, name: 'trip', tenant: 'acme', state: 'COMPENSATION_FAILED', direction: 'backward' },
      { id: done, state: 'COMPLETED', due_at: null },
    ])
    expect(JSON.parse((await run('sagas', 'list', '--open', '--json')).out)).toHaveLength(1)
    expect((await run('sagas', '--state', 'completed')).out).toMatch(/saga_.* trip +acme .*COMPLETED/)
    expect((await run('sagas', '--state', 'sleeping')).code).toBe(2)
  })

  it('shows the journal as a timeline, and ends with 1 where it stands still', async () => {
    const fine = await run('sagas', 'show', done)
    expect(fine.code).toBe(0)
    expect(fine.out).toContain('→ pay: payment')
    const stuck = await run('sagas', 'show', 'latest')
    expect(stuck.code).toBe(1)
    for (const words of ['turns back at pay', '← flight: undone', 'stands still at hotel']) {
      expect(stuck.out).toContain(words)
    }
    const json = JSON.parse((await run('sagas', 'show', frozen, '--json')).out)
    expect(json).toMatchObject({ id: frozen, frozen: { step: 'hotel' } })
    expect(json.journal[0]).toMatchObject({ seq: 1, kind: 'rendered', step: 'hotel', direction: 'forward' })
    expect((await run('sagas', 'show', 'saga_nobody')).code).toBe(2)
  })

  it('resumes one with a key and a reason, and another process goes on with it', async () => {
    expect((await run('sagas', 'resume', frozen)).code).toBe(2)
    const resumed = await run('sagas', 'resume', frozen.slice(0, 20), '--why', 'the hotel answers', '--json')
    expect(resumed).toMatchObject({ code: 0 })
    expect(JSON.parse(resumed.out)).toEqual({ saga_id: frozen, outcome: 'resumed', by: 'bea' })
    await expect.poll(async () => (await host.proviso.sagas.get(frozen))?.state).toBe('COMPENSATED')
    expect((await run('sagas', 'resume', frozen, '--why', 'again')).code).toBe(1)
  })
})
