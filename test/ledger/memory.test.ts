import { expect, it } from 'vitest'
import { memory } from '../../src/index.ts'
import type { EpochMs } from '../../src/json/clock.ts'
import { ledgerSuite, newClock } from './suite.ts'

ledgerSuite('memory', async () => {
  const clock = newClock()
  return { clock, ledger: memory({ clock }) }
})

it('keeps the newest calls and every slot when it is full', async () => {
  const ledger = memory({ maxCalls: 2 })
  const call = (id: string) => ({
    id,
    key: { tenant: 'a', run: 'r', providerCallId: id, tool: 't', inputHash: 'h' },
    workflow: undefined,
    traceId: 't',
    principal: { user: undefined, roles: [], scopes: [], agent: undefined },
    operationId: undefined,
    version: '1',
    contractHash: 'c',
    argumentText: '{}',
    source: 'text' as const,
    startedAt: 0 as EpochMs,
    passes: 1,
    status: 'SUCCESS',
    effect: 'none',
    latencyMs: 0,
    hookOutputs: undefined,
    permissionInput: undefined,
    callInput: undefined,
    mutations: [],
  })
  for (const id of ['1', '2', '3']) await ledger.record({ call: call(id), facts: [], findAgain: true })
  expect((await ledger.calls({})).map((record) => record.id)).toEqual(['3', '2'])
  expect(await ledger.findCall(call('1').key)).toBeUndefined()
})
