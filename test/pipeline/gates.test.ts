import { describe, expect, it } from 'vitest'
import { compileSchema } from '../../src/contract/compile-tool.ts'
import { observationSchema } from '../../src/contract/observation.ts'
import { defineTool, type Hook, manualClock, memory, openProviso } from '../../src/index.ts'
import { phases } from '../../src/pipeline/summary.ts'
import { classOf, context, counted, open, order, reasonOf, warningsOf } from './bench-desk.ts'

describe('the pipeline', () => {
  it('has the 21 phases in their order [phases-in-order]', () => {
    expect(phases.map((phase) => phase.name).join(' ')).toBe(
      'resolve parse structure types constraints semantics observe before permission policy recall state confirm schedule admit execute normalize after persist verify emit',
    )
    expect(phases.filter((phase) => phase.kind === 'gate').map((phase) => phase.number)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
    ])
  })

  it('leaves one fact for each phase, in order, and replay reaches every verdict [facts-for-each-phase] [replay-reaches-verdicts]', async () => {
    const proviso = await open(counted('MEDIUM_RISK_WRITE', { state: { read: () => ({ open: true }) } }).source)
    const answer = await proviso.call(order('c1'), context)
    const id = answer.observation.tool_identity.call_id
    const facts = await proviso.calls.facts(id)
    expect(facts.map((fact) => fact.phase)).toEqual(phases.map((phase) => phase.name))
    expect(facts.map((fact) => fact.seq)).toEqual(facts.map((_, index) => index + 1))
    expect(await proviso.calls.replay(id)).toEqual([{ gates: 13, divergences: [] }])
  })

  it('finds a verdict on record that the evidence does not support [replay-reaches-verdicts]', async () => {
    const ledger = memory()
    const proviso = await open(
      counted('LOW_RISK_INTERNAL', {
        state: {
          read: () => ({ status: 'open' }),
          allows: (state) => (state.status === 'open' ? undefined : 'closed'),
        },
      }).source,
      { ledger },
    )
    const { call_id } = (await proviso.call(order('c1'), context)).observation.tool_identity
    const facts = await ledger.facts(call_id)
    const record = await ledger.call(call_id)
    if (record === undefined) throw new Error('no record')
    const forged = facts.map((fact) =>
      fact.phase === 'state'
        ? { ...fact, pass: 2, evidence: { state: { status: 'shut' }, failed: false } }
        : { ...fact, pass: 2 },
    )
    await ledger.record({ call: record, facts: forged, findAgain: true })
    const [, second] = await proviso.calls.replay(call_id)
    expect(second?.divergences.map((divergence) => divergence.phase)).toEqual(['state'])
  })

  it('gives observations that fit the closed schema, whatever happened [observation-is-closed]', async () => {
    const compiled = compileSchema(observationSchema, '')
    if (!compiled.ok) throw new Error('observation schema is broken')
    const proviso = await open(counted('HIGH_RISK_EXTERNAL').source)
    const answers = [
      await proviso.call(order('c1'), context),
      await proviso.call(order('c1', '{'), context),
      await proviso.call({ tool: '\u0000<script>'.repeat(99) }, context),
      await proviso.call(order('c2', { order_id: 5 }), {}),
    ]
    for (const { observation } of answers)
      expect(compiled.schema.explain(JSON.parse(JSON.stringify(observation)), [])).toEqual([])
  })
})

describe('finding the tool', () => {
  it('refuses an unknown tool with the nearest names [unknown-tool-near-names]', async () => {
    const proviso = await open(counted('READ_ONLY').source)
    const answer = await proviso.call({ tool: 'ordr_v1' }, context)
    expect([classOf(answer), reasonOf(answer), answer.response.next_action]).toEqual([
      'STRUCTURAL_VIOLATION',
      'unknown_tool',
      'choose_available_tool',
    ])
    expect(answer.feedback?.field_errors[0]?.message).toContain('`order_v1`')
  })

  it('takes names of the prototype for what they are: unknown tools [hostile-tool-names]', async () => {
    const proviso = await open(counted('READ_ONLY').source)
    for (const tool of [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      '',
      ' ',
      '\ud800',
      'x'.repeat(1_000_000),
    ]) {
      expect(reasonOf(await proviso.call({ tool }, context))).toBe('unknown_tool')
    }
  })

  it('answers to an alias under its own name [aliases-resolve]', async () => {
    const tool = counted('READ_ONLY', { aliases: ['lookup_order'] })
    const proviso = await open(tool.source)
    const answer = await proviso.call({ tool: 'lookup_order', arguments: { order_id: 'o' } }, context)
    expect([classOf(answer), answer.observation.tool_identity.name]).toEqual(['SUCCESS', 'order_v1'])
  })

  it('keeps a deferred tool unloaded until its discovery is recorded for the run [deferred-until-discovered]', async () => {
    const proviso = await open(counted('READ_ONLY', { deferred: true, searchHint: 'orders and parcels' }).source)
    const early = await proviso.call(order('c1'), context)
    expect([classOf(early), reasonOf(early), early.response.next_action]).toEqual([
      'STRUCTURAL_VIOLATION',
      'schema_not_loaded',
      'discover_tool',
    ])
    expect(await proviso.discover('parcels', context)).toEqual(['order_v1'])
    expect(classOf(await proviso.call(order('c2'), context))).toBe('SUCCESS')
    expect(reasonOf(await proviso.call(order('c3'), { ...context, run: 'run-2' }))).toBe('schema_not_loaded')
  })

  it('does not widen a surface that was taken earlier [surface-never-widens]', async () => {
    const proviso = await open(counted('READ_ONLY', { deferred: true }).source)
    const surface = await proviso.surface(context)
    await proviso.discover('order_v1', context)
    expect(reasonOf(await proviso.call(order('c1'), { ...context, surface }))).toBe('schema_not_loaded')
    expect(surface.entries.get('order_v1')).toMatchObject({ status: 'deferred', reason: 'deferred_until_discovered' })
  })

  it('refuses blocked and ended tools with the reason and hides what a role may not see [blocked-tool-refused]', async () => {
    const blocked = await open(counted('READ_ONLY').source, { blocked: { order_v1: 'Under review.' } })
    const first = await blocked.call(order('c1'), context)
    expect([classOf(first), reasonOf(first)]).toEqual(['POLICY_VIOLATION', 'blocked_tool'])
    expect(first.feedback?.field_errors[0]?.message).toBe('Under review.')

    const clock = manualClock()
    const ending = await open(
      counted('READ_ONLY', { lifecycle: { status: 'deprecated', sunset_date: '2026-02-01', replacement: 'order_v2' } })
        .source,
      { clock },
    )
    expect(warningsOf(await ending.call(order('c1'), context))).toEqual(['deprecated'])
    clock.advance(40 * 86_400_000)
    const ended = await ending.call(order('c1'), context)
    expect([reasonOf(ended), ended.feedback?.field_errors[0]?.message]).toEqual([
      'contract_sunsetted',
      'This tool is no longer offered. Use order_v2 instead.',
    ])

    const secret = await open(counted('READ_ONLY', { roles: ['auditor'] }).source)
    const outsider = await secret.call(order('c1'), context)
    expect([reasonOf(outsider), JSON.stringify(outsider.feedback)]).toEqual([
      'unknown_tool',
      expect.not.stringContaining('`order_v1`'),
    ])
    expect(classOf(await secret.call(order('c1'), { ...context, roles: ['auditor'] }))).toBe('SUCCESS')
  })
})

describe('reading and validating', () => {
  it('refuses what is not strict JSON, with the place [strict-reading]', async () => {
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
    for (const text of texts)
      expect(classOf(await proviso.call(order('c', text), context))).toBe('SYNTACTIC_PARSE_FAIL')
    const answer = await proviso.call(order('c', '{\n  "order_id": tru\n}'), context)
    expect(answer.feedback?.field_errors[0]?.message).toMatch(/line 2, column \d+/)
    expect(tool.seen).toHaveLength(0)
  })

  it('counts absent and null arguments as an empty object [null-arguments-are-empty]', async () => {
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
      { tool: 'ping_v1', arguments: 'null' },
      { tool: 'ping_v1', arguments: '{}' },
    ]) {
      expect(classOf(await proviso.call(proposal))).toBe('SUCCESS')
    }
    expect(seen).toEqual([{}, {}, {}, {}])
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

  it('names every error at once, the worst kind first [all-errors-at-once]', async () => {
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

  it('shows the value of a sensitive argument nowhere [sensitive-never-shown]', async () => {
    const seen: string[] = []
    const hook: Hook = { name: 'spy', before: (event) => void seen.push(JSON.stringify(event)) }
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

  it('judges rules across fields and refuses where a rule cannot judge [rules-across-fields]', async () => {
    const tool = counted('READ_ONLY', {
      rules: [
        {
          id: 'note-for-large',
          fields: ['/note'],
          check: (args) =>
            (args.amount ?? 0) > 100 && args.note === undefined ? 'Large amounts need a note.' : undefined,
        },
        {
          id: 'broken',
          check: (args) => {
            if (args.order_id === 'boom') throw new Error('x')
            return undefined
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

  it('looks whether everything is there before anybody is asked [setup-is-checked-first]', async () => {
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

describe('who may', () => {
  it('refuses a tenant that is not known, or none where one is needed [unknown-tenant-refused]', async () => {
    const tool = counted('READ_ONLY', { tenantScoped: true })
    const proviso = await open(tool.source, { tenants: ['acme'] })
    expect(reasonOf(await proviso.call(order('c1'), { tenant: 'evil' }))).toBe('unknown_tenant')
    expect(reasonOf(await proviso.call(order('c1'), { tenant: 5 as unknown as string }))).toBe('unknown_tenant')
    const anyTenant = await open(tool.source)
    expect(reasonOf(await anyTenant.call(order('c1')))).toBe('missing_tenant')
    expect(tool.seen).toHaveLength(0)
  })

  it('refuses a mutating tool without a run [missing-run-refused]', async () => {
    const tool = counted('LOW_RISK_INTERNAL')
    const proviso = await open(tool.source)
    const answer = await proviso.call(order('c1'), { tenant: 'acme' })
    expect([classOf(answer), reasonOf(answer), answer.response.fail_closed]).toEqual([
      'PERMISSION_DENIED',
      'missing_run',
      true,
    ])
    expect(tool.seen).toHaveLength(0)
  })

  it('refuses without every scope and names the missing ones [missing-scope-refused]', async () => {
    const proviso = await open(counted('READ_ONLY', { scopes: ['a:read', 'b:read'] }).source)
    const answer = await proviso.call(order('c1'), { ...context, scopes: ['a:read'] })
    expect([classOf(answer), answer.feedback?.field_errors[0]?.message]).toEqual([
      'PERMISSION_DENIED',
      expect.stringContaining('b:read'),
    ])
    expect(
      reasonOf(await proviso.call(order('c1'), { ...context, scopes: 'a:read b:read' as unknown as string[] })),
    ).toBe('missing_scope')
  })

  it('lets any deny win, then the first ask, and records every voice [any-deny-wins]', async () => {
    const tool = counted('READ_ONLY')
    const allow = { id: 'org/allow', judge: () => ({ says: 'allow', message: 'Fine.' }) as const }
    const ask = { id: 'org/ask', judge: () => ({ says: 'ask', message: 'Look first.' }) as const }
    const deny = { id: 'org/deny', judge: () => ({ says: 'deny', message: 'Never.' }) as const }
    const denied = await open(tool.source, { policies: [allow, ask, deny] })
    const answer = await denied.call(order('c1'), context)
    expect([classOf(answer), reasonOf(answer)]).toEqual(['POLICY_VIOLATION', 'policy_blocked'])
    const facts = await denied.calls.facts(answer.observation.tool_identity.call_id)
    expect(JSON.stringify(facts.find((fact) => fact.phase === 'policy')?.evidence)).toMatch(
      /org\/allow.*org\/ask.*org\/deny/,
    )
    const asked = await open(tool.source, { policies: [allow, ask] })
    expect(classOf(await asked.call(order('c1'), context))).toBe('CONFIRMATION_MISSING')
    const fine = await open(tool.source, { policies: [allow] })
    expect(classOf(await fine.call(order('c1'), context))).toBe('SUCCESS')
  })

  it('validates what a hook changed from the start, and asks the hook once per call [hook-input-judged-again] [hook-runs-once]', async () => {
    let runs = 0
    const hook: Hook = {
      name: 'defaults',
      before: () => {
        runs++
        return { updatedInput: { amount: runs === 1 ? 5 : 5_000 } }
      },
    }
    const tool = counted('HIGH_RISK_EXTERNAL')
    const proviso = await open(tool.source, { hooks: [hook] })
    const asked = await proviso.call(order('c1'), context)
    await proviso.approvals.approve(asked.approval?.id ?? '', { by: 'boss' })
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
    expect([runs, tool.seen[0]?.args]).toEqual([1, { order_id: 'o-1', amount: 5 }])
    const { call_id } = asked.observation.tool_identity
    expect((await proviso.calls.replay(call_id)).flatMap((replay) => replay.divergences)).toEqual([])
    const invalid = await proviso.call(order('c2', { order_id: 'o-2' }), context)
    expect([classOf(invalid), invalid.feedback?.field_errors[0]?.field]).toEqual(['OUT_OF_BOUNDS', 'amount'])
  })

  it('refuses when a hook or a policy stops, fails or hangs [failing-hook-refuses]', async () => {
    const fails = (before: Hook['before']) =>
      open(counted('READ_ONLY', { timeoutMs: 20 }).source, {
        hooks: [{ name: 'h', ...(before === undefined ? {} : { before }) }],
      })
    const outcomes = [
      [() => ({ stop: 'Not today.' }), 'hook_blocked'],
      [
        () => {
          throw new Error('x')
        },
        'hook_failed',
      ],
      [() => new Promise<undefined>(() => {}), 'hook_failed'],
      [() => ({ updatedInput: { order_id: 1n } as never }), 'hook_failed'],
    ] as const
    for (const [before, reason] of outcomes)
      expect(reasonOf(await (await fails(before)).call(order('c1'), context))).toBe(reason)
    const policy = await open(counted('READ_ONLY').source, {
      policies: [
        {
          id: 'p',
          judge: () => {
            throw new Error('x')
          },
        },
      ],
    })
    expect(reasonOf(await policy.call(order('c1'), context))).toBe('policy_blocked')
  })

  it('keeps tenants apart in operations, approvals and budgets [tenants-isolated]', async () => {
    const tool = counted('MEDIUM_RISK_WRITE', { operation: ['/order_id'] })
    const proviso = await open(tool.source, { budgets: { write: 1 } })
    await proviso.call(order('c1'), context)
    const other = await proviso.call(order('c1'), { ...context, tenant: 'globex' })
    expect([classOf(other), tool.seen.length]).toEqual(['SUCCESS', 2])
    expect(await proviso.calls.list({ tenant: 'globex' })).toHaveLength(1)
    expect(await proviso.approvals.list({ tenant: 'globex' })).toEqual([])
  })
})

describe('state, budget, rate and order', () => {
  it('refuses a target that changed, vanished, forbids the call or cannot be read [stale-state-refused]', async () => {
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

  it('stops a run that used up its budget, and refused calls cost nothing [budget-per-run]', async () => {
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

  it('refuses beyond the rate of a tool with the time to wait [rate-window]', async () => {
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

  it('runs mutating calls of one run, and calls with equal locks, one after another [locks-serialize]', async () => {
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

  it('does nothing for a caller that went away before the start [cancel-before-start]', async () => {
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
