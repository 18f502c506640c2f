import { describe, expect, it } from 'vitest'
import { ToolError } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import { manualClock } from '../../src/public/testing.ts'
import { classOf, context, counted, isReplay, open, order, reasonOf, warningsOf } from './bench-desk.ts'

describe('one effect per operation', () => {
  it('answers a repeated provider call from the record and runs nothing [same-operation-replays] [TC-101, TC-169, TC-272, TC-293]', async () => {
    const tool = counted('LOW_RISK_INTERNAL')
    const proviso = await open(tool.source)
    const first = await proviso.call(order('c1'), context)
    const second = await proviso.call(order('c1'), context)
    expect([classOf(first), first.effect, isReplay(first)]).toEqual(['SUCCESS', 'happened', false])
    expect([classOf(second), second.effect, isReplay(second)]).toEqual(['SUCCESS', 'happened', true])
    expect(second.value).toEqual(first.value)
    expect(tool.seen).toHaveLength(1)
  })

  it("answers a caller's own operation from the record, under any id of the provider [same-operation-replays]", async () => {
    const tool = counted('LOW_RISK_INTERNAL')
    const proviso = await open(tool.source)
    await proviso.call(order('c1'), { ...context, operationId: 'op-7' })
    const again = await proviso.call(order('c2'), { ...context, operationId: 'op-7', run: 'another-run' })
    expect(isReplay(again)).toBe(true)
    expect(tool.seen).toHaveLength(1)
  })

  it('refuses the same operation with another amount and reports what stands [changed-operation-refused] [TC-101, TC-157, TC-200, TC-309, TC-329, TC-411]', async () => {
    const tool = counted('MEDIUM_RISK_WRITE', { operation: ['/order_id'] })
    const proviso = await open(tool.source)
    await proviso.call(order('c1', { order_id: 'o-1', amount: 10 }), context)
    const changed = await proviso.call(order('c2', { order_id: 'o-1', amount: 999 }), context)
    expect([classOf(changed), reasonOf(changed), changed.effect]).toEqual([
      'SIGNATURE_MISMATCH',
      'operation_reused',
      'happened',
    ])
    expect(changed.response).toMatchObject({ retryable: false, repairable: false, fail_closed: true })
    expect(tool.seen).toHaveLength(1)
  })

  it('executes the same risky call once per run and says that it did [same-arguments-once-per-run]', async () => {
    const tool = counted('MEDIUM_RISK_WRITE')
    const proviso = await open(tool.source)
    const answers = []
    for (const id of ['c1', 'c2', 'c3']) answers.push(await proviso.call(order(id), context))
    expect(tool.seen).toHaveLength(1)
    expect(answers.map(isReplay)).toEqual([false, true, true])
    expect(warningsOf(answers[2] as (typeof answers)[0])).toEqual(['deduplicated'])
    const elsewhere = await proviso.call(order('c1'), { ...context, run: 'run-2' })
    expect(isReplay(elsewhere)).toBe(false)
    expect(tool.seen).toHaveLength(2)
  })

  it('lets every call be its own operation where the binding says so', async () => {
    const tool = counted('MEDIUM_RISK_WRITE', { operation: 'call' })
    const proviso = await open(tool.source)
    await proviso.call(order('c1'), context)
    await proviso.call(order('c2'), context)
    await proviso.call(order('c2'), context)
    expect(tool.seen).toHaveLength(2)
  })

  it('has one effect for identical calls at the same time [concurrent-duplicates-once] [TC-101, TC-168, TC-182, TC-308]', async () => {
    for (const concurrent of [false, true]) {
      const tool = counted('MEDIUM_RISK_WRITE', {
        concurrent,
        execute: async () => new Promise((done) => setImmediate(() => done({}))),
      })
      const proviso = await open(tool.source)
      const answers = await Promise.all(['c1', 'c2', 'c3'].map((id) => proviso.call(order(id), context)))
      expect(tool.seen).toHaveLength(1)
      expect(answers.filter((answer) => classOf(answer) === 'SUCCESS' && !isReplay(answer))).toHaveLength(1)
      for (const answer of answers) expect(['SUCCESS', 'IDEMPOTENCY_CONFLICT']).toContain(classOf(answer))
      const busy = answers.filter((answer) => classOf(answer) === 'IDEMPOTENCY_CONFLICT')
      for (const answer of busy) {
        expect([answer.effect, answer.response.retryable]).toEqual(['unknown', true])
        expect(answer.retryAfterMs).toBeGreaterThan(0)
      }
    }
  })

  it('has one effect for the same provider call delivered twice at once [concurrent-duplicates-once] [TC-155]', async () => {
    const tool = counted('LOW_RISK_INTERNAL', { concurrent: true })
    const proviso = await open(tool.source)
    await Promise.all([proviso.call(order('c1'), context), proviso.call(order('c1'), context)])
    expect(tool.seen).toHaveLength(1)
  })

  it('holds and escalates an unknown effect and refuses to repeat it [unknown-effect-is-held] [TC-193, TC-313, TC-413, TC-417, TC-441, TC-462]', async () => {
    const tool = counted('MEDIUM_RISK_WRITE', {
      execute: () => {
        throw new Error('connection reset by peer, password=hunter2')
      },
    })
    const proviso = await open(tool.source)
    const failed = await proviso.call(order('c1'), context)
    expect([classOf(failed), failed.effect]).toEqual(['UNKNOWN_ERROR', 'unknown'])
    expect(failed.response).toMatchObject({
      retryable: false,
      repairable: false,
      escalate: true,
      next_action: 'await_resolution',
    })
    expect(JSON.stringify(failed)).not.toContain('hunter2')
    const again = await proviso.call(order('c2'), context)
    expect([classOf(again), reasonOf(again), again.effect]).toEqual(['IDEMPOTENCY_CONFLICT', 'held', 'unknown'])
    expect(again.response.retryable).toBe(false)
    expect(tool.seen).toHaveLength(1)
    expect((await proviso.escalations.list('acme')).map((entry) => entry.kind)).toEqual(['unknown_effect'])
  })

  it('lets a late end of the attempt resolve its own held operation [late-settle-resolves] [TC-461]', async () => {
    let finish: (value: object) => void = () => {}
    const tool = counted('MEDIUM_RISK_WRITE', {
      timeoutMs: 5,
      execute: () =>
        new Promise<object>((resolve) => {
          finish = resolve
        }) as Promise<Record<string, never>>,
    })
    const proviso = await open(tool.source)
    const slow = await proviso.call(order('c1'), context)
    expect([classOf(slow), slow.effect]).toEqual(['TIMEOUT', 'unknown'])
    finish({ receipt: 'r-9' })
    await expect.poll(async () => classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
    const recorded = await proviso.call(order('c1'), context)
    expect([recorded.effect, recorded.value, tool.seen.length]).toEqual(['happened', { receipt: 'r-9' }, 1])
    const facts = await proviso.calls.facts(slow.observation.tool_identity.call_id)
    expect(facts.some((fact) => fact.verdict.kind === 'late')).toBe(true)
    expect(await proviso.escalations.list('acme')).toEqual([])
  })

  it('opens a new generation after a failure without effect, for a new call only [declined-may-be-tried-again]', async () => {
    let declined = true
    const tool = counted('MEDIUM_RISK_WRITE', {
      operation: ['/order_id'],
      errors: { card_declined: 'SEMANTIC_INVALIDITY' },
      execute: () => {
        if (declined) throw new ToolError('card_declined', 'The card was declined.', { effect: 'none' })
        return {}
      },
    })
    const proviso = await open(tool.source)
    const first = await proviso.call(order('c1'), context)
    expect([classOf(first), first.effect]).toEqual(['SEMANTIC_INVALIDITY', 'none'])
    declined = false
    const sameCall = await proviso.call(order('c1'), context)
    expect([classOf(sameCall), isReplay(sameCall), tool.seen.length]).toEqual(['SEMANTIC_INVALIDITY', true, 1])
    const newCall = await proviso.call(order('c2'), context)
    expect([classOf(newCall), tool.seen.length]).toEqual(['SUCCESS', 2])
    const firstAgain = await proviso.call(order('c1'), context)
    expect([classOf(firstAgain), isReplay(firstAgain), tool.seen.length]).toEqual(['SEMANTIC_INVALIDITY', true, 2])
    expect(tool.seen[0]?.key).not.toBe(tool.seen[1]?.key)
  })

  it("never opens a generation for a caller's own operation", async () => {
    const tool = counted('MEDIUM_RISK_WRITE', {
      execute: () => {
        throw new ToolError('refused', 'No.', { effect: 'none' })
      },
    })
    const proviso = await open(tool.source)
    await proviso.call(order('c1'), { ...context, operationId: 'op' })
    const again = await proviso.call(order('c2'), { ...context, operationId: 'op' })
    expect([isReplay(again), tool.seen.length]).toEqual([true, 1])
  })

  it('does the same again once a later call changed the same resource', async () => {
    const tool = counted('MEDIUM_RISK_WRITE', { resource: '/order_id' })
    const proviso = await open(tool.source)
    const set = (callId: string, note: string) => proviso.call(order(callId, { order_id: 'o-1', note }), context)
    await set('c1', 'A')
    await set('c2', 'B')
    const back = await set('c3', 'A')
    expect([isReplay(back), tool.seen.length]).toEqual([false, 3])
    const delivered = await set('c3', 'A')
    expect([isReplay(delivered), tool.seen.length]).toEqual([true, 3])
    const old = await set('c1', 'A')
    expect([isReplay(old), tool.seen.length]).toEqual([true, 3])
  })

  it('remembers which call was answered from which generation', async () => {
    const tool = counted('MEDIUM_RISK_WRITE', { resource: '/order_id' })
    const proviso = await open(tool.source)
    const set = (callId: string, note: string) => proviso.call(order(callId, { order_id: 'o-1', note }), context)
    await set('c1', 'A')
    await set('c2', 'A')
    await set('c3', 'B')
    const deliveredAgain = await set('c2', 'A')
    expect([isReplay(deliveredAgain), tool.seen.length]).toEqual([true, 2])
  })

  it('runs a failed operation again only where nothing can stand, with the same key [retried-only-when-safe] [idempotency-key-is-stable] [TC-156, TC-170, TC-185, TC-307, TC-397, EP-16]', async () => {
    let down = true
    const tool = counted('MEDIUM_RISK_WRITE', {
      errors: { ECONNREFUSED: 'DEPENDENCY_UNAVAILABLE' },
      execute: () => {
        if (down) throw new ToolError('ECONNREFUSED', 'The provider is down.', { effect: 'none', retryAfterMs: 2_000 })
        return {}
      },
    })
    const proviso = await open(tool.source)
    const failed = await proviso.call(order('c1'), context)
    expect([classOf(failed), failed.effect, failed.response.retryable, failed.retryAfterMs]).toEqual([
      'DEPENDENCY_UNAVAILABLE',
      'none',
      true,
      2_000,
    ])
    down = false
    const retried = await proviso.call(order('c1'), context)
    expect([classOf(retried), isReplay(retried), retried.observation.execution_metadata.attempt_number]).toEqual([
      'SUCCESS',
      false,
      2,
    ])
    expect(tool.seen.map((entry) => entry.key)).toEqual([tool.seen[0]?.key, tool.seen[0]?.key])
    expect(tool.seen[0]?.key).toMatch(/^[0-9a-f]{64}$/)
  })

  it('reports the effect that stands when a later gate refuses [effect-never-understated]', async () => {
    const tool = counted('LOW_RISK_INTERNAL', { scopes: ['orders:write'] })
    const proviso = await open(tool.source)
    await proviso.call(order('c1'), { ...context, scopes: ['orders:write'] })
    const denied = await proviso.call(order('c1'), context)
    expect([classOf(denied), denied.effect, denied.response.next_action]).toEqual([
      'PERMISSION_DENIED',
      'happened',
      'accept_effect',
    ])
  })

  it('rejects a finished operation that is no longer remembered, and never executes it', async () => {
    const clock = manualClock()
    const tool = counted('MEDIUM_RISK_WRITE', { rememberSeconds: 60, operation: ['/order_id'] })
    const proviso = await open(tool.source, { clock, ledger: memory({ clock }) })
    await proviso.call(order('c1'), context)
    clock.advance(61_000)
    const late = await proviso.call(order('c9'), context)
    expect([classOf(late), reasonOf(late), late.effect, late.response.retryable]).toEqual([
      'IDEMPOTENCY_CONFLICT',
      'operation_expired',
      'happened',
      false,
    ])
    expect(tool.seen).toHaveLength(1)
  })

  it('says again what a finished operation came to, long after, where its tool wants that said, and never executes it', async () => {
    const clock = manualClock()
    const kept = counted('MEDIUM_RISK_WRITE', {
      rememberSeconds: 60,
      operation: ['/order_id'],
      recovery: { expired: 'rebuild' },
    })
    const proviso = await open(kept.source, { clock, ledger: memory({ clock }) })
    await proviso.call(order('c1'), context)
    clock.advance(61_000)
    const late = await proviso.call(order('c9'), context)
    expect([isReplay(late), classOf(late), late.effect, kept.seen.length]).toEqual([true, 'SUCCESS', 'happened', 1])
  })
})
