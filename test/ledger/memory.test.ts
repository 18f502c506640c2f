import { expect, it } from 'vitest'
import { manualClock } from '../../src/json/clock.ts'
import { memory } from '../../src/ledger/index.ts'
import { callRecord } from './requests.ts'
import { ledgerSuite } from './suite.ts'

ledgerSuite('memory', async () => {
  const clock = manualClock()
  const ledger = memory({ clock })
  return { ledger, advance: async (ms) => clock.advance(ms), peer: async () => ledger }
})

const call = (id: string, argumentText = '{}') =>
  callRecord({ id, key: { tenant: 'a', run: 'r', providerCallId: id, tool: 't', inputHash: 'h' }, argumentText })

it('keeps the newest calls when it is full, by number and by bytes', async () => {
  const few = memory({ maxCalls: 2 })
  for (const id of ['1', '2', '3']) await few.operations.record({ call: call(id), facts: [], findAgain: true })
  expect((await few.calls.list({})).map((record) => record.id)).toEqual(['3', '2'])
  expect((await few.operations.lookUp({ key: call('1').key, slot: undefined })).call).toBeUndefined()
  const small = memory({ maxBytes: 1_000 })
  for (const id of ['1', '2', '3'])
    await small.operations.record({ call: call(id, 'x'.repeat(400)), facts: [], findAgain: true })
  expect((await small.calls.list({})).map((record) => record.id)).toEqual(['3', '2'])
})
