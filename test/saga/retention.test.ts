// Which sagas retention drops, and what is left of them.
import { expect, it } from 'vitest'
import type { SagaState } from '../../src/contract/saga/saga.ts'
import type { EpochMs } from '../../src/json/clock.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { laterBy } from '../ledger/databases.ts'
import { databasesOfFile } from '../ledger/databases-of-file.ts'
import { sagaStart } from '../ledger/requests.ts'
import { ann, openTrip, trip } from './trip.ts'

const databases = databasesOfFile()

const weekMs = 7 * 86_400_000
const before = (Date.now() + 2 * weekMs) as EpochMs

it('drops what is over and old with its journal, and nothing that is open, frozen or failed [saga-retention]', async () => {
  const url = await databases.fresh()
  const ledger = await postgres(url, { connections: 2 })
  const at = async (on: typeof ledger, id: string, state: SagaState) => {
    await on.sagas.create(sagaStart({ id }), 60_000)
    const write = { tenant: 'acme', id, epoch: 1, seq: 1, entries: [], state, direction: 'forward' } as const
    await on.sagas.append({ ...write, dueMs: undefined })
  }
  const states = ['RUNNING', 'WAITING', 'COMPLETED', 'COMPENSATED', 'COMPENSATION_FAILED', 'FROZEN'] as const
  for (const state of states) await at(ledger, state, state)
  await ledger.close()

  const later = await postgres(url, { ...laterBy(3 * weekMs), connections: 2 })
  await at(later, 'new', 'COMPLETED')
  expect(await later.log?.retire({ before, reason: 'old' })).toMatchObject({ ok: true })
  const left = (await later.sagas.list({})).map(({ id }) => id).sort()
  expect(left).toEqual(['COMPENSATION_FAILED', 'FROZEN', 'RUNNING', 'WAITING', 'new'])
  expect(await later.sagas.journal('COMPLETED', 'acme')).toEqual([])
  expect(await later.sagas.journal('FROZEN', 'acme')).toHaveLength(1)
  await later.close()
})

it('does not begin one anew that was dropped: its slots say that it was there [saga-retention]', async () => {
  const url = await databases.fresh()
  const first = await openTrip({ ledger: await postgres(url, { connections: 3 }) })
  const context = { ...ann, operationId: 'order-7' }
  expect(await first.proviso.saga(trip).start({ id: 't1' }, context)).toMatchObject({ state: 'COMPLETED' })
  await first.proviso.close()

  const ledger = await postgres(url, { ...laterBy(3 * weekMs), connections: 3 })
  expect(await ledger.log?.retire({ before, reason: 'old' })).toMatchObject({ ok: true })
  const { proviso, world } = await openTrip({ ledger })
  const saga = proviso.saga(trip)
  await expect(saga.start({ id: 't1' }, context)).rejects.toThrow('not kept any more')
  expect(world.done).toEqual([])
  expect(await saga.start({ id: 't1' }, { ...ann, operationId: 'order-8' })).toMatchObject({ state: 'COMPLETED' })
  await proviso.close()
})
