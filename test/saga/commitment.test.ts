// What others may rely on while a saga is on its way: before its pivot, behind it, at its end, and once it was undone.
import { expect, it } from 'vitest'
import { ann, openTrip, trip } from './trip.ts'

it('a saga is tentative before its pivot, eventually consistent behind it, and committed or undone in the end [TC-203, TC-205, TC-208]', async () => {
  const waiting = await openTrip({ more: { flight: { confirm: true, approval: { quorum: 1 } } } })
  expect(await waiting.proviso.saga(trip).start({ id: 't1' }, ann)).toMatchObject({
    state: 'WAITING',
    commitment: 'tentative',
  })
  const stalled = await openTrip()
  stalled.world.troubles.set('ticket', { times: 9 })
  expect(await stalled.proviso.saga(trip).start({ id: 't1' }, ann)).toMatchObject({
    state: 'WAITING',
    commitment: 'eventually_consistent',
  })
  const whole = await openTrip()
  expect(await whole.proviso.saga(trip).start({ id: 't1' }, ann)).toMatchObject({ commitment: 'committed' })
  const back = await openTrip()
  back.world.troubles.set('payment', { times: 1 })
  expect(await back.proviso.saga(trip).start({ id: 't1' }, ann)).toMatchObject({ commitment: 'undone' })
  for (const { proviso } of [waiting, stalled, whole, back]) await proviso.close()
})
