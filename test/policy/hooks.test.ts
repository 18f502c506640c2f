// The six moments that hooks are told of, and what their answers may do.
import { describe, expect, it } from 'vitest'
import { type Hook, type Progress, type ProvisoOptions, ToolError } from '../../src/index.ts'
import { approveAs } from '../people.ts'
import { classOf, context, counted, isReplay, open, order, reasonOf, warningsOf } from '../pipeline/bench-desk.ts'

type Extras = Parameters<typeof counted>[1]

async function desk(hook: Omit<Hook, 'name'>, effect: Parameters<typeof counted>[0] = 'READ_ONLY', extras?: Extras) {
  const tool = counted(effect, extras)
  const options: Omit<ProvisoOptions, 'tools'> = { hooks: [{ name: 'h', ...hook }] }
  return { tool, proviso: await open(tool.source, options) }
}

describe('hooks', () => {
  it('are told of their moments, in order, with what each is about [six-hook-events] [EP-79]', async () => {
    const told: [string, object][] = []
    const note = (name: string) => (event: object) => void told.push([name, event])
    const { proviso } = await desk(
      {
        preToolUse: note('pre'),
        permissionRequest: note('request'),
        permissionDecision: note('decision'),
        postToolUse: note('post'),
        postToolUseFailure: note('failure'),
        resultPersistence: note('persist'),
      },
      'HIGH_RISK_EXTERNAL',
      { verify: () => ({ status: 'verified' }) },
    )
    const asked = await proviso.call(order('c1'), context)
    expect(told.map(([name]) => name)).toEqual(['pre', 'request', 'decision'])
    expect(told[1]?.[1]).toMatchObject({
      asks: [{ source: 'class/confirmation' }, { source: 'contract/confirmation' }],
    })
    expect(told[2]?.[1]).toMatchObject({ says: 'ask', by: 'class/confirmation' })
    await approveAs(proviso, asked.approval?.id ?? '', 'boss')
    await proviso.call(order('c1'), context)
    // Those of the first pass are not asked again.
    expect(told.slice(3).map(([name]) => name)).toEqual(['post', 'persist'])
    expect(told[3]?.[1]).toMatchObject({ tool: 'order_v1', data: { done: 'o-1' }, effect: 'happened' })
    expect(told[4]?.[1]).toMatchObject({ stored: false, data: { done: 'o-1' } })
    expect(isReplay(await proviso.call(order('c1'), context))).toBe(true)
    expect(told).toHaveLength(5)
  })

  it('are told of a failure, once it is settled, and may speak [six-hook-events] [EP-18, EP-79]', async () => {
    const { proviso } = await desk(
      {
        postToolUseFailure: ({ class: name, message, effect }) => ({
          additionalContext: `${name} ${message} ${effect}`,
        }),
      },
      'LOW_RISK_INTERNAL',
      {
        errors: { busy: 'DEPENDENCY_UNAVAILABLE' },
        execute: () => {
          throw new ToolError('busy', 'Come back later.', { effect: 'none' })
        },
      },
    )
    const failed = await proviso.call(order('c1'), context)
    expect([classOf(failed), failed.effect, failed.observation.result_payload.warnings]).toEqual([
      'DEPENDENCY_UNAVAILABLE',
      'none',
      ['additional_context: DEPENDENCY_UNAVAILABLE Come back later. none'],
    ])
  })

  it('speak to the reader of the answer and to those who watch [six-hook-events] [EP-09, EP-18]', async () => {
    const watched: Progress[] = []
    const hooks: Hook[] = [
      { name: 'a', preToolUse: () => ({ message: 'Watch out.', progress: 'Looking it up.' }) },
      { name: 'b', postToolUse: () => ({ additionalContext: 'Prices are net.' }) },
    ]
    const onProgress = (progress: Progress) => {
      watched.push(progress)
      throw new Error('not my problem')
    }
    const proviso = await open(counted('READ_ONLY').source, { hooks, onProgress })
    const answer = await proviso.call(order('c1'), context)
    expect(answer.observation.result_payload.warnings).toEqual([
      'hook_message: a: Watch out.',
      'additional_context: Prices are net.',
    ])
    expect(watched).toMatchObject([{ hook: 'a', event: 'pre_tool_use', text: 'Looking it up.' }])
  })

  it('cannot allow what another voice denies or asks about [hook-allow-overrides-nobody] [EP-61]', async () => {
    const allow = { permissionResult: { says: 'allow', message: 'All is well.' } } as const
    const hook: Hook = { name: 'nice', preToolUse: () => allow, permissionRequest: () => allow }
    const deny = { id: 'org/no', judge: () => ({ says: 'deny', message: 'Never.' }) as const }
    const tool = counted('HIGH_RISK_EXTERNAL')
    const denied = await open(tool.source, { hooks: [hook], policies: [deny] })
    expect(reasonOf(await denied.call(order('c1'), context))).toBe('policy_blocked')
    const asked = await open(tool.source, { hooks: [hook] })
    expect(classOf(await asked.call(order('c1'), context))).toBe('CONFIRMATION_MISSING')
    const ruled = await open(tool.source, {
      hooks: [hook],
      permissions: { user: [{ id: 'me', says: 'deny' }] },
    })
    expect(reasonOf(await ruled.call(order('c1'), context))).toBe('rule_denied')
    expect(tool.seen).toHaveLength(0)
  })

  it('may deny and ask: before, when a person is to be asked, and when it is decided [six-hook-events] [EP-09]', async () => {
    const says = (word: 'ask' | 'deny') => () => ({ permissionResult: { says: word, message: 'The guard says so.' } })
    const stops = () => ({ stop: 'Enough.' })
    const rows: readonly (readonly [Omit<Hook, 'name'>, Parameters<typeof counted>[0], string])[] = [
      [{ preToolUse: says('deny') }, 'READ_ONLY', 'hook_blocked'],
      [{ preToolUse: says('ask') }, 'READ_ONLY', 'approval_pending'],
      [{ preToolUse: stops }, 'READ_ONLY', 'hook_blocked'],
      [{ permissionRequest: says('deny') }, 'HIGH_RISK_EXTERNAL', 'hook_blocked'],
      [{ permissionRequest: says('ask') }, 'HIGH_RISK_EXTERNAL', 'approval_pending'],
      [{ permissionRequest: stops }, 'HIGH_RISK_EXTERNAL', 'hook_blocked'],
      [{ permissionDecision: stops }, 'READ_ONLY', 'hook_blocked'],
      [{ preToolUse: () => ({ permissionResult: { says: 'sure' } }) as never }, 'READ_ONLY', 'hook_blocked'],
      [{ preToolUse: () => 7 as never }, 'READ_ONLY', 'hook_failed'],
    ]
    for (const [hook, effect, reason] of rows) {
      const { tool, proviso } = await desk(hook, effect)
      expect([reasonOf(await proviso.call(order('c1'), context)), tool.seen.length]).toEqual([reason, 0])
    }
  })

  it('refuse where they fail before the tool runs, and only warn afterwards [failing-hook-refuses]', async () => {
    const fails = () => {
      throw new Error('x')
    }
    const hangs = () => new Promise<undefined>(() => {})
    for (const broken of [fails, hangs]) {
      const before = [{ permissionRequest: broken }, { permissionDecision: broken }]
      for (const hook of before) {
        const { tool, proviso } = await desk(hook, 'HIGH_RISK_EXTERNAL', { timeoutMs: 20 })
        expect([reasonOf(await proviso.call(order('c1'), context)), tool.seen.length]).toEqual(['hook_blocked', 0])
      }
      for (const hook of [{ postToolUse: broken }, { resultPersistence: broken }]) {
        const { proviso } = await desk(hook, 'READ_ONLY', { timeoutMs: 20 })
        const answer = await proviso.call(order('c1'), context)
        expect([classOf(answer), warningsOf(answer)]).toEqual(['SUCCESS', ['post_hook_failed']])
      }
    }
  })

  it('replace the result for the model and for every duplicate, on record as a mutation [six-hook-events] [EP-18, EP-30]', async () => {
    const { proviso } = await desk(
      { postToolUse: ({ data }) => ({ updatedOutput: { ...data, done: '[hidden]' } }) },
      'LOW_RISK_INTERNAL',
    )
    const first = await proviso.call(order('c1'), context)
    expect([first.observation.result_payload.data, first.value]).toEqual([{ done: '[hidden]' }, { done: '[hidden]' }])
    const again = await proviso.call(order('c1'), context)
    expect([isReplay(again), again.observation.result_payload.data, again.value]).toEqual([
      true,
      { done: '[hidden]' },
      { done: '[hidden]' },
    ])
    const record = await proviso.calls.get(first.observation.tool_identity.call_id)
    expect(record?.mutations).toMatchObject([{ by: 'h', reason: 'result replaced by a hook' }])
    const facts = await proviso.calls.facts(first.observation.tool_identity.call_id)
    const seen = facts.find(({ phase, evidence }) => phase === 'after' && evidence !== undefined)
    expect(seen?.evidence).toMatchObject([{ event: 'post_tool_use', updatedOutput: expect.stringMatching(/^sha256:/) }])
  })

  it('show nothing where a replacement cannot be shown, or a result is not to be kept [six-hook-events] [EP-30]', async () => {
    const output = { type: 'object', properties: { done: { type: 'string' } }, required: ['done'] } as never
    const rows: readonly Omit<Hook, 'name'>[] = [
      { postToolUse: () => ({ updatedOutput: { other: 1 } }) },
      { postToolUse: () => ({ updatedOutput: 1n as never }) },
      { resultPersistence: () => ({ stop: 'Not for any reader.' }) },
    ]
    for (const hook of rows) {
      const { proviso } = await desk(hook, 'READ_ONLY', { output })
      const answer = await proviso.call(order('c1'), context)
      expect([classOf(answer), answer.observation.result_payload.data, answer.value, warningsOf(answer)]).toEqual([
        'SUCCESS',
        null,
        null,
        ['result_withheld'],
      ])
    }
  })

  it('have the last word on what is stored [six-hook-events]', async () => {
    const { proviso } = await desk(
      { resultPersistence: ({ stored }) => (stored ? { updatedOutput: { done: 'short' } } : undefined) },
      'READ_ONLY',
      { maxInlineBytes: 100, execute: () => ({ done: 'x'.repeat(500) }) as never },
    )
    const answer = await proviso.call(order('c1'), context)
    expect([answer.observation.result_payload.data, warningsOf(answer)]).toEqual([{ done: 'short' }, []])
  })

  it('are asked once per call, also when it fails, and what they said is used again [hook-runs-once]', async () => {
    let requests = 0
    const { proviso, tool } = await desk(
      { permissionRequest: () => ({ message: `request ${++requests}` }) },
      'HIGH_RISK_EXTERNAL',
      { verify: () => ({ status: 'verified' }) },
    )
    const asked = await proviso.call(order('c1'), context)
    expect(asked.observation.result_payload.warnings).toEqual(['hook_message: h: request 1'])
    await proviso.call(order('c1'), context)
    await approveAs(proviso, asked.approval?.id ?? '', 'boss')
    const done = await proviso.call(order('c1'), context)
    expect([classOf(done), requests, tool.seen.length]).toEqual(['SUCCESS', 1, 1])
    expect(done.observation.result_payload.warnings).toContain('hook_message: h: request 1')
  })
})
