// What a reader in code finds wrong has no predicates to name it by: where something undoes the effect, that is what is required.
import { expect, it } from 'vitest'
import { classOf, context, counted, open, order } from '../pipeline/bench-desk.ts'

const failing = { verify: () => ({ status: 'failed', message: 'It is not as it should be.' }) as const }

it('an effect is a case for its compensation where a reader finds it wrong, and unknown where nothing undoes it [TC-453]', async () => {
  const found = async (compensation: string | undefined) => {
    const undo = counted('LOW_RISK_INTERNAL', { name: 'undo_v1' })
    const tool = counted('LOW_RISK_INTERNAL', { ...failing, ...(compensation === undefined ? {} : { compensation }) })
    const proviso = await open([tool.source, undo.source])
    const answer = await proviso.call(order('c1'), context)
    expect(classOf(answer)).toBe('COMPENSATION_REQUIRED')
    return (await proviso.calls.get(answer.observation.tool_identity.call_id))?.verification
  }
  expect(await found('undo_v1')).toMatchObject({ discrepancy: 'compensation_required', action: 'compensate' })
  expect(await found(undefined)).toMatchObject({ discrepancy: 'unknown' })
})
