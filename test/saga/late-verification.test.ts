// Effects that are read back when their saga has gone on, and are not as they should be.
import { describe, expect, it } from 'vitest'
import type { Ledger, Policy, Proviso } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import type { CallRecord } from '../../src/ledger/ports/calls.ts'
import { manualClock } from '../../src/public/testing.ts'
import { ann, openTrip, people, trip, type World } from './trip.ts'

const later = { verification: { delayMs: 1 } }
const asked = { confirm: true, approval: { quorum: 1 } }
const newWorld = (more: Partial<World> = {}): World => ({
  done: [],
  troubles: new Map(),
  unseen: new Set(['hotel']),
  ...more,
})
const stateOf = async (proviso: Proviso, id: string) => (await proviso.sagas.get(id))?.state

describe('a step that is not found when it is read later', () => {
  it('turns a saga back that waits for people, and closes the step they were asked about [saga-heeds-late-readings] [saga-slot-closed]', async () => {
    const { proviso, world, ledger } = await openTrip({
      world: newWorld(),
      more: { hotel: later, flight: asked },
      sweepMs: 5,
    })
    const { id } = await proviso.saga(trip).start({ id: 't1' }, ann)
    await expect.poll(() => stateOf(proviso, id)).toBe('COMPENSATED')
    expect(world.done).toEqual(['hotel', 'cancel_hotel hotel-of-t1'])
    const view = await proviso.sagas.get(id)
    expect(view?.turned?.message).toMatch(/^Step hotel was read back, and is not as it should be/)
    expect(view?.steps.map(({ state }) => state).slice(0, 3)).toEqual(['undone', 'failed', 'open'])

    const [pending] = await proviso.approvals.list({ status: 'pending' })
    const credential = await people.issue({ user: 'bea', tenant: 'acme', roles: ['operator', 'approver'] })
    await proviso.approvals.approve(pending?.id ?? '', { credential, packetHash: pending?.packetHash ?? '' })
    expect(world.done).toHaveLength(2)
    const flights = await ledger.calls.list({ tool: 'flight' })
    expect(flights).toMatchObject([{ status: 'STALE_STATE', effect: 'none' }])
    await proviso.close()
  })

  it('keeps the pivot from being called, and everything is undone [saga-heeds-late-readings]', async () => {
    const isRead = async () => (await ledger.calls.list({ tool: 'hotel' }))[0]?.verification?.state === 'FAILED'
    // The flight takes until the hotel was looked for.
    const slow: Policy = {
      id: 'slow',
      async judge({ tool }) {
        if (tool.identity.name === 'flight') await expect.poll(isRead).toBe(true)
        return undefined
      },
    }
    const { proviso, world, ledger } = await openTrip({
      world: newWorld(),
      more: { hotel: later },
      sweepMs: 5,
      policies: [slow],
    })
    const view = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect(view).toMatchObject({ state: 'COMPENSATED', turned: { step: 'hotel' } })
    expect(world.done).toEqual(['hotel', 'flight', 'cancel_flight flight-of-t1', 'cancel_hotel hotel-of-t1'])
    expect(await ledger.calls.list({ tool: 'payment' })).toEqual([])
    await proviso.close()
  })

  it.each([
    ['nothing of it', newWorld()],
    ['half of it', newWorld({ unseen: new Set(), halfSeen: new Set(['hotel']) })],
  ])('asks people once the pivot has happened, with %s there [saga-heeds-late-readings]', async (_what, world) => {
    const clock = manualClock()
    const { proviso, ledger } = await openTrip({ world, more: { hotel: { verification: { delayMs: 60_000 } } }, clock })
    const { id, state } = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect([state, await proviso.escalations.list('acme')]).toEqual(['COMPLETED', []])
    clock.advance(61_000)
    expect(await proviso.verify()).toEqual(['FAILED'])
    const [hotel] = await ledger.calls.list({ tool: 'hotel' })
    expect(await proviso.escalations.list('acme')).toMatchObject([{ kind: 'verification_failed', callId: hotel?.id }])
    await proviso.recover()
    expect(await stateOf(proviso, id)).toBe('COMPLETED')
    expect(world.done).toHaveLength(5)
    await proviso.close()
  })

  const half = () => newWorld({ unseen: new Set(), halfSeen: new Set(['hotel']) })
  const hourly = { hotel: { verification: { delayMs: 3_600_000 } } }

  it('is asked about where it is not known whether the pivot has happened [saga-heeds-late-readings]', async () => {
    const clock = manualClock()
    const { proviso, world, ledger } = await openTrip({ world: half(), more: hourly, clock })
    world.troubles.set('payment', { times: 1, effect: 'unknown' })
    const { id, state } = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect(state).toBe('WAITING')
    clock.advance(3_700_000)
    expect(await proviso.verify()).toEqual(['FAILED'])
    const [hotel] = await ledger.calls.list({ tool: 'hotel' })
    const questions = await proviso.escalations.list('acme')
    expect(questions).toContainEqual(expect.objectContaining({ kind: 'verification_failed', callId: hotel?.id }))
    expect([await stateOf(proviso, id), world.done]).toEqual(['WAITING', ['hotel', 'flight']])
    await proviso.close()
  })

  it('is not asked about where the saga is going back already, and is undone once [saga-heeds-late-readings]', async () => {
    const clock = manualClock()
    const { proviso, world, ledger } = await openTrip({ world: half(), more: hourly, clock })
    world.troubles.set('flight', { times: 9 })
    world.troubles.set('cancel_hotel', { times: 1, code: 'busy' })
    const { id } = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect(await proviso.sagas.get(id)).toMatchObject({ state: 'WAITING', direction: 'backward' })
    clock.advance(3_700_000)
    expect(await proviso.verify()).toEqual(['FAILED'])
    expect(await proviso.escalations.list('acme')).toEqual([])
    await ledger.sagas.wake('acme', id)
    await proviso.recover()
    await expect.poll(() => stateOf(proviso, id)).toBe('COMPENSATED')
    expect(world.done).toEqual(['hotel', 'cancel_hotel hotel-of-t1'])
    await proviso.close()
  })

  it('is heeded by the process that takes the saga up, also where it should have been read at once [saga-heeds-late-readings]', async () => {
    const kept = memory()
    // The process dies between the settle of the hotel and its reading: another one reads, when it is due.
    const clock = manualClock()
    const calls: Ledger['calls'] = { ...kept.calls, get: async (id, tenant) => told(await kept.calls.get(id, tenant)) }
    const ledger: Ledger = { ...kept, calls }
    const told = (record: CallRecord | undefined) =>
      record?.key.tool === 'hotel' && record.verification !== undefined
        ? { ...record, verification: { ...record.verification, state: 'FAILED' as const } }
        : record
    const world = newWorld({ unseen: new Set() })
    const { proviso } = await openTrip({ world, ledger, clock })
    world.troubles.set('flight', { times: 1, code: 'busy' })
    const { id } = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect(await stateOf(proviso, id)).toBe('WAITING')
    await ledger.sagas.wake('acme', id)
    await proviso.recover()
    expect(await stateOf(proviso, id)).toBe('COMPENSATED')
    expect(world.done).toEqual(['hotel', 'cancel_hotel hotel-of-t1'])
    await proviso.close()
  })
})
