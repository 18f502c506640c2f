import { expect, it } from 'vitest'
import { defineTool, openProviso } from '../index.ts'
import { isRefusal, refusalOf } from './refusal.ts'

const proviso = await openProviso({
  tools: [
    defineTool({
      name: 'pay',
      description: 'Pays.',
      effect: 'MEDIUM_RISK_WRITE',
      input: { type: 'object', required: ['n'], additionalProperties: false, properties: { n: { type: 'integer' } } },
      execute: ({ n }) => ({ paid: n }),
      verify: ({ n }) => (n === 1 ? { status: 'verified' } : { status: 'partial', message: 'Half of it is there.' }),
    }),
  ],
})
const call = (args: unknown) => proviso.call({ tool: 'pay', arguments: args }, { run: 'r' })

it('is nothing for a success', async () => {
  expect(refusalOf(await call({ n: 1 }), { paid: 1 })).toBeUndefined()
})

it('names the fields that are wrong and survives being stored', async () => {
  const refusal = refusalOf(await call({ n: 'x', m: 1 }), undefined)
  expect(refusal?.field_errors?.map(({ field }) => field)).toEqual(['m', 'n'])
  expect(isRefusal(JSON.parse(JSON.stringify(refusal)))).toBe(true)
})

it('carries the result where the effect is there and something is wrong with it', async () => {
  const answer = await call({ n: 2 })
  expect(refusalOf(answer, answer.value)).toEqual({
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
  expect(isRefusal(output)).toBe(false)
})
