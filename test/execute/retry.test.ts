// Further starts: which failures get one, after which pause, and what is on record of them.
import { describe, expect, it } from 'vitest'
import { type CredentialResolver, type EffectClass, type Proviso, ToolError } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import { classOf, context, counted, open, order } from '../pipeline/bench-desk.ts'

type Extras = NonNullable<Parameters<typeof counted>[1]>
const errors = { busy: 'DEPENDENCY_UNAVAILABLE', limited: 'RATE_LIMITED', wrong: 'SEMANTIC_INVALIDITY' } as const

/** Fails as told, once for each entry, and then returns. */
function failing(effect: EffectClass, failures: readonly (() => unknown)[], extras: Extras = {}) {
  let at = 0
  return counted(effect, {
    maxRetries: 3,
    errors,
    execute: () => {
      const failure = failures[at++]
      if (failure === undefined) return {} as never
      return failure() as never
    },
    ...extras,
  })
}
const throws =
  (code: string, effect: 'none' | 'happened' | 'unknown' = 'none', retryAfterMs?: number) =>
  (): never => {
    throw new ToolError(code, 'Not now.', { effect, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
  }
const hangs = () => new Promise(() => undefined)

/** Randomness that is always the same, so that pauses are as short as they may be. */
const still = { bytes: (count: number) => new Uint8Array(count) }

async function executed(proviso: Proviso, callId: string) {
  const facts = await proviso.calls.facts(callId)
  return facts.findLast(({ phase }) => phase === 'execute')?.evidence as Record<string, unknown>
}

async function called(tool: ReturnType<typeof counted>, more: object = {}, options: object = {}) {
  const proviso = await open(tool.source, { entropy: still, ...options })
  const answer = await proviso.call(order('c1'), { ...context, ...more })
  const evidence = await executed(proviso, answer.observation.tool_identity.call_id)
  return { answer, evidence, starts: tool.seen.length, proviso }
}

describe('a failure', () => {
  it('without effect is tried again with the same key and bytes, and every start is on record [retries-are-recorded] [retried-only-when-safe] [TC-155, TC-188, TC-189, TC-417]', async () => {
    const tool = failing('MEDIUM_RISK_WRITE', [throws('busy'), throws('limited', 'none', 5)])
    const { answer, evidence } = await called(tool)
    expect([classOf(answer), answer.observation.execution_metadata.attempt_number]).toEqual(['SUCCESS', 3])
    expect(evidence).toMatchObject({
      tries: 3,
      outcome: 'returned',
      starts: [
        { outcome: 'busy', class: 'DEPENDENCY_UNAVAILABLE', effect: 'none', paused_ms: 0, ms: expect.any(Number) },
        { outcome: 'limited', class: 'RATE_LIMITED', effect: 'none', paused_ms: 5 },
        { outcome: 'returned', effect: 'happened' },
      ],
    })
    expect(new Set(tool.seen.map((one) => JSON.stringify(one))).size).toBe(1)
  })

  it('whose class no second try can mend is not tried again [TC-188]', async () => {
    const { evidence, starts } = await called(failing('MEDIUM_RISK_WRITE', [throws('wrong')]))
    expect([evidence.gave_up, starts]).toEqual(['not_retryable', 1])
  })

  it('that may have had an effect, or had one, is not tried again, and that is counted [retries-are-recorded] [TC-306, TC-323, TC-413]', async () => {
    for (const effect of ['unknown', 'happened'] as const) {
      const { answer, evidence, starts } = await called(failing('MEDIUM_RISK_WRITE', [throws('busy', effect)]))
      expect([evidence.retries_blocked, starts, answer.effect]).toEqual([`effect_${effect}`, 1, effect])
    }
    const late = await called(failing('MEDIUM_RISK_WRITE', [hangs], { timeoutMs: 10 }))
    expect([late.evidence.retries_blocked, late.starts]).toEqual(['effect_unknown', 1])
    const wanted = await called(failing('MEDIUM_RISK_WRITE', [throws('busy', 'unknown')], { maxRetries: 0 }))
    expect(wanted.evidence).not.toHaveProperty('retries_blocked')
  })

  it('of a read is tried again with every effect, if its class allows it [TC-188]', async () => {
    const { answer, starts } = await called(failing('READ_ONLY', [hangs, throws('busy', 'unknown')], { timeoutMs: 20 }))
    expect([classOf(answer), starts]).toEqual(['SUCCESS', 3])
  })

  it('whose provider asks for more patience than a call has is left to the caller', async () => {
    const { answer, evidence, starts } = await called(failing('READ_ONLY', [throws('limited', 'none', 60_000)]))
    expect([evidence.gave_up, starts, answer.retryAfterMs]).toEqual(['pause_too_long', 1, 60_000])
    const odd = () => {
      throw Object.assign(new ToolError('busy', 'x', { effect: 'none' }), { retryAfterMs: 'soon' })
    }
    expect((await called(failing('READ_ONLY', [odd, odd]))).starts).toBe(3)
  })

  it('is followed by pauses that grow, and never shorter ones than the provider asked for', async () => {
    const full = { bytes: (count: number) => new Uint8Array(count).fill(255) }
    const failures = [throws('busy'), throws('busy'), throws('limited', 'none', 40)]
    const { evidence } = await called(failing('READ_ONLY', failures), {}, { entropy: full })
    const pauses = (evidence.starts as readonly { paused_ms?: number }[]).map(({ paused_ms }) => paused_ms)
    expect(pauses).toEqual([200, 400, 44, undefined])
  })
})

describe('a further start', () => {
  /** One window, whenever the test runs. */
  const windowSec = 31_536_000

  it('counts against the rate of its tool, and there is none where that is used up [starts-are-counted]', async () => {
    const tool = failing('MEDIUM_RISK_WRITE', [throws('busy'), throws('busy'), throws('busy')], {
      rate: { windowSec, maxRequests: 2 },
    })
    const { answer, evidence, starts, proviso } = await called(tool)
    expect([starts, evidence.gave_up, answer.effect]).toEqual([2, 'rate_limited', 'none'])
    expect([classOf(answer), answer.retryAfterMs ?? 0]).toEqual(['DEPENDENCY_UNAVAILABLE', expect.any(Number)])
    expect(answer.retryAfterMs).toBeGreaterThan(0)
    expect(classOf(await proviso.call(order('c2'), context))).toBe('RATE_LIMITED')
  })

  it('that the rate refuses leaves an effect in doubt where the first left one [starts-are-counted]', async () => {
    const tool = failing('MEDIUM_RISK_WRITE', [throws('busy', 'unknown')], {
      rate: { windowSec, maxRequests: 1 },
      recovery: { providerWindowMs: 3_600_000 },
    })
    const { answer, evidence, starts } = await called(tool)
    expect([starts, evidence.gave_up, answer.effect, answer.retryAfterMs]).toEqual([
      1,
      'rate_limited',
      'unknown',
      undefined,
    ])
  })

  it('of a paid read is paid for, and of a paid change only what happened is [starts-are-counted]', async () => {
    const budgets = { limits: [{ id: 'pot', kind: 'financial', per: 'tenant', max: 2, currency: 'EUR' }] } as const
    const cost = { currency: 'EUR', cost_per_call: 1 } as const
    const twice = [throws('busy'), throws('busy')]
    const read = await called(failing('READ_ONLY', twice, { cost }), {}, { budgets })
    expect([read.starts, read.evidence.gave_up, classOf(read.answer)]).toEqual([
      2,
      'budget_exhausted',
      'DEPENDENCY_UNAVAILABLE',
    ])
    const write = await called(failing('MEDIUM_RISK_WRITE', twice, { cost }), {}, { budgets })
    expect([write.starts, classOf(write.answer)]).toEqual([3, 'SUCCESS'])
    const [pot] = (await write.proviso.budgets.left(context)).filter(({ limit }) => limit === 'pot')
    expect(pot?.used).toBe('1')
  })

  it('that the ledger cannot count is not made [starts-are-counted]', async () => {
    const kept = memory()
    let lost = 0
    const ledger: Ledger = {
      ...kept,
      operations: {
        ...kept.operations,
        admit: (request) => {
          if (request.slot !== undefined) return kept.operations.admit(request)
          lost++
          throw new Error('The ledger is gone.')
        },
      },
    }
    const { evidence, starts, answer } = await called(failing('MEDIUM_RISK_WRITE', [throws('busy')]), {}, { ledger })
    expect([evidence.gave_up, starts, answer.effect, lost]).toEqual(['not_counted', 1, 'none', 1])
  })
})

describe('a provider that honours the key', () => {
  const window = { recovery: { providerWindowMs: 3_600_000 }, timeoutMs: 30 }

  it('is sent the same request again within its window, also where the effect of the first is unknown [retried-only-when-safe] [TC-175, TC-306]', async () => {
    const tool = failing('MEDIUM_RISK_WRITE', [hangs, throws('busy', 'unknown')], window)
    const { answer, evidence } = await called(tool)
    expect([classOf(answer), answer.effect, tool.seen.length]).toEqual(['SUCCESS', 'happened', 3])
    expect(new Set(tool.seen.map(({ key }) => key)).size).toBe(1)
    expect(evidence.starts).toMatchObject([{ outcome: 'timeout', effect: 'unknown' }, { outcome: 'busy' }, {}])
  })

  it('that says it did nothing of the second says nothing of the first', async () => {
    const failures = [hangs, throws('wrong', 'none')]
    const { answer } = await called(failing('MEDIUM_RISK_WRITE', failures, window))
    expect([classOf(answer), answer.effect]).toEqual(['SEMANTIC_INVALIDITY', 'unknown'])
  })

  it('whose window is over is not asked again', async () => {
    const short = { recovery: { providerWindowMs: 500 }, timeoutMs: 30 }
    const { evidence, starts } = await called(failing('MEDIUM_RISK_WRITE', [hangs], short))
    expect([evidence.retries_blocked, starts]).toEqual(['effect_unknown', 1])
  })

  it('whose first answer comes while the second is awaited has done it once [late-settle-resolves]', async () => {
    let finish: (value: unknown) => void = () => undefined
    const first = () =>
      new Promise((resolve) => {
        finish = resolve
      })
    const second = () => {
      finish({ done: 'first' })
      return new Promise((_, reject) => {
        setTimeout(() => reject(new ToolError('wrong', 'No.', { effect: 'unknown' })), 10)
      })
    }
    const { answer, proviso } = await called(
      failing('MEDIUM_RISK_WRITE', [first, second], { ...window, timeoutMs: 50 }),
    )
    expect([classOf(answer), answer.effect, answer.value]).toEqual(['SUCCESS', 'happened', { done: 'first' }])
    expect(await proviso.escalations.list()).toEqual([])
  })

  it('whose first answer comes before the second request is sent is not sent it [retried-only-when-safe]', async () => {
    const first = () => new Promise((resolve) => setTimeout(() => resolve({ done: 'first' }), 60))
    const tool = failing('MEDIUM_RISK_WRITE', [first], window)
    const slow = { bytes: (count: number) => new Uint8Array(count).fill(255) }
    const { answer, evidence } = await called(tool, {}, { entropy: slow })
    expect([classOf(answer), answer.effect, answer.value]).toEqual(['SUCCESS', 'happened', { done: 'first' }])
    expect([tool.seen.length, evidence.retries_blocked]).toEqual([1, 'effect_happened'])
  })

  it('that says in time that it did nothing is believed, also where there is no room for another start [starts-are-counted]', async () => {
    const first = () =>
      new Promise((_, reject) => {
        setTimeout(() => reject(new ToolError('busy', 'Never arrived.', { effect: 'none' })), 60)
      })
    const tool = failing('MEDIUM_RISK_WRITE', [first], { ...window, rate: { windowSec: 31_536_000, maxRequests: 1 } })
    const slow = { bytes: (count: number) => new Uint8Array(count).fill(255) }
    const { answer, evidence, proviso } = await called(tool, {}, { entropy: slow })
    expect([evidence.gave_up, answer.effect, classOf(answer)]).toEqual([
      'rate_limited',
      'none',
      'DEPENDENCY_UNAVAILABLE',
    ])
    expect(await proviso.escalations.list()).toEqual([])
  })

  it('that ends without effect at the word that its time is up leaves nothing in doubt [late-settle-resolves]', async () => {
    const tool = counted('MEDIUM_RISK_WRITE', {
      errors,
      timeoutMs: 30,
      execute: (_args, { signal }) =>
        new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(new ToolError('busy', 'Taken back.', { effect: 'none' })))
        }),
    })
    const { answer, proviso } = await called(tool)
    expect([classOf(answer), answer.effect]).toEqual(['TIMEOUT', 'none'])
    expect(await proviso.calls.list({})).toMatchObject([{ status: 'TIMEOUT', effect: 'none' }])
    expect(await proviso.escalations.list()).toEqual([])
  })

  it('whose first request ends without effect after the call was answered leaves the second in doubt', async () => {
    let refuse: (error: unknown) => void = () => undefined
    const first = () =>
      new Promise((_, reject) => {
        refuse = reject
      })
    const tool = failing('MEDIUM_RISK_WRITE', [first, hangs, hangs, hangs], window)
    const { answer, proviso } = await called(tool)
    expect([answer.effect, tool.seen.length]).toEqual(['unknown', 4])
    refuse(new ToolError('busy', 'Never arrived.', { effect: 'none' }))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await proviso.call(order('c1'), context)).effect).toBe('unknown')
  })
})

describe('the time that a caller gives', () => {
  it('ends what takes longer, and starts nothing when it is over [deadline-is-kept]', async () => {
    const read = await called(failing('READ_ONLY', [hangs]), { deadlineMs: 30 })
    expect([classOf(read.answer), read.answer.effect, read.evidence.outcome]).toEqual(['TIMEOUT', 'none', 'deadline'])
    const write = await called(failing('MEDIUM_RISK_WRITE', [hangs]), { deadlineMs: 30 })
    expect([classOf(write.answer), write.answer.effect]).toEqual(['TIMEOUT', 'unknown'])
    for (const deadlineMs of [0, -5]) {
      const never = await called(failing('MEDIUM_RISK_WRITE', []), { deadlineMs })
      expect([classOf(never.answer), never.answer.effect, never.starts]).toEqual(['TIMEOUT', 'none', 0])
    }
  })

  it('lets nothing be tried again that it does not hold [deadline-is-kept]', async () => {
    // A write may take its whole timeout, and that is longer than what is left.
    const write = await called(failing('MEDIUM_RISK_WRITE', [throws('busy')], { timeoutMs: 5_000 }), {
      deadlineMs: 2_000,
    })
    expect([write.evidence.gave_up, write.starts, write.answer.effect]).toEqual(['deadline', 1, 'none'])
    const read = await called(failing('READ_ONLY', [throws('busy', 'none', 3_000)]), { deadlineMs: 2_000 })
    expect([read.evidence.gave_up, read.starts]).toEqual(['deadline', 1])
    const fits = await called(failing('READ_ONLY', [throws('busy')]), { deadlineMs: 20_000 })
    expect([classOf(fits.answer), fits.starts]).toEqual(['SUCCESS', 2])
  })

  it('has to be a time', async () => {
    const tool = failing('READ_ONLY', [])
    const { answer, starts } = await called(tool, { deadlineMs: 'soon' })
    expect([classOf(answer), starts]).toEqual(['PERMISSION_DENIED', 0])
  })
})

describe('a call that keeps a secret', () => {
  it('is asked again for every start, and again where it did not answer [credentials-after-admission]', async () => {
    let asked = 0
    const credentials: CredentialResolver = {
      id: 'x',
      resolve() {
        if (++asked === 1) throw new Error('down')
        return { kind: 'found', value: `secret-number-${asked}` }
      },
    }
    const secrets: unknown[] = []
    const tool = counted('MEDIUM_RISK_WRITE', {
      maxRetries: 3,
      errors,
      credentials: { key: { ref: 'a' } },
      execute: (_, context) => {
        secrets.push(context.credentials.get('key'))
        if (secrets.length === 1) throw new ToolError('busy', 'Busy.', { effect: 'none' })
        return {} as never
      },
    })
    const { answer, evidence } = await called(tool, {}, { credentials })
    expect([classOf(answer), secrets]).toEqual(['SUCCESS', ['secret-number-2', 'secret-number-3']])
    expect(evidence.starts).toMatchObject([{ outcome: 'credential_unavailable', effect: 'none' }, {}, {}])
  })
})
