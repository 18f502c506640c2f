// Attacks on the pipeline that were tried once: by code of the host, by callers and by those who race.

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool, type Hook, openProviso, ToolError } from '../../src/index.ts'
import { withOperations } from '../ledger/with-operations.ts'
import { approveAs, people } from '../people.ts'
import { approved, classOf, context, counted, isReplay, open, order, reasonOf } from './bench-desk.ts'

describe('attacks that were tried', () => {
  it('answers and goes on when a verifier or a hook gives no words, and releases the locks of the run [call-never-throws]', async () => {
    const odd = counted('MEDIUM_RISK_WRITE', { verify: () => ({ status: 'failed' }) as never })
    const proviso = await open(odd.source)
    expect(classOf(await proviso.call(order('c1'), context))).toBe('COMPENSATION_REQUIRED')
    expect(classOf(await proviso.call(order('c2', { order_id: 'o-2' }), context))).toBe('COMPENSATION_REQUIRED')
    const hook: Hook = { name: 'mute', preToolUse: () => ({ stop: true }) as never }
    expect(
      reasonOf(await (await open(counted('READ_ONLY').source, { hooks: [hook] })).call(order('c1'), context)),
    ).toBe('hook_blocked')
  })

  it('starts every try with the arguments that were approved [approval-binds-payload] [EP-57]', async () => {
    const amounts: unknown[] = []
    const tool = counted('HIGH_RISK_EXTERNAL', {
      maxRetries: 1,
      errors: { busy: 'DEPENDENCY_UNAVAILABLE' },
      execute: (args) => {
        amounts.push(args.amount)
        if (amounts.length > 1) return {}
        Object.assign(args, { amount: 100_000 })
        throw new ToolError('busy', 'Busy.', { effect: 'none', retryAfterMs: 1 })
      },
    })
    await approved(await open(tool.source), order('c1', { order_id: 'o', amount: 5 }))
    expect(amounts).toEqual([5, 5])
  })

  it('judges a waiting call anew when the request brings another contract [approval-binds-payload]', async () => {
    const ran: string[] = []
    const made = (description: string, scopes: readonly string[]) =>
      counted('HIGH_RISK_EXTERNAL', { description, scopes, execute: () => void ran.push(description) as never }).source
    const proviso = await openProviso({ identity: people })
    const first = await proviso.call(order('c1'), {
      ...context,
      surface: await proviso.surface(context, [made('one', [])]),
    })
    await approveAs(proviso, first.approval?.id ?? '', 'boss')
    const second = await proviso.call(order('c1'), {
      ...context,
      surface: await proviso.surface(context, [made('two', ['admin'])]),
    })
    expect([reasonOf(second), ran]).toEqual(['missing_scope', []])
  })

  it('binds an approval also to what is no JSON, and refuses what cannot be pinned down [approval-binds-payload]', async () => {
    let who = 'alice'
    const reached: unknown[] = []
    const input = z.object({ to: z.string().transform(() => who), amount: z.string().transform(BigInt) })
    const tool = defineTool({
      name: 'order_v1',
      description: 'x',
      effect: 'HIGH_RISK_EXTERNAL',
      input,
      execute: (args) => void reached.push(args.to),
    })
    const proviso = await open(tool)
    const proposal = order('c1', { to: 'boss', amount: '5' })
    const asked = await proviso.call(proposal, context)
    await approveAs(proviso, asked.approval?.id ?? '', 'boss')
    who = 'mallory'
    expect([classOf(await proviso.call(proposal, context)), reached]).toEqual(['CONFIRMATION_MISSING', []])
    const opaque = z.object({
      to: z.string().transform(
        (to) =>
          new (class Address {
            readonly to = to
          })(),
      ),
    })
    const instance = defineTool({
      name: 'order_v1',
      description: 'x',
      effect: 'HIGH_RISK_EXTERNAL',
      input: opaque,
      execute: () => ({}),
    })
    expect(reasonOf(await (await open(instance)).call(order('c1', { to: 'a' }), context))).toBe('approval_invalid')
  })

  it('survives rules and descriptions that promise instead of answering [rules-across-fields]', async () => {
    const rejecting = async () => {
      throw new Error('db down')
    }
    const tool = counted('HIGH_RISK_EXTERNAL', { rules: [{ id: 'async', message: 'Never said.', check: rejecting }] })
    expect(classOf(await (await open(tool.source)).call(order('c1'), context))).toBe('SEMANTIC_INVALIDITY')
    const told = counted('HIGH_RISK_EXTERNAL', {
      consequence: rejecting as never,
      state: { read: () => ({}), after: rejecting as never, allows: (() => true) as never },
    })
    const stale = await (await open(told.source)).call(order('c1'), context)
    expect([classOf(stale), stale.feedback?.field_errors[0]?.message]).toEqual([
      'STALE_STATE',
      'The state does not allow this call.',
    ])
    const asked = await (await open(counted('HIGH_RISK_EXTERNAL', { consequence: rejecting as never }).source)).call(
      order('c1'),
      context,
    )
    expect(asked.effect).toBe('pending')
  })

  it('says unknown, not none, of what it could not look up, by alias too [effect-never-understated]', async () => {
    const tool = counted('MEDIUM_RISK_WRITE', { aliases: ['other'] })
    const { memory } = await import('../../src/ledger/index.ts')
    const lost = await openProviso({
      tools: [tool.source],
      ledger: withOperations(memory(), {
        lookUp: () => {
          throw new Error('lost')
        },
      }),
    })
    for (const name of ['order_v1', 'other']) {
      const answer = await lost.call({ tool: name, arguments: { order_id: 'o' }, callId: 'c1' }, context)
      expect([answer.effect, answer.response.retryable]).toEqual(['unknown', false])
    }
  })

  it('tells the second of two racing calls of the operation, not of its used approval [concurrent-duplicates-once]', async () => {
    const tool = counted('HIGH_RISK_EXTERNAL', {
      concurrent: true,
      execute: () => new Promise((done) => setImmediate(() => done({} as never))) as never,
    })
    const proviso = await open(tool.source)
    const asked = await proviso.call(order('c1'), context)
    await approveAs(proviso, asked.approval?.id ?? '', 'boss')
    const [, second] = await Promise.all(['c1', 'c2'].map((id) => proviso.call(order(id), context)))
    expect([second && classOf(second), second?.effect, tool.seen.length]).toEqual([
      'IDEMPOTENCY_CONFLICT',
      'unknown',
      1,
    ])
  })

  it('holds an operation whose attempt ended in an error that cannot be looked at [unknown-effect-is-held]', async () => {
    const hostile = new Proxy(
      {},
      {
        getPrototypeOf: () => {
          throw new Error('x')
        },
        get: () => {
          throw new Error('x')
        },
        has: () => {
          throw new Error('x')
        },
      },
    )
    const tool = counted('MEDIUM_RISK_WRITE', {
      execute: () => {
        throw hostile
      },
    })
    const proviso = await open(tool.source)
    expect((await proviso.call(order('c1'), context)).effect).toBe('unknown')
    expect(reasonOf(await proviso.call(order('c2'), context))).toBe('held')
    const { memory } = await import('../../src/ledger/index.ts')
    const ledger = memory()
    let broken = true
    const record: typeof ledger.operations.record = (entry) => {
      if (broken) {
        broken = false
        throw new Error('lost once')
      }
      return ledger.operations.record(entry)
    }
    const flaky = await openProviso({
      tools: [counted('MEDIUM_RISK_WRITE').source],
      ledger: withOperations(ledger, { record }),
    })
    expect((await flaky.call(order('c1'), context)).effect).toBe('happened')
    const again = await flaky.call(order('c2'), context)
    expect([isReplay(again), again.effect]).toEqual([true, 'happened'])
  })

  it('takes whole numbers for names and refuses what is none [missing-run-refused]', async () => {
    const tool = counted('LOW_RISK_INTERNAL')
    const proviso = await open(tool.source)
    const numbered = { tenant: 'acme', user: 42, run: 7, operationId: 42 } as never
    for (const id of ['c1', 'c2']) await proviso.call(order(id), numbered)
    expect(tool.seen).toHaveLength(1)
    expect(reasonOf(await proviso.call(order('c3'), { ...context, user: {} as never }))).toBe('bad_context')
  })

  it('keeps a record that callers cannot change through their answers', async () => {
    const tool = counted('LOW_RISK_INTERNAL')
    const proviso = await open(tool.source)
    const answer = await proviso.call(order('c1'), context)
    Object.assign(answer.observation.result_payload.data ?? {}, { done: 'changed' })
    const again = await proviso.call(order('c1'), context)
    Object.assign(again.observation.result_payload.data ?? {}, { done: 'changed' })
    expect((await proviso.call(order('c1'), context)).observation.result_payload.data).toEqual({ done: 'o-1' })
  })

  it('bounds what a run may ask of people and what a duplicate may cost', async () => {
    const tool = counted('HIGH_RISK_EXTERNAL')
    const proviso = await openProviso({ tools: [tool.source] })
    let last = await proviso.call(order('c0', { order_id: 'o-0' }), context)
    for (let count = 1; count <= 100; count++)
      last = await proviso.call(order(`c${count}`, { order_id: `o-${count}` }), context)
    expect(reasonOf(last)).toBe('budget_exhausted')
    const repeated = await openProviso({ tools: [counted('MEDIUM_RISK_WRITE').source] })
    for (let count = 0; count < 1_200; count++) await repeated.call(order(`c${count}`), context)
    const [record] = await repeated.calls.list({ limit: 1 })
    const facts = await repeated.calls.facts(record?.id ?? '')
    expect(JSON.stringify(facts).length).toBeLessThan(20_000)
  })
})
