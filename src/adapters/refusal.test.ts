import { expect, it } from 'vitest'
import { defineTool, openProviso } from '../index.ts'
import { callRefusal, isRefusal, isStoredRefusal, ownResult } from './refusal.ts'

const proviso = await openProviso({
  tools: [
    defineTool({
      name: 'pay',
      description: 'Pays.',
      effect: 'MEDIUM_RISK_WRITE',
      input: { type: 'object', required: ['n'], additionalProperties: false, properties: { n: { type: 'integer' } } },
      // What it returns is its own: a run that has paid may pay again without a person.
      trusted: true,
      execute: ({ n }) => ({ paid: n }),
      verify: ({ n }) => (n === 1 ? { status: 'verified' } : { status: 'partial', message: 'Half of it is there.' }),
    }),
  ],
})
const call = (args: unknown) => proviso.call({ tool: 'pay', arguments: args }, { run: 'r' })

it('is nothing for a success', async () => {
  expect(callRefusal(await call({ n: 1 }), { paid: 1 })).toBeUndefined()
})

it('names the fields that are wrong, and is still told from a result when it was stored', async () => {
  const refusal = callRefusal(await call({ n: 'x', m: 1 }), undefined)
  expect(refusal?.field_errors?.map(({ field }) => field)).toEqual(['m', 'n'])
  expect(isRefusal(refusal)).toBe(true)
  const stored: unknown = JSON.parse(JSON.stringify(refusal))
  expect([isStoredRefusal(stored), isRefusal(stored)]).toEqual([true, false])
})

it('is known by where it was made, not by how it looks', async () => {
  const refusal = callRefusal(await call({}), undefined)
  expect(isRefusal({ ...refusal })).toBe(false)
  expect(isRefusal(ownResult(refusal))).toBe(false)
  expect(ownResult(refusal)).toEqual(refusal)
  const value = {}
  expect(ownResult(value)).toBe(value)
})

it('carries the result where the effect is there and something is wrong with it', async () => {
  const answer = await call({ n: 2 })
  expect(callRefusal(answer, answer.value)).toEqual({
    error: 'PARTIAL_SUCCESS',
    effect: 'happened',
    next_action: 'inspect_partial_result',
    message: 'Half of it is there.',
    result: { paid: 2 },
  })
})

it.each([
  null,
  'TIMEOUT',
  { error: 'TIMEOUT' },
  { error: 'SUCCESS', effect: 'none', next_action: 'continue' },
  { error: 'toString', effect: 'none', next_action: 'continue' },
  { error: 'TIMEOUT', effect: 'none', next_action: 'retry_after_delay', order: 1 },
])("is not mistaken for a tool's own %j", (output) => {
  expect([isRefusal(output), isStoredRefusal(output)]).toEqual([false, false])
})
