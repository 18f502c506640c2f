// What undoes a step is an effect like any other: it is read back, and counts only where it is found.
import { expect, it } from 'vitest'
import { ann, openTrip, trip } from './trip.ts'

it('does not count as undone where the compensation reports success and is not found [TC-458]', async () => {
  const { proviso, world, ledger } = await openTrip()
  world.troubles.set('payment', { times: 1 })
  world.unseen.add('cancel_flight')
  const view = await proviso.saga(trip).start({ id: 't1' }, ann)
  expect(view).toMatchObject({ state: 'COMPENSATION_FAILED', frozen: { step: 'flight' } })
  // It was called, said that all was well, and the step before it is left as it is.
  expect(world.done).toEqual(['hotel', 'flight', 'cancel_flight flight-of-t1'])
  expect(view.steps.map(({ state }) => state).slice(0, 2)).toEqual(['done', 'undoing'])
  const [flight] = await ledger.calls.list({ tool: 'flight' })
  const facts = await ledger.calls.facts(flight?.id ?? '')
  const admitted = facts.find(({ phase }) => phase === 'admit')?.evidence as { readonly slot: string } | undefined
  expect((await ledger.operations.slot('acme', admitted?.slot ?? '', undefined)).record?.status).toBe('COMPLETED')
  const kinds = (await proviso.escalations.list('acme')).map(({ kind }) => kind)
  expect(kinds).toEqual(['verification_failed', 'compensation_failed'])
  await proviso.close()
})
