// Who may say what about a saga, and what a provider may make it wait for. Each was found to get through.
import { describe, expect, it } from 'vitest'
import { manualClock } from '../../src/public/testing.ts'
import { ann, openTrip, people, trip, tripTools, type World } from './trip.ts'

const bea = { user: 'bea', tenant: 'acme', roles: ['operator', 'approver'] }
const nora = { user: 'nora', tenant: 'acme', roles: [] }

/** A trip whose way back ends in doubt at the hotel. */
async function inDoubt(more: Parameters<typeof openTrip>[0] = {}) {
  const opened = await openTrip({
    ...more,
    more: { cancel_hotel: { effect: 'EPHEMERAL_WRITE' }, cancel_flight: { effect: 'EPHEMERAL_WRITE' } },
  })
  opened.world.troubles.set('payment', { times: 1 })
  opened.world.unseen.add('cancel_hotel')
  const view = await opened.proviso.saga(trip).start({ id: 't1' }, ann)
  expect(view).toMatchObject({ state: 'COMPENSATION_FAILED', frozen: { step: 'hotel' } })
  return { ...opened, view }
}

describe('what became of a step', () => {
  it('is said by people whom the class of the step demands, also where its compensation demands none [saga-word-of-the-higher-class]', async () => {
    const { proviso, view } = await inDoubt()
    const word = { why: 'looked', effect: 'happened' } as const
    const credential = await people.issue(nora)
    await expect(proviso.sagas.resume(view.id, { ...word, credential })).rejects.toThrow('takes the role')
    expect((await proviso.sagas.get(view.id))?.state).toBe('COMPENSATION_FAILED')
    await proviso.sagas.resume(view.id, { ...word, credential: await people.issue(bea) })
    expect((await proviso.sagas.get(view.id))?.state).toBe('COMPENSATED')
    await proviso.close()
  })

  it('is said by them also of the held call of a compensation [saga-word-of-the-higher-class]', async () => {
    const { proviso, world } = await openTrip({
      more: { cancel_hotel: { effect: 'EPHEMERAL_WRITE' }, cancel_flight: { effect: 'EPHEMERAL_WRITE' } },
    })
    world.troubles.set('payment', { times: 1 })
    world.troubles.set('cancel_flight', { times: 1, effect: 'unknown' })
    const view = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect(view).toMatchObject({ waiting: { for: 'effect', step: 'flight' } })
    const word = { why: 'looked', effect: 'happened' } as const
    const call = view.waiting?.call ?? ''
    const credential = await people.issue(nora)
    await expect(proviso.calls.resolve(call, { ...word, credential })).rejects.toThrow('takes the role')
    await proviso.calls.resolve(call, { ...word, credential: await people.issue(bea) })
    expect((await proviso.sagas.get(view.id))?.state).toBe('COMPENSATED')
    await proviso.close()
  })

  it('is asked of no person where its record knows it [saga-word-only-in-doubt]', async () => {
    const { proviso, world } = await openTrip()
    world.troubles.set('payment', { times: 1 })
    world.troubles.set('cancel_hotel', { times: 1 })
    const view = await proviso.saga(trip).start({ id: 't1' }, ann)
    expect(view).toMatchObject({ state: 'COMPENSATION_FAILED', frozen: { step: 'hotel' } })
    const credential = await people.issue(bea)
    for (const effect of ['happened', 'none'] as const)
      await expect(proviso.sagas.resume(view.id, { credential, why: 'looked', effect })).rejects.toThrow(
        'no step is in doubt',
      )
    await proviso.sagas.resume(view.id, { credential, why: 'the hotel answers again' })
    expect((await proviso.sagas.get(view.id))?.state).toBe('COMPENSATED')
    expect(world.done).toContain('cancel_hotel hotel-of-t1')
    await proviso.close()
  })
})

describe('a saga that waits', () => {
  it('is woken by people with a role of its tenant alone [saga-woken-by-role]', async () => {
    const { proviso, ledger } = await openTrip({ more: { flight: { confirm: true, approval: { quorum: 1 } } } })
    const { id } = await proviso.saga(trip).start({ id: 't1' }, ann)
    const why = 'look again'
    const resume = async (person: typeof bea) =>
      proviso.sagas.resume(id, { why, credential: await people.issue(person) })
    await expect(resume(nora as typeof bea)).rejects.toThrow('takes the role')
    await expect(resume({ ...bea, tenant: 'globex' })).rejects.toThrow('no saga')
    expect(await resume(bea)).toMatchObject({ kind: 'woken' })
    await ledger.sagas.get(id, 'acme')
    await proviso.close()
  })

  it.each(['flight', 'ticket', 'cancel_hotel'] as const)(
    'does not wait for as long as a provider says: people are asked, and it looks again (%s) [saga-asked-pause-capped]',
    async (name) => {
      const tenYears = 315_360_000_000
      const clock = manualClock()
      const world: World = { done: [], troubles: new Map(), unseen: new Set() }
      const { proviso } = await openTrip({ clock, world, tools: slowTools(world, name, tenYears) })
      if (name === 'cancel_hotel') world.troubles.set('payment', { times: 1 })
      world.troubles.set(name, { times: 1, code: 'busy' })
      const { id, state } = await proviso.saga(trip).start({ id: 't1' }, ann)
      expect(state).toBe('WAITING')
      expect(await proviso.escalations.list('acme')).toMatchObject([{ kind: 'saga_stalled' }])
      clock.advance(3_600_000)
      await proviso.recover()
      expect((await proviso.sagas.get(id))?.state).toBe(name === 'cancel_hotel' ? 'COMPENSATED' : 'COMPLETED')
      expect(await proviso.escalations.list('acme')).toEqual([])
      await proviso.close()
    },
  )
})

/** One of the tools says when to come back. */
function slowTools(world: World, name: string, retryAfterMs: number) {
  return tripTools(world).map((tool) => {
    if (tool.contract.identity.name !== name) return tool
    const { executor } = tool.binding
    return {
      ...tool,
      binding: {
        ...tool.binding,
        executor: {
          ...executor,
          run: async (...given: Parameters<typeof executor.run>) => {
            try {
              return await executor.run(...given)
            } catch (error) {
              throw Object.assign(error as Error, { retryAfterMs })
            }
          },
        },
      },
    }
  })
}
