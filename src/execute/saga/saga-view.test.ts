import { expect, it } from 'vitest'
import type { JournalEntry, SagaRecord } from '../../contract/saga/saga.ts'
import type { EpochMs } from '../../json/clock.ts'
import { viewSaga } from './saga-view.ts'

const at = 1_000 as EpochMs
const record: SagaRecord = {
  id: 'saga-1',
  tenant: 'acme',
  name: 'trip',
  definition: 'd1',
  version: undefined,
  plan: [{ id: 'hotel', kind: 'compensable', tool: 'book_hotel_v1', compensation: 'cancel_hotel_v1' }],
  input: {},
  context: { run: 'run-1' },
  state: 'COMPENSATING',
  direction: 'backward',
  epoch: 1,
  seq: 1,
  createdAt: at,
  updatedAt: at,
  dueAt: at,
}
const journal: readonly JournalEntry[] = [
  { kind: 'turned', step: 'hotel', message: 'No room.', seq: 1, epoch: 1, at },
  { kind: 'frozen', step: 'hotel', direction: 'backward', call: 'call-1', message: 'Refused.', seq: 2, epoch: 1, at },
]

it('shows of a journal what the record already speaks of, and nothing that was written since', () => {
  expect(viewSaga(record, journal)).toMatchObject({
    state: 'COMPENSATING',
    frozen: undefined,
    turned: { step: 'hotel' },
  })
  const after = { ...record, state: 'COMPENSATION_FAILED', seq: 2, dueAt: undefined } as const
  expect(viewSaga(after, journal)).toMatchObject({ state: 'COMPENSATION_FAILED', frozen: { step: 'hotel' } })
})
