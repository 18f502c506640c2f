import { describe, expect, it } from 'vitest'
import { defineTool, type Hook, openProviso } from '../../src/index.ts'
import { classOf, context, counted, open, order, reasonOf } from './bench-desk.ts'

describe('reading and validating', () => {
  it('refuses what is not strict JSON, with the place [strict-reading] [TC-295]', async () => {
    const tool = counted('READ_ONLY')
    const proviso = await open(tool.source)
    const texts = [
      '',
      '{"order_id": "o"',
      'NaN',
      '{"order_id":"a","order_id":"b"}',
      '{"__proto__":{}}',
      '"\\ud800"',
      '[',
      '{"order_id":1e400}',
      '{} {}',
      '['.repeat(10_000_000),
    ]
    for (const [run, text] of texts.entries())
      expect(classOf(await proviso.call(order('c', text), { ...context, run: `run-${run}` }))).toBe(
        'SYNTACTIC_PARSE_FAIL',
      )
    const answer = await proviso.call(order('c', '{\n  "order_id": tru\n}'), context)
    expect(answer.feedback?.field_errors[0]?.message).toMatch(/line 2, column \d+/)
    expect(tool.seen).toHaveLength(0)
  })

  it('counts absent and null arguments as an empty object [null-arguments-are-empty] [DR-22, DR-25]', async () => {
    const seen: unknown[] = []
    const proviso = await openProviso({
      tools: [
        defineTool({
          name: 'ping_v1',
          description: 'Pings.',
          effect: 'READ_ONLY',
          input: { type: 'object', additionalProperties: false },
          execute: (args) => void seen.push(args),
        }),
      ],
    })
    for (const proposal of [
      { tool: 'ping_v1' },
      { tool: 'ping_v1', arguments: null },
      { tool: 'ping_v1', arguments: undefined },
      { tool: 'ping_v1', arguments: '{}' },
    ]) {
      expect(classOf(await proviso.call(proposal))).toBe('SUCCESS')
    }
    expect(seen).toEqual([{}, {}, {}, {}])
    const text = await proviso.call({ tool: 'ping_v1', arguments: 'null' })
    expect([classOf(text), text.feedback?.field_errors[0]]).toEqual([
      'TYPE_MISMATCH',
      expect.objectContaining({ expected: 'object', actual: 'null' }),
    ])
  })

  it('copies an object that was parsed elsewhere, so later changes reach nothing [parsed-arguments-are-copied]', async () => {
    const args: Record<string, unknown> = { order_id: 'o-1' }
    const tool = counted('READ_ONLY')
    const proviso = await open(tool.source)
    const pending = proviso.call(order('c1', args), context)
    args.order_id = 'o-2'
    await pending
    expect(tool.seen[0]?.args).toEqual({ order_id: 'o-1' })
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    for (const bad of [
      cyclic,
      { order_id: 1n },
      { order_id: () => 1 },
      [1],
      'x',
      5,
      new Date(),
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('no')
          },
        },
      ),
    ]) {
      const answer = await proviso.call(order('c2', bad), context)
      expect(['SYNTACTIC_PARSE_FAIL', 'TYPE_MISMATCH']).toContain(classOf(answer))
    }
  })

  it('names every error at once, the worst kind first [all-errors-at-once] [TC-086]', async () => {
    const proviso = await open(counted('READ_ONLY').source)
    const answer = await proviso.call(order('c1', { order_id: 5, amount: 0 }), context)
    expect(classOf(answer)).toBe('TYPE_MISMATCH')
    expect(answer.feedback?.field_errors.map((error) => error.field)).toEqual(['order_id', 'amount'])
    const bounds = await proviso.call(order('c1', { order_id: 'o', amount: 0 }), context)
    expect([classOf(bounds), bounds.feedback?.field_errors[0]?.expected]).toEqual([
      'OUT_OF_BOUNDS',
      expect.stringContaining('1'),
    ])
  })

  it('shows the value of a sensitive argument nowhere [sensitive-never-shown] [EP-08]', async () => {
    const seen: string[] = []
    const hook: Hook = { name: 'spy', preToolUse: (event) => void seen.push(JSON.stringify(event)) }
    const tool = counted('HIGH_RISK_EXTERNAL', { sensitive: ['/note'] })
    const proviso = await open(tool.source, { hooks: [hook] })
    const asked = await proviso.call(order('c1', { order_id: 'o', note: 's3cr3t-value' }), context)
    const bad = await proviso.call(order('c2', { order_id: 'o', note: { deep: 's3cr3t-value' } }), context)
    const shown = JSON.stringify([
      asked,
      bad,
      await proviso.approvals.list(),
      seen,
      await proviso.calls.facts(asked.observation.tool_identity.call_id),
    ])
    expect(shown).not.toContain('s3cr3t-value')
    expect(shown).toContain('[masked]')
  })

  it('judges rules across fields and refuses where a rule cannot judge [rules-across-fields] [TC-073]', async () => {
    const tool = counted('READ_ONLY', {
      rules: [
        {
          id: 'note-for-large',
          fields: ['/note'],
          message: 'Large amounts need a note.',
          when: '!has(args.amount) || args.amount <= 100 || has(args.note)',
        },
        {
          id: 'broken',
          message: 'Never said.',
          check: (args) => {
            if (args.order_id === 'boom') throw new Error('x')
            return true
          },
        },
      ],
    })
    const proviso = await open(tool.source)
    const refused = await proviso.call(order('c1', { order_id: 'o', amount: 500 }), context)
    expect([classOf(refused), refused.feedback?.field_errors[0]]).toEqual([
      'SEMANTIC_INVALIDITY',
      expect.objectContaining({ field: 'note', message: 'Large amounts need a note.' }),
    ])
    expect(classOf(await proviso.call(order('c1', { order_id: 'boom' }), context))).toBe('SEMANTIC_INVALIDITY')
    expect(classOf(await proviso.call(order('c1', { order_id: 'o', amount: 50 }), context))).toBe('SUCCESS')
  })

  it('looks whether everything is there before a person is asked [setup-is-checked-first] [EP-06, EP-07]', async () => {
    const reasons = {
      setup_required: 'DEPENDENCY_UNAVAILABLE',
      sandbox_violation: 'POLICY_VIOLATION',
      invalid_arguments: 'SEMANTIC_INVALIDITY',
    } as const
    for (const [reason, expected] of Object.entries(reasons)) {
      const tool = counted('HIGH_RISK_EXTERNAL', {
        preflight: () => ({ reason: reason as keyof typeof reasons, message: 'Not now.' }),
      })
      const proviso = await open(tool.source)
      const answer = await proviso.call(order('c1'), context)
      expect([classOf(answer), reasonOf(answer), answer.response.retryable]).toEqual([expected, reason, false])
      expect(await proviso.approvals.list()).toEqual([])
    }
  })
})
