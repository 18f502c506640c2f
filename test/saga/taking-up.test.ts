// Who goes on with a saga: any process that knows its definition, one at a time, and no caller that only says that a call belongs to it.

import { expect, it } from 'vitest'
import type { CallContext, Ledger } from '../../src/index.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { manualClock } from '../../src/public/testing.ts'
import { laterBy } from '../ledger/databases.ts'
import { databasesOfFile } from '../ledger/databases-of-file.ts'
import { withOperations } from '../ledger/with-operations.ts'
import { ann, openTrip, people, trip, type World } from './trip.ts'

const databases = databasesOfFile()

const never = 2_000_000_000
const newWorld = (): World => ({ done: [], troubles: new Map(), unseen: new Set() })

/** A process that begins a saga and is gone before its call is made. */
const dying = (ledger: Ledger): Ledger => withOperations(ledger, { admit: () => new Promise<never>(() => {}) })

it('goes on in another process that knows the definition, and in none that knows another [saga-resumes-anywhere]', async () => {
  const url = await databases.fresh()
  const world = newWorld()
  const ledger = await postgres(url, { leaseMs: 500, connections: 2 })
  const first = await openTrip({ ledger: dying(ledger), world, sweepMs: never })
  void first.proviso.saga(trip).start({ id: 't1' }, { ...ann, operationId: 'o1' })
  await expect.poll(async () => (await ledger.sagas.list({})).length).toBe(1)
  const [begun] = await ledger.sagas.list({})
  const id = begun?.id ?? ''

  const later = await postgres(url, { ...laterBy(60_000), connections: 3 })
  const other = await openTrip({ ledger: later, world, sweepMs: never })
  other.proviso.saga({ ...trip, steps: trip.steps.slice(0, 4) })
  await other.proviso.recover()
  expect(world.done).toEqual([])
  other.proviso.saga(trip)
  await other.proviso.recover()
  expect(await other.proviso.sagas.get(id)).toMatchObject({ state: 'COMPLETED', epoch: 2 })
  expect(world.done).toEqual(['hotel', 'flight', 'payment flight-of-t1', 'ticket', 'points'])
  await other.proviso.close()
  await ledger.close()
})

it('refuses what an owner writes that others have replaced, and does everything once [saga-one-owner] [TC-177, TC-209]', async () => {
  const url = await databases.fresh()
  const world = newWorld()
  const ledger = await postgres(url, { connections: 3 })
  // Its writes wait until another process has taken the saga over.
  const { promise: replaced, resolve: replace } = Promise.withResolvers<void>()
  const paused: Ledger = {
    ...ledger,
    sagas: {
      ...ledger.sagas,
      async append(write) {
        await replaced
        return ledger.sagas.append(write)
      },
    },
  }
  const slow = await openTrip({ ledger: paused, world, sweepMs: never })
  const begun = slow.proviso.saga(trip).start({ id: 't1' }, ann)
  await expect.poll(() => world.done).toEqual(['hotel'])

  const later = await postgres(url, { ...laterBy(600_000), connections: 3 })
  const fast = await openTrip({ ledger: later, world, sweepMs: never })
  fast.proviso.saga(trip)
  await fast.proviso.recover()
  replace()
  const { id, state } = await begun
  expect(state).toBe('COMPLETED')
  expect(world.done).toEqual(['hotel', 'flight', 'payment flight-of-t1', 'ticket', 'points'])
  const journal = await later.sagas.journal(id)
  expect(journal.filter(({ epoch }) => epoch === 1)).toHaveLength(1)
  await slow.proviso.close()
  await fast.proviso.close()
})

it('leaves what it has not begun to others when it closes', async () => {
  const url = await databases.fresh()
  const world = newWorld()
  world.troubles.set('ticket', { times: 1, code: 'busy' })
  const first = await openTrip({ ledger: await postgres(url, { connections: 3 }), world, sweepMs: never })
  const { id, state } = await first.proviso.saga(trip).start({ id: 't1' }, ann)
  expect(state).toBe('WAITING')
  await first.proviso.close()
  const second = await openTrip({ ledger: await postgres(url, { connections: 3 }), world, sweepMs: 50 })
  second.proviso.saga(trip)
  await expect.poll(async () => (await second.proviso.sagas.get(id))?.state).toBe('COMPLETED')
  await second.proviso.close()
})

it('is frozen by a process without any saga once no process has known it for long, and goes on when it is known again [saga-orphan-asks]', async () => {
  const url = await databases.fresh()
  const world = newWorld()
  const ledger = await postgres(url, { leaseMs: 500, connections: 2 })
  const first = await openTrip({ ledger: dying(ledger), world, sweepMs: never })
  const { hash, start } = first.proviso.saga({ ...trip, version: '3' })
  void start({ id: 't1' }, ann)
  await expect.poll(async () => (await ledger.sagas.list({})).length).toBe(1)
  const id = (await ledger.sagas.list({}))[0]?.id ?? ''

  const clock = manualClock(Date.now())
  const later = await postgres(url, { ...laterBy(3_700_000), connections: 3 })
  const other = await openTrip({ ledger: later, world, clock, sweepMs: never })
  await other.proviso.recover()
  expect(await other.proviso.sagas.get(id)).toMatchObject({ state: 'RUNNING', epoch: 1 })
  clock.advance(60_000)
  await other.proviso.recover()
  const frozen = await other.proviso.sagas.get(id)
  expect(frozen).toMatchObject({ state: 'FROZEN', epoch: 2, dueAt: undefined, frozen: { step: 'hotel' } })
  const [asked, ...more] = await other.proviso.escalations.list('acme')
  expect(asked).toMatchObject({ kind: 'saga_stalled', callId: frozen?.frozen?.call })
  expect(more).toEqual([])
  for (const part of [id, hash, 'trip version 3', 'step hotel', 'proviso sagas resume'])
    expect(asked?.message).toContain(part)
  await other.proviso.recover()
  expect(await other.proviso.sagas.journal(id)).toHaveLength(2)

  other.proviso.saga({ ...trip, version: '3' })
  const credential = await people.issue({ user: 'bea', tenant: 'acme', roles: ['operator', 'approver'] })
  const doubt = { credential, why: 'it is back', effect: 'none' } as const
  await expect(other.proviso.sagas.resume(id, doubt)).rejects.toThrow('no step is in doubt')
  expect(await other.proviso.sagas.resume(id, { credential, why: 'it is back' })).toMatchObject({ kind: 'resumed' })
  expect(await other.proviso.sagas.get(id)).toMatchObject({ state: 'COMPLETED' })
  expect(world.done).toEqual(['hotel', 'flight', 'payment flight-of-t1', 'ticket', 'points'])
  expect(await other.proviso.escalations.list('acme')).toEqual([])
  await other.proviso.close()
  await ledger.close()
})

it('is frozen on its way back and in memory alike, and asks about the call it stands at [saga-orphan-asks]', async () => {
  const clock = manualClock()
  const { proviso, ledger, world } = await openTrip({ clock })
  world.troubles.set('payment', { times: 1 })
  world.troubles.set('cancel_flight', { times: 1, code: 'busy' })
  const { id, state, direction } = await proviso.saga(trip).start({ id: 't1' }, ann)
  expect([state, direction]).toEqual(['WAITING', 'backward'])
  const other = await openTrip({ ledger, world, clock })
  clock.advance(3_700_000)
  await other.proviso.recover()
  const [call] = await ledger.calls.list({ tool: 'cancel_flight' })
  const stands = { state: 'FROZEN', direction: 'backward', frozen: { step: 'flight', call: call?.id } }
  expect(await proviso.sagas.get(id)).toMatchObject(stands)
  expect(await proviso.escalations.list('acme')).toMatchObject([{ kind: 'saga_stalled', callId: call?.id }])
  const credential = await people.issue({ user: 'bea', tenant: 'acme', roles: ['operator', 'approver'] })
  await proviso.sagas.resume(id, { credential, why: 'it is back' })
  expect(await proviso.sagas.get(id)).toMatchObject({ state: 'COMPENSATED' })
  await proviso.close()
})

it('takes no call for a step because it says so [saga-marks-are-ours] [TC-209]', async () => {
  const { proviso, world, ledger } = await openTrip({
    more: { hotel: { confirm: true, approval: { quorum: 1 } }, cancel_hotel: { confirm: true } },
  })
  const { id } = await proviso.saga(trip).start({ id: 't1' }, ann)
  const mark = { id, step: 'hotel', direction: 'backward', round: 1 }
  const proposal = { tool: 'cancel_hotel', arguments: { trip: 't1' }, callId: `saga:${id}/hotel/backward`, saga: mark }
  const context = { ...ann, operationId: `${id}/hotel/backward`, run: 'run-2' }
  const marked = await proviso.call(proposal, { ...context, saga: mark } as CallContext)
  expect([marked.effect, marked.observation.status.taxonomy_class]).toEqual(['none', 'PERMISSION_DENIED'])
  const answer = await proviso.call({ ...proposal, callId: `${proposal.callId}#2` }, context)
  expect(answer.effect).toBe('pending')
  expect(world.done).not.toContain('cancel_hotel')
  const [call] = await ledger.calls.list({ tool: 'cancel_hotel' })
  expect(call?.saga).toBeUndefined()
  await proviso.close()
})
