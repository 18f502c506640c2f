// What a saga promises: every step once, the way back over exactly what was done, and no silence where there is neither.

import { describe, expect, it } from 'vitest'
import { memory } from '../../src/ledger/index.ts'
import { manualClock } from '../../src/public/testing.ts'
import { withOperations } from '../ledger/with-operations.ts'
import { ann, openTrip, people, trip } from './trip.ts'

const all = ['hotel', 'flight', 'payment flight-of-t1', 'ticket', 'points']
const undone = ['cancel_flight flight-of-t1', 'cancel_hotel hotel-of-t1']

describe('a saga that succeeds', () => {
  it('makes its calls in order, hands results on, and keeps its journal [saga-in-order] [TC-201]', async () => {
    const { proviso, world, ledger } = await openTrip()
    const view = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect(view).toMatchObject({ state: 'COMPLETED', name: 'trip', tenant: 'acme', waiting: undefined })
    expect(world.done).toEqual(all)
    expect(view.steps.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done', 'done'])
    const journal = await proviso.sagas.journal(view.id)
    expect(journal.map(({ kind }) => kind)).toEqual([...trip.steps.flatMap(() => ['rendered', 'ended']), 'finished'])
    expect(journal.map(({ seq }) => seq)).toEqual(journal.map((_, index) => index + 1))
    const [call] = await ledger.calls.list({ tool: 'payment' })
    expect(call?.saga).toEqual({ id: view.id, step: 'pay', direction: 'forward', round: 1 })
    await proviso.close()
  })

  it('is begun once under one operation, and refuses another input for it [saga-in-order]', async () => {
    const { proviso, world } = await openTrip()
    const saga = proviso.saga(trip)
    const first = await saga.start({ id: 't1' }, { ...ann, operationId: 'order-7' })
    const second = await saga.start({ id: 't1' }, { ...ann, operationId: 'order-7' })
    expect(second.id).toBe(first.id)
    expect(world.done).toEqual(all)
    await expect(saga.start({ id: 't2' }, { ...ann, operationId: 'order-7' })).rejects.toThrow('other input')
    await proviso.close()
  })
})

describe('a saga that fails before its pivot', () => {
  it('undoes what was done, in reverse, and nothing else [saga-compensates-in-reverse] [TC-006, TC-007, TC-202, TC-311, TC-457]', async () => {
    const { proviso, world, ledger } = await openTrip()
    world.troubles.set('payment', { times: 1 })
    const view = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect(view.state).toBe('COMPENSATED')
    expect(world.done).toEqual(['hotel', 'flight', ...undone])
    expect(view.steps.map(({ state }) => state)).toEqual(['undone', 'undone', 'failed', 'open', 'open'])
    expect(view.turned?.step).toBe('pay')
    const [hotel] = await ledger.calls.list({ tool: 'hotel' })
    const facts = await ledger.calls.facts(hotel?.id ?? '')
    const slot = facts.find(({ phase }) => phase === 'admit')?.evidence as { slot: string }
    expect((await ledger.operations.slot('acme', slot.slot, undefined)).record?.status).toBe('COMPENSATED')
    await proviso.close()
  })

  it('turns back where an effect is there but not as it should be, and undoes that step, too [saga-compensates-in-reverse]', async () => {
    const { proviso, world } = await openTrip()
    world.unseen.add('flight')
    const view = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect(view.state).toBe('COMPENSATED')
    expect(world.done).toEqual(['hotel', 'flight', ...undone])
    await proviso.close()
  })

  it('closes the slot of the failed step, so that no process runs it later [saga-slot-closed]', async () => {
    const { proviso, world, ledger } = await openTrip()
    world.troubles.set('flight', { times: 1, code: 'busy' })
    const steps = trip.steps.map((step) => (step.id === 'flight' ? { ...step, retry: { attempts: 1 } } : step))
    const view = await proviso.saga({ ...trip, steps }).start({ id: 't1' }, ann)
    expect(view.state).toBe('COMPENSATED')
    expect(world.done).toEqual(['hotel', 'cancel_hotel hotel-of-t1'])
    const [flight] = await ledger.calls.list({ tool: 'flight' })
    const facts = await ledger.calls.facts(flight?.id ?? '')
    const slot = facts.find(({ phase }) => phase === 'admit')?.evidence as { slot: string }
    expect((await ledger.operations.slot('acme', slot.slot, undefined)).record?.status).toBe('FAILED_FINAL')
    await proviso.close()
  })

  it('tries a step again before the pivot that may be tried again', async () => {
    const { proviso, world } = await openTrip()
    world.troubles.set('flight', { times: 1, code: 'busy' })
    const steps = trip.steps.map((step) =>
      step.id === 'flight' ? { ...step, retry: { attempts: 3, firstPauseMs: 1, longestPauseMs: 5 } } : step,
    )
    const view = await proviso.saga({ ...trip, steps }).start({ id: 't1' }, ann)
    expect(view).toMatchObject({ state: 'WAITING', waiting: { for: 'retry', step: 'flight' } })
    await expect.poll(async () => (await proviso.sagas.get(view.id))?.state).toBe('COMPLETED')
    expect(world.done).toEqual(all)
    await proviso.close()
  })
})

describe('a saga that fails behind its pivot', () => {
  it('goes forward until it succeeds, and asks people when that takes long [saga-forward-after-pivot] [TC-204, TC-207, TC-459]', async () => {
    const clock = manualClock()
    const { proviso, world } = await openTrip({ clock })
    world.troubles.set('ticket', { times: 3 })
    const { id } = await proviso.saga(trip).start({ id: 't1' }, ann)
    const state = async () => (await proviso.sagas.get(id))?.state
    expect(await state()).toBe('WAITING')
    expect(await proviso.escalations.list('acme')).toMatchObject([{ kind: 'saga_stalled' }])
    for (let tries = 0; tries < 3; tries++) {
      clock.advance(1_000)
      await proviso.recover()
    }
    expect(await state()).toBe('COMPLETED')
    expect(world.done).toEqual(all)
    expect(await proviso.escalations.list('acme')).toEqual([])
    await proviso.close()
  })
})

describe('people and a saga', () => {
  const asked = { confirm: true, approval: { quorum: 1 } }

  it('waits for an approval on no stack, goes on with the decision, and asks no person for the way back [saga-covered-by-approval]', async () => {
    const back = { confirm: true }
    const { proviso, world } = await openTrip({ more: { flight: asked, cancel_flight: back } })
    world.troubles.set('payment', { times: 1 })
    const view = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect(view).toMatchObject({ state: 'WAITING', waiting: { for: 'approval', step: 'flight' } })
    expect(world.done).toEqual(['hotel'])
    const [pending] = await proviso.approvals.list({ status: 'pending' })
    const credential = await people.issue({ user: 'bea', tenant: 'acme', roles: ['operator', 'approver'] })
    await proviso.approvals.approve(pending?.id ?? '', { credential, packetHash: pending?.packetHash ?? '' })
    expect((await proviso.sagas.get(view.id))?.state).toBe('COMPENSATED')
    expect(world.done).toEqual(['hotel', 'flight', ...undone])
    expect(await proviso.approvals.list({ status: 'pending' })).toEqual([])
    await proviso.close()
  })

  it('turns back when a person says no', async () => {
    const { proviso, world } = await openTrip({ more: { flight: asked } })
    const view = await proviso.saga(trip).start({ id: 't1' }, ann)
    const [pending] = await proviso.approvals.list({ status: 'pending' })
    const credential = await people.issue({ user: 'bea', tenant: 'acme', roles: ['operator', 'approver'] })
    await proviso.approvals.reject(pending?.id ?? '', { credential, packetHash: pending?.packetHash ?? '' })
    expect((await proviso.sagas.get(view.id))?.state).toBe('COMPENSATED')
    expect(world.done).toEqual(['hotel', 'cancel_hotel hotel-of-t1'])
    await proviso.close()
  })

  it('does not turn back while an effect is unknown, and goes on as a person says it is [saga-waits-for-unknown]', async () => {
    const { proviso, world, ledger } = await openTrip()
    world.troubles.set('flight', { times: 1, effect: 'unknown' })
    const view = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect(view).toMatchObject({ state: 'WAITING', waiting: { for: 'effect', step: 'flight' } })
    await ledger.sagas.wake('acme', view.id)
    await proviso.recover()
    expect((await proviso.sagas.get(view.id))?.state).toBe('WAITING')
    expect(world.done).toEqual(['hotel'])
    const credential = await people.issue({ user: 'bea', tenant: 'acme', roles: ['operator', 'approver'] })
    await proviso.calls.resolve(view.waiting?.call ?? '', { effect: 'none', why: 'not there', credential })
    expect((await proviso.sagas.get(view.id))?.state).toBe('COMPLETED')
    expect(world.done).toEqual(all)
    await proviso.close()
  })

  it('takes a step for done whose slot says so, where a gate refuses to ask again [saga-waits-for-unknown]', async () => {
    let known = true
    const { proviso, world } = await openTrip({
      more: { points: { roles: ['member'] }, hotel: { roles: ['member'] } },
      principals: () => (known ? { roles: ['member'], scopes: [] } : undefined),
    })
    world.troubles.set('hotel', { times: 1, effect: 'unknown' })
    const view = await proviso.saga(trip).start({ id: 't1' }, { ...ann, roles: ['member'] })
    expect(view).toMatchObject({ state: 'WAITING', waiting: { for: 'effect', step: 'hotel' } })
    known = false
    const credential = await people.issue({ user: 'bea', tenant: 'acme', roles: ['operator', 'approver'] })
    await proviso.calls.resolve(view.waiting?.call ?? '', { effect: 'happened', why: 'it is there', credential })
    expect(world.done).toEqual(['flight', 'payment flight-of-t1', 'ticket'])
    expect(await proviso.sagas.get(view.id)).toMatchObject({ state: 'WAITING', waiting: { step: 'points' } })
    await proviso.close()
  })

  it('does not turn back while the end of a step is not written down [saga-waits-for-unknown]', async () => {
    const ledger = memory()
    let refusals = 3
    const failing = withOperations(ledger, {
      record(entry) {
        if (entry.call.key.tool === 'hotel' && refusals-- > 0) throw new Error('The ledger is gone.')
        return ledger.operations.record(entry)
      },
    })
    const { proviso, world } = await openTrip({ ledger: failing, onFault: () => undefined })
    const view = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect(view).toMatchObject({ state: 'WAITING', waiting: { for: 'effect', step: 'hotel' } })
    expect(world.done).toEqual(['hotel'])
    await proviso.close()
  })

  it('raises no alarm about an effect that was undone before it was read back [TC-439, TC-442]', async () => {
    const { proviso, world, ledger } = await openTrip({ more: { hotel: { verification: { delayMs: 1 } } }, sweepMs: 5 })
    world.troubles.set('payment', { times: 1 })
    world.unseen.add('hotel')
    expect((await proviso.saga(trip).start({ id: 't1' }, ann)).state).toBe('COMPENSATED')
    const read = async () => (await ledger.calls.list({ tool: 'hotel' }))[0]
    await expect.poll(async () => (await read())?.verification?.state).toBe('NOT_REQUIRED')
    expect(await read()).toMatchObject({ status: 'SUCCESS', verification: { reconciliation: 'COMPENSATED' } })
    expect(await proviso.escalations.list('acme')).toEqual([])
    await proviso.close()
  })

  it('keeps the record of a step from a caller that sends its id [saga-marks-are-ours]', async () => {
    const { proviso, ledger } = await openTrip({ more: { hotel: { confirm: true } } })
    const { id, waiting } = await proviso.saga(trip).start({ id: 't1' }, ann)
    const proposal = { tool: 'hotel', arguments: { trip: 't1' }, callId: `saga:${id}/hotel/forward` }
    const answer = await proviso.call(proposal, ann)
    expect(answer.observation.tool_identity.call_id).not.toBe(waiting?.call)
    expect((await ledger.calls.get(waiting?.call ?? ''))?.saga).toMatchObject({ id, step: 'hotel' })
    await proviso.close()
  })

  it('carries what the run has seen that it was begun from', async () => {
    const { proviso, ledger } = await openTrip()
    await ledger.runs.addLabels('acme', 'parent', ['untrusted'])
    await proviso.saga(trip).start({ id: 't1' }, { ...ann, parentRun: 'parent' })
    expect(await ledger.runs.labels('acme', 'run-1')).toContain('untrusted')
    await proviso.close()
  })

  it('freezes where the way back fails, keeps its journal, and goes on when a person resumes it [saga-compensation-failed] [TC-334]', async () => {
    const { proviso, world } = await openTrip()
    world.troubles.set('payment', { times: 1 })
    world.troubles.set('cancel_hotel', { times: 1 })
    const view = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect(view).toMatchObject({ state: 'COMPENSATION_FAILED', frozen: { step: 'hotel' } })
    expect(await proviso.escalations.list('acme')).toMatchObject([{ kind: 'compensation_failed' }])
    const credential = await people.issue({ user: 'bea', tenant: 'acme', roles: ['operator', 'approver'] })
    expect(await proviso.sagas.resume(view.id, { credential, why: 'The hotel answers again.' })).toMatchObject({
      kind: 'resumed',
    })
    expect((await proviso.sagas.get(view.id))?.state).toBe('COMPENSATED')
    expect(world.done).toEqual(['hotel', 'flight', ...undone])
    expect(await proviso.escalations.list('acme')).toEqual([])
    const kinds = (await proviso.sagas.journal(view.id)).map(({ kind }) => kind)
    expect(kinds).toContain('frozen')
    expect(kinds).toContain('resumed')
    await proviso.close()
  })

  it('freezes at a pivot in doubt until people say what became of it', async () => {
    for (const effect of ['happened', 'none'] as const) {
      const { proviso, world } = await openTrip()
      world.unseen.add('payment')
      const view = await proviso.saga(trip).start({ id: 't1' }, ann)
      expect(view).toMatchObject({ state: 'FROZEN', frozen: { step: 'pay' } })
      const credential = await people.issue({ user: 'bea', tenant: 'acme', roles: ['operator', 'approver'] })
      await expect(proviso.sagas.resume(view.id, { credential, why: 'looked' })).rejects.toThrow('in doubt')
      await proviso.sagas.resume(view.id, { credential, why: 'looked', effect })
      expect((await proviso.sagas.get(view.id))?.state).toBe(effect === 'happened' ? 'COMPLETED' : 'COMPENSATED')
      await proviso.close()
    }
  })

  it('lets a gate refuse the way back, and says so [saga-compensation-failed]', async () => {
    const { proviso, world } = await openTrip({
      policies: [
        {
          id: 'no-cancelling',
          judge: ({ tool }) =>
            tool.identity.name === 'cancel_flight' ? { says: 'deny', message: 'Nothing is cancelled.' } : undefined,
        },
      ],
    })
    world.troubles.set('payment', { times: 1 })
    const view = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect(view).toMatchObject({ state: 'COMPENSATION_FAILED', frozen: { step: 'flight' } })
    expect(world.done).toEqual(['hotel', 'flight'])
    await proviso.close()
  })

  it('takes from no budget on the way back [saga-takes-no-budget]', async () => {
    const { proviso, world } = await openTrip({ budgets: { write: 3 } })
    world.troubles.set('payment', { times: 1 })
    const view = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect(view.state).toBe('COMPENSATED')
    expect(world.done).toEqual(['hotel', 'flight', ...undone])
    await proviso.close()
  })
})
