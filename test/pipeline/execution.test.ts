import { describe, expect, it } from 'vitest'
import { defineTool, type Ledger, openProviso, ToolError } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import { withOperations } from '../ledger/with-operations.ts'
import { approveAs } from '../people.ts'
import { classOf, context, counted, isReplay, open, order, reasonOf, warningsOf } from './bench-desk.ts'

describe('execution', () => {
  it('aborts a tool that does not end in time; a write is unknown, a read is not [timeout-is-unknown] [TC-306, EP-15, EP-16]', async () => {
    for (const [effect, expected] of [
      ['READ_ONLY', 'none'],
      ['LOW_RISK_INTERNAL', 'unknown'],
    ] as const) {
      let aborted = false
      const tool = counted(effect, {
        timeoutMs: 5,
        execute: (_, { signal }) =>
          new Promise(() =>
            signal.addEventListener('abort', () => {
              aborted = true
            }),
          ) as never,
      })
      const proviso = await open(tool.source)
      const answer = await proviso.call(order('c1'), context)
      expect([classOf(answer), answer.effect, aborted, answer.response.retryable]).toEqual([
        'TIMEOUT',
        expected,
        true,
        expected === 'none',
      ])
    }
  })

  it('classifies what an executor throws by its contract, and shows only what was said on purpose [executor-failures-classified] [TC-002, TC-103, TC-248, TC-270, EP-16]', async () => {
    const failing = async (error: unknown, effect: 'READ_ONLY' | 'LOW_RISK_INTERNAL' = 'LOW_RISK_INTERNAL') => {
      const tool = counted(effect, {
        errors: { ECONNREFUSED: 'DEPENDENCY_UNAVAILABLE', limited: 'RATE_LIMITED' },
        execute: () => {
          throw error
        },
      })
      return (await open(tool.source)).call(order('c1'), context)
    }
    const refused = await failing(Object.assign(new Error('secret host'), { code: 'ECONNREFUSED' }))
    expect([classOf(refused), refused.effect]).toEqual(['DEPENDENCY_UNAVAILABLE', 'unknown'])
    expect(JSON.stringify(refused)).not.toContain('secret host')
    const limited = await failing(new ToolError('limited', 'Slow down.', { effect: 'none' }))
    expect([classOf(limited), limited.effect, limited.response.retryable]).toEqual(['RATE_LIMITED', 'none', true])
    for (const odd of [
      'text',
      null,
      undefined,
      5,
      Object.create(null),
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('x')
          },
          has: () => {
            throw new Error('x')
          },
        },
      ),
      { code: '__proto__' },
    ]) {
      const answer = await failing(odd)
      expect([classOf(answer), answer.effect]).toEqual(['UNKNOWN_ERROR', 'unknown'])
    }
    expect((await failing(new Error('x'), 'READ_ONLY')).effect).toBe('none')
    const partly = await failing(new ToolError('half', 'Sent, but the receipt is missing.', { effect: 'happened' }))
    expect([partly.effect, partly.response.next_action]).toEqual(['happened', 'accept_effect'])
  })

  it('tries again within one call as often as the contract allows, with the same key [retried-only-when-safe]', async () => {
    const flaky = (failures: number, effect: 'none' | 'unknown') => {
      let left = failures
      return counted('MEDIUM_RISK_WRITE', {
        maxRetries: 2,
        errors: { busy: 'DEPENDENCY_UNAVAILABLE' },
        execute: () => {
          if (left-- > 0) throw new ToolError('busy', 'Busy.', { effect, retryAfterMs: 1 })
          return {}
        },
      })
    }
    const twice = flaky(2, 'none')
    const done = await (await open(twice.source)).call(order('c1'), context)
    expect([classOf(done), twice.seen.length, done.observation.execution_metadata.attempt_number]).toEqual([
      'SUCCESS',
      3,
      3,
    ])
    expect(new Set(twice.seen.map((entry) => entry.key)).size).toBe(1)
    const always = flaky(9, 'none')
    const given = await (await open(always.source)).call(order('c1'), context)
    expect([classOf(given), given.effect, always.seen.length]).toEqual(['DEPENDENCY_UNAVAILABLE', 'none', 3])
    const unsure = flaky(9, 'unknown')
    const held = await (await open(unsure.source)).call(order('c1'), context)
    expect([held.effect, unsure.seen.length]).toEqual(['unknown', 1])
    const never = counted('READ_ONLY', {
      maxRetries: 2,
      execute: () => {
        throw new Error('bug')
      },
    })
    await (await open(never.source)).call(order('c1'), context)
    expect(never.seen).toHaveLength(1)
    const leaver = new AbortController()
    const left = flaky(9, 'none')
    const gone = (await open(left.source)).call(order('c1'), { ...context, signal: leaver.signal })
    // The first try has failed by then, and the pause before the second has begun.
    await new Promise((resolve) => setImmediate(resolve))
    leaver.abort()
    expect([(await gone).effect, left.seen.length <= 1]).toEqual(['none', true])
  })

  it('reports a result of the wrong shape or that is no JSON as happened, and never runs it again [bad-result-is-not-retried] [TC-008, TC-104, TC-330, EP-17]', async () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    const output = {
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      additionalProperties: false,
    } as const
    for (const result of [
      { id: 5 },
      { id: 'a', more: 1 },
      'text',
      cyclic,
      { id: 1n },
      new Map(),
      undefined,
      {
        get id() {
          throw new Error('x')
        },
      },
    ]) {
      let runs = 0
      const tool = defineTool({
        name: 'order_v1',
        description: 'x',
        effect: 'MEDIUM_RISK_WRITE',
        strict: false,
        input: { type: 'object' },
        output,
        execute: () => {
          runs++
          return result as never
        },
      })
      const proviso = await open(tool)
      const answer = await proviso.call(order('c1', {}), context)
      expect([classOf(answer), reasonOf(answer), answer.effect]).toEqual([
        'OBSERVATION_NORMALIZATION_FAIL',
        'result_mapping_failed',
        'happened',
      ])
      expect([answer.response.retryable, answer.response.escalate, answer.response.next_action]).toEqual([
        false,
        true,
        'accept_effect',
      ])
      const again = await proviso.call(order('c2', {}), context)
      expect([isReplay(again), again.effect, runs]).toEqual([true, 'happened', 1])
    }
  })

  it("gives the caller the tool's own value, unchanged [library-value-unchanged] [TC-268, EP-17]", async () => {
    const result = { when: new Date(0), list: [1, { a: null }] }
    const tool = counted('READ_ONLY', { execute: () => result as never })
    const answer = await (await open(tool.source)).call(order('c1'), context)
    expect(answer.value).toEqual(result)
    // Its dates are dates; it is a copy, so nothing that the tool does to its own object later changes what was checked.
    expect((answer.value as typeof result).when).toBeInstanceOf(Date)
    expect(answer.value).not.toBe(result)
    expect(answer.observation.result_payload.data).toEqual({ when: '1970-01-01T00:00:00.000Z', list: [1, { a: null }] })
    const nothing = await (await open(counted('READ_ONLY', { execute: () => undefined as never }).source)).call(
      order('c1'),
      context,
    )
    expect([classOf(nothing), nothing.observation.result_payload.data, warningsOf(nothing)]).toEqual([
      'SUCCESS',
      null,
      ['empty_result'],
    ])
    const scalar = await (await open(counted('READ_ONLY', { execute: () => 7 as never }).source)).call(
      order('c1'),
      context,
    )
    expect([scalar.value, scalar.observation.result_payload.data]).toEqual([7, { value: 7 }])
  })

  it('stores large results, masks what is redacted, and says so, also in the recorded answer [large-results-are-cut] [TC-145, EP-20, EP-21, EP-37, EP-73]', async () => {
    const tool = counted('LOW_RISK_INTERNAL', {
      maxInlineBytes: 100,
      redact: ['/iban'],
      execute: () => ({ text: 'x'.repeat(500), iban: 'DE89-3704' }) as never,
    })
    const proviso = await open(tool.source)
    const first = await proviso.call(order('c1'), context)
    const again = await proviso.call(order('c1'), context)
    for (const answer of [first, again]) {
      expect(warningsOf(answer)).toEqual(['result_redacted', 'result_too_large'])
      expect(answer.observation.result_payload.data).toMatchObject({
        result_ref: expect.any(String),
        bytes: expect.any(Number),
      })
      expect(JSON.stringify(answer)).not.toContain('DE89-3704')
    }
  })

  it('asks for compensation when the effect is not found, and the duplicate is told the same [verifier-failure-compensates] [TC-311]', async () => {
    const tool = counted('MEDIUM_RISK_WRITE', { verify: () => ({ status: 'failed', message: 'No such record.' }) })
    const proviso = await open(tool.source)
    const answer = await proviso.call(order('c1'), context)
    expect([classOf(answer), answer.effect, answer.response.next_action, answer.response.escalate]).toEqual([
      'COMPENSATION_REQUIRED',
      'happened',
      'run_compensation',
      true,
    ])
    const again = await proviso.call(order('c2'), context)
    expect([classOf(again), isReplay(again), tool.seen.length]).toEqual(['COMPENSATION_REQUIRED', true, 1])
    expect((await proviso.escalations.list()).map((entry) => entry.kind)).toEqual(['verification_failed'])
    const partial = await (
      await open(counted('MEDIUM_RISK_WRITE', { verify: () => ({ status: 'partial', message: 'One of two.' }) }).source)
    ).call(order('c1'), context)
    expect([classOf(partial), partial.effect, partial.value]).toEqual(['PARTIAL_SUCCESS', 'happened', { done: 'o-1' }])
  })

  it('says that an effect could not be read back, and never calls that a failure [unverifiable-is-said] [TC-274, TC-430, TC-452]', async () => {
    for (const verify of [
      undefined,
      () => {
        throw new Error('x')
      },
      () => new Promise<never>(() => {}),
    ]) {
      const tool = counted('HIGH_RISK_EXTERNAL', { timeoutMs: 20, ...(verify === undefined ? {} : { verify }) })
      const proviso = await open(tool.source)
      const asked = await proviso.call(order('c1'), context)
      await approveAs(proviso, asked.approval?.id ?? '', 'boss')
      const answer = await proviso.call(order('c1'), context)
      expect([classOf(answer), answer.effect, warningsOf(answer)]).toEqual(['SUCCESS', 'happened', ['unverifiable']])
      expect((await proviso.escalations.list()).map((entry) => entry.kind)).toEqual(['unverifiable'])
    }
  })

  it('answers any proposal, in any context, also where the ledger fails [call-never-throws] [TC-002, TC-106, TC-183, TC-292, TC-335, EP-22, EP-23]', async () => {
    const tool = counted('LOW_RISK_INTERNAL')
    const proviso = await open(tool.source)
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('x')
        },
      },
    )
    for (const proposal of [null, undefined, 5, 'x', [], hostile, { tool: 5 }, { tool: {}, arguments: Symbol('x') }]) {
      for (const where of [null, undefined, 5, {}, { tenant: {}, roles: 5, scopes: null, run: [], signal: 5 }]) {
        const answer = await proviso.call(proposal as never, where as never)
        expect(answer.observation.status.is_error).toBe(true)
      }
    }
    const broken = (method: string): Ledger =>
      withOperations(memory(), {
        [method]: () => {
          throw new Error('lost')
        },
      })
    const expected = {
      lookUp: ['DEPENDENCY_UNAVAILABLE', 'unknown'],
      admit: ['UNKNOWN_ERROR', 'none'],
      record: ['DEPENDENCY_UNAVAILABLE', 'happened'],
    } as const
    for (const [method, [taxonomyClass, effect]] of Object.entries(expected)) {
      const failing = await openProviso({ tools: [tool.source], ledger: broken(method) })
      const answer = await failing.call(order('c1'), context)
      expect([method, classOf(answer), answer.effect, answer.response.retryable]).toEqual([
        method,
        taxonomyClass,
        effect,
        false,
      ])
    }
  })
})
