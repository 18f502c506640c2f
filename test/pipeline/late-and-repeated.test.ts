// Results that come late, calls that come again and decisions that are taken back: one answer each, and the right one.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool, type Hook, openProviso, ToolError } from '../../src/index.ts'
import { approveAs, rejectAs } from '../people.ts'
import { approved, classOf, context, counted, isReplay, open, order, reasonOf } from './bench-desk.ts'

describe('late and repeated', () => {
  it('maps a late result like any other: masked, and refused where it does not fit [late-settle-resolves]', async () => {
    const output = { type: 'object', properties: { iban: { type: 'string' } }, required: ['iban'] } as const
    const late = async (result: unknown) => {
      let finish: (value: never) => void = () => {}
      const execute = () =>
        new Promise<never>((resolve) => {
          finish = resolve
        })
      const tool = defineTool({
        name: 'order_v1',
        description: 'x',
        effect: 'MEDIUM_RISK_WRITE',
        timeoutMs: 5,
        redact: ['/iban'],
        strict: false,
        input: {},
        output,
        execute,
      })
      const proviso = await open(tool)
      expect(classOf(await proviso.call(order('c1', {}), context))).toBe('TIMEOUT')
      finish(result as never)
      await expect
        .poll(async () => classOf(await proviso.call(order('c1', {}), context)))
        .not.toBe('IDEMPOTENCY_CONFLICT')
      return proviso.call(order('c1', {}), context)
    }
    const masked = await late({ iban: 'DE89-3704' })
    expect([classOf(masked), masked.value, JSON.stringify(masked).includes('DE89')]).toEqual([
      'SUCCESS',
      { iban: '[masked]' },
      false,
    ])
    const misfit = await late({ iban: 5 })
    expect([classOf(misfit), misfit.effect]).toEqual(['OBSERVATION_NORMALIZATION_FAIL', 'happened'])
  })

  it('answers a call from the generation it was told of, also when it was told to ask again [same-operation-replays]', async () => {
    let release: () => void = () => {}
    const tool = counted('MEDIUM_RISK_WRITE', {
      concurrent: true,
      resource: '/order_id',
      execute: (args) =>
        (args.note === 'A' && release.name !== 'done'
          ? new Promise((resolve) => {
              release = () => resolve({} as never)
            })
          : {}) as never,
    })
    const proviso = await open(tool.source)
    const set = (callId: string, note: string) => proviso.call(order(callId, { order_id: 'o-1', note }), context)
    const first = set('c1', 'A')
    await expect.poll(() => tool.seen.length).toBe(1)
    expect(reasonOf(await set('c2', 'A'))).toBe('in_progress')
    release()
    await first
    await set('c3', 'B')
    const again = await set('c2', 'A')
    expect([isReplay(again), tool.seen.length]).toEqual([true, 2])
  })

  it('takes every call without a provider id for itself where no arguments make it one', async () => {
    const tool = counted('LOW_RISK_INTERNAL')
    const proviso = await open(tool.source)
    for (let time = 0; time < 2; time++) expect(isReplay(await proviso.call(order(undefined), context))).toBe(false)
    expect(tool.seen).toHaveLength(2)
    const asking = counted('HIGH_RISK_EXTERNAL', { operation: 'call' })
    const done = await approved(await open(asking.source), order(undefined))
    expect([classOf(done), asking.seen.length]).toEqual(['SUCCESS', 1])
  })

  it('lets a duplicate wait until the first answer is final [concurrent-duplicates-once]', async () => {
    const tool = counted('MEDIUM_RISK_WRITE', {
      // Both calls come this far before either has taken the lock of their run.
      preflight: async () => undefined,
      verify: async () => ({ status: 'failed', message: 'Not there.' }),
    })
    const proviso = await open(tool.source)
    const answers = await Promise.all(['c1', 'c2'].map((id) => proviso.call(order(id), context)))
    expect(answers.map(classOf)).toEqual(['COMPENSATION_REQUIRED', 'COMPENSATION_REQUIRED'])
  })

  it('keeps mutation records over passes, each once', async () => {
    const input = z.object({ to: z.string().transform((to) => to.trim()), amount: z.number().optional() })
    const tool = defineTool({
      name: 'order_v1',
      description: 'x',
      effect: 'HIGH_RISK_EXTERNAL',
      input,
      execute: () => ({}),
    })
    const hook: Hook = { name: 'adds', preToolUse: () => ({ updatedInput: { amount: 5 } }) }
    const proviso = await open(tool, { hooks: [hook] })
    const done = await approved(proviso, order('c1', { to: ' ann ' }))
    expect(classOf(done)).toBe('SUCCESS')
    const record = await proviso.calls.get(done.observation.tool_identity.call_id)
    expect(record?.mutations.map((mutation) => [mutation.by, mutation.fields])).toEqual([
      ['schema library', ['to']],
      ['adds', ['amount']],
      ['schema library', ['to']],
    ])
    expect(record?.effect).toBe('happened')
  })

  it('withdraws an approval that nothing has used yet', async () => {
    const tool = counted('HIGH_RISK_EXTERNAL')
    const proviso = await open(tool.source)
    const asked = await proviso.call(order('c1'), context)
    await approveAs(proviso, asked.approval?.id ?? '', 'boss')
    expect((await rejectAs(proviso, asked.approval?.id ?? '', 'boss', 'On second thought.')).status).toBe('rejected')
    expect([reasonOf(await proviso.call(order('c1'), context)), tool.seen.length]).toEqual(['approval_rejected', 0])
  })

  it('does not count the requester under dual control [quorum-counts-people]', async () => {
    const tool = counted('HIGH_RISK_EXTERNAL', { approval: { pattern: 'dual_control', quorum: 2 } })
    const proviso = await open(tool.source)
    const asked = await proviso.call(order('c1'), context)
    const id = asked.approval?.id ?? ''
    await expect(approveAs(proviso, id, 'ann')).rejects.toThrow('does not approve it')
    expect((await approveAs(proviso, id, 'bob')).status).toBe('pending')
    expect((await approveAs(proviso, id, 'cleo')).status).toBe('approved')
  })

  it('counts the starts of an executor over all attempts', async () => {
    const failing = counted('MEDIUM_RISK_WRITE', {
      maxRetries: 1,
      errors: { busy: 'DEPENDENCY_UNAVAILABLE' },
      execute: () => {
        throw new ToolError('busy', 'Busy.', { effect: 'none', retryAfterMs: 1 })
      },
    })
    const proviso = await open(failing.source)
    const numbers = []
    for (let time = 0; time < 2; time++)
      numbers.push((await proviso.call(order('c1'), context)).observation.execution_metadata.attempt_number)
    expect(numbers).toEqual([2, 4])
  })

  it('answers for hostile contexts too [call-never-throws]', async () => {
    const proviso = await openProviso({ tools: [counted('LOW_RISK_INTERNAL').source] })
    const throwing = Object.defineProperty({}, 'tenant', {
      enumerable: true,
      get: () => {
        throw new Error('x')
      },
    })
    for (const where of [{ surface: {} }, throwing, { surface: { entries: new Map(), aliases: 5 } }]) {
      const answer = await proviso.call(order('c1'), where as never)
      expect(answer.observation.status.is_error).toBe(true)
    }
    expect(reasonOf(await proviso.call(order('c1'), throwing as never))).toBe('unknown_tenant')
  })
})
