import { describe, expect, it } from 'vitest'
import { type Answer, Fault, type Proviso, ToolError } from '../../src/index.ts'
import { approveAs } from '../people.ts'
import { classOf, context, counted, isReplay, named, nextTurn, open, order, reasonOf } from './bench-desk.ts'

/** A tool that runs until it is let go, and tells when it was aborted. */
function gated(
  name: string,
  extras: Parameters<typeof counted>[1] = {},
  effect: Parameters<typeof counted>[0] = 'READ_ONLY',
) {
  const running = new Map<string, () => void>()
  const aborted: string[] = []
  const tool = counted(effect, {
    name,
    ...extras,
    execute: ({ order_id }, { signal }) =>
      new Promise((resolve) => {
        running.set(order_id, () => resolve({}))
        signal.addEventListener('abort', () => aborted.push(order_id))
      }),
  })
  const until = async (count: number) => {
    while (running.size < count) await nextTurn()
  }
  return { ...tool, running, aborted, until, finish: () => [...running.values()].map((done) => done()) }
}

const failing = (
  name: string,
  extras: Parameters<typeof counted>[1] = {},
  effect: Parameters<typeof counted>[0] = 'LOW_RISK_INTERNAL',
) =>
  counted(effect, {
    name,
    ...extras,
    execute: () => {
      throw new ToolError('no', 'It does not work.', { effect: 'none' })
    },
  })

async function facts(proviso: Proviso, answer: Answer | undefined) {
  const id = answer?.observation.tool_identity.call_id ?? ''
  return { record: await proviso.calls.get(id), facts: await proviso.calls.facts(id) }
}

describe('a batch of calls', () => {
  it('runs reads together and writes of its run one after another, and answers in the order of the proposals [batch-answers-all] [EP-13]', async () => {
    const reads = gated('read_v1')
    let writing = 0
    let most = 0
    const write = counted('LOW_RISK_INTERNAL', {
      name: 'write_v1',
      execute: async () => {
        most = Math.max(most, ++writing)
        await nextTurn()
        writing--
        return {}
      },
    })
    const proviso = await open([reads.source, write.source])
    const given = ['a', 'b', 'c'].flatMap((id) => [named('read_v1', id), named('write_v1', `w${id}`)])
    const all = proviso.callAll(given, context)
    await reads.until(3)
    reads.finish()
    const answers = await all
    expect(answers.map(({ observation }) => observation.tool_identity.name)).toEqual(given.map(({ tool }) => tool))
    expect([answers.map(classOf), most]).toEqual([Array(6).fill('SUCCESS'), 1])
    expect(await proviso.callAll([], context)).toEqual([])
  })

  it('answers any proposal, and refuses options that are none [batch-answers-all] [EP-05, EP-25, EP-26]', async () => {
    const proviso = await open(counted('READ_ONLY').source)
    const hostile = {
      get tool(): string {
        throw new Error('x')
      },
    }
    const answers = await proviso.callAll(
      [hostile, null as never, 5 as never, { tool: '__proto__' }, order('c1'), order('c2', { order_id: 5 })],
      context,
    )
    expect(answers.map(reasonOf)).toEqual([
      'unknown_tool',
      'unknown_tool',
      'unknown_tool',
      // All names that no tool has are one loop.
      'repair_exhausted',
      undefined,
      'schema_validation_failed',
    ])
    for (const options of [
      { maxParallel: 0 },
      { maxParallel: 1.5 },
      { deadlineMs: -1 },
      { ordering: 'any' as never },
      { siblingFailure: 'toString' as never },
      { contextModifiers: '' as never },
      { after: { 0: [0] } },
      { after: { 1: [-1] } },
      { after: { 7: [0] } },
    ])
      await expect(proviso.callAll([order('c1'), order('c2')], context, options)).rejects.toThrow(Fault)
  })

  it('gives the second of two equal operations the answer of the first [concurrent-duplicates-once]', async () => {
    for (const concurrent of [false, true]) {
      const tool = counted('MEDIUM_RISK_WRITE', {
        concurrent,
        execute: async () => {
          await nextTurn()
          return {}
        },
      })
      const proviso = await open(tool.source)
      const answers = await proviso.callAll([order('c1'), order('c1'), order('c2')], context)
      expect(answers.map((answer) => [classOf(answer), isReplay(answer)])).toEqual([
        ['SUCCESS', false],
        ['SUCCESS', true],
        ['SUCCESS', true],
      ])
      expect(tool.seen).toHaveLength(1)
    }
  })

  it('starts no more calls at once than it may, and one at a time in order where it is serial [EP-63, EP-68]', async () => {
    for (const [options, expected] of [
      [{ maxParallel: 3 }, 3],
      [{ ordering: 'serial' }, 1],
    ] as const) {
      let running = 0
      let most = 0
      const tool = counted('READ_ONLY', {
        execute: async () => {
          most = Math.max(most, ++running)
          await nextTurn()
          running--
          return {}
        },
      })
      const proviso = await open(tool.source)
      const ids = Array.from({ length: 10 }, (_, index) => `o${index}`)
      await proviso.callAll(
        ids.map((id) => order(id, { order_id: id })),
        context,
        options,
      )
      expect(most).toBe(expected)
      expect(tool.seen.map(({ args }) => (args as { order_id: string }).order_id)).toEqual(ids)
    }
  })

  it('streams answers in the order of the proposals, or as they come [batch-answers-all] [EP-63]', async () => {
    for (const [ordering, expected] of [
      ['preserve_terminal_order', [0, 1, 2]],
      ['allow_unordered', [2, 1, 0]],
    ] as const) {
      const tool = gated('order_v1')
      const proviso = await open(tool.source)
      const stream = proviso.stream(
        ['a', 'b', 'c'].map((id) => order(id, { order_id: id })),
        context,
        { ordering },
      )
      await tool.until(3)
      const seen: number[] = []
      const reading = (async () => {
        for await (const { index } of stream) seen.push(index)
      })()
      for (const id of ['c', 'b', 'a']) {
        tool.running.get(id)?.()
        await nextTurn()
      }
      await reading
      expect(seen).toEqual(expected)
      expect(await stream.next()).toEqual({ done: true, value: undefined })
    }
  })

  it('lets what may not be interrupted go on when its reader goes away, aborts what may, and starts nothing more [batch-answers-all] [EP-64]', async () => {
    const blocking = gated('block_v1', {}, 'LOW_RISK_INTERNAL')
    const cancelling = gated('cancel_v1')
    const proviso = await open([blocking.source, cancelling.source])
    const given = [named('cancel_v1', 'a'), named('block_v1', 'b'), named('block_v1', 'c'), named('cancel_v1', 'd')]
    const stream = proviso.stream(given, context, { maxParallel: 3, ordering: 'allow_unordered' })
    await blocking.until(1)
    await cancelling.until(1)
    expect(await stream.return?.()).toEqual({ done: true, value: undefined })
    expect([cancelling.aborted, blocking.aborted]).toEqual([['a'], []])
    blocking.finish()
    const ends = async () =>
      new Map((await proviso.calls.list()).map(({ key, status }) => [key.providerCallId, status]))
    while ([...(await ends()).values()].filter((status) => status !== 'RUNNING').length < 4) await nextTurn()
    expect(await ends()).toEqual(
      new Map([
        ['a', 'UNKNOWN_ERROR'],
        ['b', 'SUCCESS'],
        ['c', 'UNKNOWN_ERROR'],
        ['d', 'UNKNOWN_ERROR'],
      ]),
    )
    expect([blocking.seen.length, cancelling.seen.length]).toEqual([1, 1])
  })

  it('ends at its deadline and when its caller leaves, each call with a reason and on record [batch-answers-all]', async () => {
    for (const [how, taxonomyClass, reason] of [
      ['deadline', 'TIMEOUT', 'timeout'],
      ['signal', 'UNKNOWN_ERROR', 'canceled'],
      ['aborted', 'UNKNOWN_ERROR', 'canceled'],
    ] as const) {
      const tool = gated('order_v1', { interrupt: 'cancel' }, 'LOW_RISK_INTERNAL')
      const proviso = await open(tool.source)
      const leaver = new AbortController()
      if (how === 'aborted') leaver.abort()
      const all = proviso.callAll(
        ['a', 'b'].map((id) => order(id, { order_id: id })),
        { ...context, ...(how === 'deadline' ? {} : { signal: leaver.signal }) },
        how === 'deadline' ? { deadlineMs: 30 } : {},
      )
      if (how === 'signal') {
        await tool.until(1)
        leaver.abort()
      }
      const [first, second] = await all
      if (first === undefined || second === undefined) throw new Error('unreachable')
      if (how === 'aborted') expect([reasonOf(first), first.effect]).toEqual(['canceled', 'none'])
      else expect([reasonOf(first), first.effect, tool.aborted]).toEqual(['canceled', 'unknown', ['a']])
      expect([classOf(second), reasonOf(second), second.effect]).toEqual([taxonomyClass, reason, 'none'])
      const kept = await facts(proviso, second)
      expect(kept.record?.status).toBe(taxonomyClass)
      expect(kept.facts.at(-2)).toMatchObject({ phase: 'schedule', verdict: { kind: 'stop', reason } })
    }
  })

  it('asks no person about a call that will not start any more', async () => {
    const proviso = await open([failing('fail_v1').source, counted('HIGH_RISK_EXTERNAL', { name: 'ask_v1' }).source])
    const answers = await proviso.callAll([named('fail_v1', 'a'), named('ask_v1', 'b')], context, {
      ordering: 'serial',
      siblingFailure: 'cancel_siblings',
    })
    expect(answers.map(reasonOf)).toEqual(['execution_failed', 'sibling_canceled'])
    expect(await proviso.approvals.list()).toEqual([])
  })

  it('lets a failure cancel nothing, everything that has not started, or what depends on it [batch-sibling-policy] [EP-14, EP-28, EP-66]', async () => {
    const given = [
      named('fail_v1', 'a', { order_id: 'x' }),
      named('write_v1', 'b', { order_id: 'x' }),
      named('write_v1', 'c', { order_id: 'y' }),
      named('read_v1', 'd', { order_id: 'x' }),
      named('read_v1', 'e', { order_id: 'y' }),
      named('write_v1', 'f', { order_id: 'z' }),
    ]
    for (const [siblingFailure, expected] of [
      ['ignore', 'FSSSSS'],
      ['cancel_siblings', 'FXXXXX'],
      ['cancel_dependent', 'FXSXSX'],
    ] as const) {
      const locked = { locks: ['/order_id'] }
      const proviso = await open([
        failing('fail_v1', locked).source,
        counted('LOW_RISK_INTERNAL', { name: 'write_v1', ...locked }).source,
        counted('READ_ONLY', { name: 'read_v1', ...locked }).source,
      ])
      const options = {
        siblingFailure,
        after: { 5: [1] },
        ...(siblingFailure === 'cancel_siblings' ? { maxParallel: 1 } : {}),
      }
      const answers = await proviso.callAll(given, context, options)
      const letters = answers.map((answer) => {
        const reason = reasonOf(answer)
        return reason === undefined ? 'S' : reason === 'sibling_canceled' ? 'X' : 'F'
      })
      expect(letters.join('')).toBe(expected)
      for (const answer of answers.filter((each) => reasonOf(each) === 'sibling_canceled')) {
        expect([answer.effect, answer.response.next_action, answer.response.retryable]).toEqual([
          'none',
          'stop_and_report',
          false,
        ])
        const kept = await facts(proviso, answer)
        expect(kept.record?.status).toBe('UNKNOWN_ERROR')
        expect(kept.facts.some(({ phase, verdict }) => phase === 'schedule' && verdict.kind === 'stop')).toBe(true)
      }
    }
  })

  it('takes a call that failed its validation, or waits for a person, for one that did not succeed [batch-sibling-policy]', async () => {
    const locked = { locks: ['/order_id'] }
    const proviso = await open([
      counted('HIGH_RISK_EXTERNAL', { name: 'ask_v1', ...locked }).source,
      counted('LOW_RISK_INTERNAL', { name: 'write_v1', ...locked }).source,
    ])
    const dependent = { siblingFailure: 'cancel_dependent' } as const
    const invalid = [named('write_v1', 'a', { order_id: 'x', amount: -1 }), named('write_v1', 'b', { order_id: 'x' })]
    expect((await proviso.callAll(invalid, context, dependent)).map(reasonOf)).toEqual([
      'schema_validation_failed',
      'sibling_canceled',
    ])
    const pending = [
      named('ask_v1', 'c', { order_id: 'x' }),
      named('write_v1', 'd', { order_id: 'x' }),
      named('write_v1', 'e'),
    ]
    const answers = await proviso.callAll(pending, context, dependent)
    expect(answers.map(reasonOf)).toEqual(['approval_pending', 'sibling_canceled', undefined])
    // What waits is no failure, so its siblings are not cancelled; once approved, the step goes on.
    await approveAs(proviso, answers[0]?.approval?.id ?? '', 'boss')
    const again = await proviso.callAll(pending, context, { siblingFailure: 'cancel_siblings' })
    expect(again.map(classOf)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
  })

  it('cancels what waits for its turn or for a lock, and what a hook has thrown at still has its answer [batch-answers-all]', async () => {
    const slow = gated('slow_v1', { locks: ['/order_id'] }, 'LOW_RISK_INTERNAL')
    const proviso = await open([slow.source, failing('fail_v1', { concurrent: true }).source], {
      hooks: [
        {
          name: 'thrower',
          preToolUse: ({ input }) => {
            if (input.order_id === 'bad') throw new Error('x')
            return undefined
          },
        },
      ],
    })
    const given = [named('slow_v1', 'a'), named('slow_v1', 'b', { order_id: 'a' }), named('fail_v1', 'bad')]
    const all = proviso.callAll(given, context, { siblingFailure: 'cancel_siblings' })
    await slow.until(1)
    // The failure is on record by then, and the first goes on to its end.
    while ((await proviso.calls.list({ status: 'UNKNOWN_ERROR' })).length < 2) await nextTurn()
    slow.finish()
    expect((await all).map(reasonOf)).toEqual([undefined, 'sibling_canceled', 'hook_failed'])
  })
})
