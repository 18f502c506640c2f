import { describe, expect, it } from 'vitest'
import { type CallContext, ToolError } from '../../src/index.ts'
import { classOf, context, counted, isReplay, open, order, reasonOf } from './bench-desk.ts'

const secret = { private: 'of Ann' }

/** A tool whose operations callers name; what it returns is Ann's alone. */
const desk = (extras: Parameters<typeof counted>[1] = {}) =>
  counted('MEDIUM_RISK_WRITE', { operation: ['/order_id'], execute: () => secret as never, ...extras })

const others: readonly (readonly [who: string, where: CallContext])[] = [
  ['another user', { tenant: 'acme', user: 'bob', run: 'run-2' }],
  ['another agent without a user', { tenant: 'acme', agent: 'ann', run: 'run-2' }],
  ['a caller that names neither', { tenant: 'acme', run: 'run-2' }],
]

describe('the recorded answer of an operation', () => {
  it.each(others)(
    'is not given to %s: it was done, and that is all they learn [answers-belong-to-principals]',
    async (_, where) => {
      const tool = desk()
      const proviso = await open(tool.source)
      await proviso.call(order('c1'), context)
      const answer = await proviso.call(order('c2'), where)
      expect([classOf(answer), reasonOf(answer), answer.effect]).toEqual([
        'IDEMPOTENCY_CONFLICT',
        'done_for_another',
        'happened',
      ])
      expect(answer.response).toMatchObject({ next_action: 'accept_effect', retryable: false, repairable: false })
      expect(JSON.stringify(answer)).not.toContain('of Ann')
      expect(tool.seen).toHaveLength(1)
    },
  )

  it('is given to the same user through another agent and in another run, and to the whole run', async () => {
    const tool = desk()
    const proviso = await open(tool.source)
    await proviso.call(order('c1'), context)
    for (const where of [
      { ...context, run: 'run-2', agent: 'other' },
      { tenant: 'acme', run: 'run-1' },
      { ...context, user: 'bob' },
    ]) {
      const answer = await proviso.call(order('c2'), where)
      expect([isReplay(answer), answer.value]).toEqual([true, secret])
    }
    expect(tool.seen).toHaveLength(1)
  })

  it('is given to all of the tenant where the binding says so', async () => {
    const tool = desk({ share: 'tenant' })
    const proviso = await open(tool.source)
    await proviso.call(order('c1'), context)
    for (const [, where] of others) expect((await proviso.call(order('c2'), where)).value).toEqual(secret)
    expect((await proviso.call(order('c3'), { ...context, tenant: 'globex', user: 'bob' })).value).toEqual(secret)
    expect(tool.seen).toHaveLength(2)
  })

  it('of a failure keeps class and response and loses its details', async () => {
    const tool = desk({
      errors: { refused: 'POLICY_VIOLATION' },
      execute: () => {
        throw new ToolError('refused', 'Ann has no credit.', { effect: 'happened' })
      },
    })
    const proviso = await open(tool.source)
    const own = await proviso.call(order('c1'), context)
    const answer = await proviso.call(order('c2'), { tenant: 'acme', user: 'bob', run: 'run-2' })
    expect([classOf(answer), answer.response, answer.effect]).toEqual([classOf(own), own.response, own.effect])
    expect(reasonOf(answer)).toBe('done_for_another')
    expect(JSON.stringify(answer)).not.toContain('credit')
  })

  it('belongs to the call that is answered; the one that did it stands beside', async () => {
    const tool = desk()
    const proviso = await open(tool.source)
    const first = await proviso.call(order('c1'), { ...context, trace: 'trace-1' })
    const again = await proviso.call(order('c2'), { ...context, trace: 'trace-2' })
    const { tool_identity, execution_metadata } = again.observation
    expect(tool_identity.call_id).not.toBe(first.observation.tool_identity.call_id)
    expect((await proviso.calls.get(tool_identity.call_id))?.key.providerCallId).toBe('c2')
    expect(execution_metadata.trace_id).toBe('trace-2')
    expect(again.replayOf).toEqual({ callId: first.observation.tool_identity.call_id, traceId: 'trace-1' })
    expect(first.replayOf).toBeUndefined()
  })
})
