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

it('says what others may rely on: tentative, committed right behind the pivot, and eventually consistent on the way to the end [TC-203, TC-205, TC-208]', () => {
  const plan = [
    { id: 'hotel', kind: 'compensable', tool: 'book_hotel_v1', compensation: 'cancel_hotel_v1' },
    { id: 'pay', kind: 'pivot', tool: 'pay_v1', compensation: null },
    { id: 'ticket', kind: 'retryable', tool: 'print_v1', compensation: null },
  ] as const
  const of = { direction: 'forward', round: 1 } as const
  const rendered = (step: string) => ({ kind: 'rendered', step, ...of, tool: 'x', arguments: {} }) as const
  const done = {
    call: 'c',
    ok: true,
    effect: 'happened',
    class: 'SUCCESS',
    reason: null,
    message: '',
    result: null,
    ref: null,
  }
  const ended = (step: string) => ({ kind: 'ended', step, ...of, ...done }) as never
  const lines = [rendered('hotel'), ended('hotel'), rendered('pay'), ended('pay'), rendered('ticket'), ended('ticket')]
  const whole = lines.map((line, index) => ({ ...(line as object), seq: index + 1, epoch: 1, at }) as JournalEntry)
  const after = (seq: number, state: SagaRecord['state'] = 'RUNNING') =>
    viewSaga({ ...record, plan, state, direction: 'forward', seq }, whole).commitment
  expect([0, 1, 2, 3, 4, 5, 6].map((seq) => after(seq))).toEqual([
    ...['tentative', 'tentative', 'tentative', 'tentative'],
    ...['committed', 'eventually_consistent', 'committed'],
  ])
  expect(after(2, 'COMPENSATED')).toBe('undone')
})
