// What a saga does to the operation of a step: closed, so that it never runs again, or marked as undone.
import { answerOf, sagaStart } from '../requests.ts'
import { arrangeOperation, ends } from './arrange.ts'
import { changeText, headline, readRecord } from './outcome.ts'
import { appendToSaga, createSaga } from './port.ts'
import { type Family, product } from './rows.ts'

export const sagaSlots: readonly Family[] = [
  {
    name: 'saga-slots',
    combinations: () => product({ record: ['absent', 'admitted', ...ends], step: ['close', 'undo'] }),
    async play({ record: state = '', step }, place) {
      const { ledger, tenant } = place
      await arrangeOperation(place, state, 'caller')
      await createSaga(ledger, sagaStart({ tenant }))
      await place.at(1_000)
      const before = await readRecord(place)
      const close = {
        slotKey: 'slot-1',
        operation: 'op-1',
        requestHash: 'aa01',
        callId: place.call(3),
        run: 'run-1',
        answer: answerOf('closed'),
      }
      const answer = await appendToSaga(ledger, {
        tenant,
        id: 'saga-1',
        epoch: 1,
        seq: 1,
        state: 'RUNNING',
        direction: 'forward',
        entries: [],
        dueMs: 60_000,
        ...(step === 'close' ? { close } : { undone: 'slot-1' }),
      })
      return { found: headline(before), answer, record: changeText(place, before, await readRecord(place)) }
    },
  },
]
