import { describe, expect, it } from 'vitest'
import { memory } from '../../src/ledger/index.ts'
import { manualClock } from '../../src/public/testing.ts'
import { classOf, context, counted, open, order, reasonOf } from './bench-desk.ts'

describe('state, budget, rate and order', () => {
  it('refuses a target that changed, vanished, forbids the call or cannot be read [stale-state-refused] [TC-090, TC-302, TC-417]', async () => {
    let state: object | null | Error = { version: 3 }
    const tool = counted('LOW_RISK_INTERNAL', {
      state: {
        read: () => {
          if (state instanceof Error) throw state
          return state as never
        },
        match: [{ argument: '/amount', state: '/version' }],
        allows: (found) => (found.locked === true ? 'The order is locked.' : undefined),
      },
    })
    const proviso = await open(tool.source)
    const set = (callId: string) => proviso.call(order(callId, { order_id: 'o', amount: 3 }), context)
    expect(classOf(await set('c1'))).toBe('SUCCESS')
    state = { version: 4 }
    const stale = await set('c2')
    expect([classOf(stale), stale.feedback?.field_errors[0], stale.response.next_action]).toEqual([
      'STALE_STATE',
      expect.objectContaining({ field: 'amount', expected: '4', actual: '3' }),
      'refresh_state_and_replan',
    ])
    state = null
    expect(reasonOf(await set('c3'))).toBe('target_missing')
    state = { version: 3, locked: true }
    expect((await set('c4')).feedback?.field_errors[0]?.message).toBe('The order is locked.')
    state = new Error('db down')
    expect(classOf(await set('c5'))).toBe('DEPENDENCY_UNAVAILABLE')
    expect(tool.seen).toHaveLength(1)
  })

  it('stops a run that used up its budget, and refused calls cost nothing [budget-per-run] [TC-150]', async () => {
    const tool = counted('LOW_RISK_INTERNAL')
    const proviso = await open(tool.source, { budgets: { write: 2 } })
    await proviso.call(order('bad', { order_id: 5 }), context)
    for (const id of ['c1', 'c1', 'c2']) expect(classOf(await proviso.call(order(id), context))).toBe('SUCCESS')
    const refused = await proviso.call(order('c3'), context)
    expect([classOf(refused), refused.effect, refused.response.next_action]).toEqual([
      'BUDGET_EXHAUSTED',
      'none',
      'request_budget',
    ])
    expect(classOf(await proviso.call(order('c3'), { ...context, run: 'run-2' }))).toBe('SUCCESS')
    expect(tool.seen).toHaveLength(3)
  })

  it('refuses beyond the rate of a tool with the time to wait [rate-window] [TC-142, TC-305, EP-90]', async () => {
    const clock = manualClock()
    const tool = counted('READ_ONLY', { rate: { windowSec: 10, maxRequests: 2 } })
    const proviso = await open(tool.source, { clock, ledger: memory({ clock }) })
    for (const id of ['c1', 'c2']) expect(classOf(await proviso.call(order(id), context))).toBe('SUCCESS')
    const refused = await proviso.call(order('c3'), context)
    expect([classOf(refused), refused.retryAfterMs, refused.response.retryable]).toEqual(['RATE_LIMITED', 10_000, true])
    expect(classOf(await proviso.call(order('c3'), { ...context, tenant: 'globex' }))).toBe('SUCCESS')
    clock.advance(10_000)
    expect(classOf(await proviso.call(order('c4'), context))).toBe('SUCCESS')
  })

  it('runs mutating calls of one run, and calls with equal locks, one after another [locks-serialize] [EP-13, EP-39, EP-62]', async () => {
    let running = 0
    let most = 0
    const execute = async () => {
      most = Math.max(most, ++running)
      await new Promise((done) => setImmediate(done))
      running--
      return {}
    }
    const serial = await open(counted('LOW_RISK_INTERNAL', { execute }).source)
    await Promise.all(['a', 'b', 'c'].map((id) => serial.call(order(id, { order_id: id }), context)))
    expect(most).toBe(1)
    const free = await open(counted('LOW_RISK_INTERNAL', { execute, concurrent: true }).source)
    await Promise.all(['a', 'b', 'c'].map((id) => free.call(order(id, { order_id: id }), context)))
    expect(most).toBe(3)
    most = 0
    const locked = await open(counted('LOW_RISK_INTERNAL', { execute, concurrent: true, locks: ['/order_id'] }).source)
    await Promise.all(
      ['a', 'b', 'c'].map((id) => locked.call(order(id, { order_id: 'same', note: id }), { ...context, run: id })),
    )
    expect(most).toBe(1)
  })

  it('judges the state again after waiting for a lock [judged-again-after-wait]', async () => {
    let open_ = true
    const tool = counted('LOW_RISK_INTERNAL', {
      state: {
        read: () => ({ open: open_ }),
        allows: (state) => (state.open === true ? undefined : 'Already closed.'),
      },
      execute: async () => {
        await new Promise((done) => setImmediate(done))
        open_ = false
        return {}
      },
    })
    const proviso = await open(tool.source)
    const answers = await Promise.all(['a', 'b'].map((id) => proviso.call(order(id, { order_id: id }), context)))
    expect(answers.map(classOf)).toEqual(['SUCCESS', 'STALE_STATE'])
    expect(tool.seen).toHaveLength(1)
  })

  it('does nothing for a caller that went away before the start [cancel-before-start] [EP-14]', async () => {
    const tool = counted('LOW_RISK_INTERNAL', { execute: () => new Promise(() => {}) as never, timeoutMs: 40 })
    const proviso = await open(tool.source)
    const gone = await proviso.call(order('c0'), { ...context, signal: AbortSignal.abort() })
    expect([reasonOf(gone), gone.effect]).toEqual(['canceled', 'none'])
    const first = proviso.call(order('c1'), context)
    const leaver = new AbortController()
    const second = proviso.call(order('c2', { order_id: 'x' }), { ...context, signal: leaver.signal })
    leaver.abort()
    expect([reasonOf(await second), (await second).effect]).toEqual(['canceled', 'none'])
    expect(classOf(await first)).toBe('TIMEOUT')
    expect(tool.seen).toHaveLength(1)
  })
})
