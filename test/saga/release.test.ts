// What of its context a saga keeps for its steps, and what it does not ask of their undoing.
import { expect, it } from 'vitest'
import { makeRelease } from '../../src/public/drift.ts'
import { ann, openTrip, people, trip, tripTools } from './trip.ts'

const model = 'some-model-2026'
const prompt = 'You book trips.'
const asked = { flight: { confirm: true, approval: { quorum: 1 } } }

async function openReleased() {
  const opened = await openTrip({ more: asked })
  const release = makeRelease({ model, prompt, tools: tripTools(opened.world, asked) })
  const credential = await people.issue({ user: 'bea', tenant: 'acme', roles: ['operator', 'approver'] })
  await opened.proviso.releases.promote(release, { by: 'bea', why: 'the first one' })
  return { ...opened, release, credential }
}

it('holds its steps against the release, the model and the prompt it was begun with [saga-keeps-release]', async () => {
  const { proviso, world, release } = await openReleased()
  const saga = proviso.saga(trip)
  for (const other of [{ model: 'another' }, { promptHash: 'another' }]) {
    const view = await saga.start({ id: 't1' }, { ...ann, release: release.id, model, ...other })
    expect(view).toMatchObject({ state: 'COMPENSATED', turned: { step: 'hotel' } })
  }
  expect(world.done).toEqual([])
  const fits = { release: release.id, model, promptHash: release.prompt_template_hash }
  expect(await saga.start({ id: 't1' }, { ...ann, ...fits })).toMatchObject({ state: 'WAITING' })
  expect(world.done).toEqual(['hotel'])
  await proviso.close()
})

it('undoes what was done though the release was rolled back, and does nothing more [saga-keeps-release]', async () => {
  const { proviso, world, release, credential } = await openReleased()
  const view = await proviso.saga(trip).start({ id: 't1' }, { ...ann, release: release.id, model })
  expect(view).toMatchObject({ state: 'WAITING', waiting: { for: 'approval', step: 'flight' } })
  await proviso.releases.rollback({ by: 'bea', why: 'it was wrong' })
  const [pending] = await proviso.approvals.list({ status: 'pending' })
  await proviso.approvals.approve(pending?.id ?? '', { credential, packetHash: pending?.packetHash ?? '' })
  expect(await proviso.sagas.get(view.id)).toMatchObject({ state: 'COMPENSATED', turned: { step: 'flight' } })
  expect(world.done).toEqual(['hotel', 'cancel_hotel hotel-of-t1'])
  await proviso.close()
})
