import { describe, expect, it } from 'vitest'
import type { Hook } from '../../src/index.ts'
import { approveAs } from '../people.ts'
import { classOf, context, counted, open, order, reasonOf } from './bench-desk.ts'

describe('who may', () => {
  it('refuses a tenant that is not known, or none where one is needed [unknown-tenant-refused] [TC-033, TC-077, TC-088, TC-140, TC-394]', async () => {
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

  it('refuses without every scope and names the missing ones [missing-scope-refused] [TC-033, TC-088, TC-139, TC-394, EP-23]', async () => {
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

  it('lets any deny win, then the first ask, and records every voice [any-deny-wins] [TC-301, EP-11, EP-12]', async () => {
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

  it('validates what a hook changed from the start, and asks the hook once per call [hook-input-judged-again] [hook-runs-once] [EP-09]', async () => {
    let runs = 0
    const hook: Hook = {
      name: 'defaults',
      preToolUse: () => {
        runs++
        return { updatedInput: { amount: runs === 1 ? 5 : 5_000 } }
      },
    }
    const tool = counted('HIGH_RISK_EXTERNAL')
    const proviso = await open(tool.source, { hooks: [hook] })
    const asked = await proviso.call(order('c1'), context)
    await approveAs(proviso, asked.approval?.id ?? '', 'boss')
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
    expect([runs, tool.seen[0]?.args]).toEqual([1, { order_id: 'o-1', amount: 5 }])
    const { call_id } = asked.observation.tool_identity
    expect((await proviso.calls.replay(call_id)).flatMap((replay) => replay.divergences)).toEqual([])
    const invalid = await proviso.call(order('c2', { order_id: 'o-2' }), context)
    expect([classOf(invalid), invalid.feedback?.field_errors[0]?.field]).toEqual(['OUT_OF_BOUNDS', 'amount'])
  })

  it('refuses when a hook or a policy stops, fails or hangs [failing-hook-refuses] [EP-10]', async () => {
    const fails = (preToolUse: NonNullable<Hook['preToolUse']>) =>
      open(counted('READ_ONLY', { timeoutMs: 20 }).source, { hooks: [{ name: 'h', preToolUse }] })
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
    for (const [hook, reason] of outcomes)
      expect(reasonOf(await (await fails(hook)).call(order('c1'), context))).toBe(reason)
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

  it('keeps tenants apart in operations, approvals and budgets [tenants-isolated] [TC-157]', async () => {
    const tool = counted('MEDIUM_RISK_WRITE', { operation: ['/order_id'] })
    const proviso = await open(tool.source, { budgets: { write: 1 } })
    await proviso.call(order('c1'), context)
    const other = await proviso.call(order('c1'), { ...context, tenant: 'globex' })
    expect([classOf(other), tool.seen.length]).toEqual(['SUCCESS', 2])
    expect(await proviso.calls.list({ tenant: 'globex' })).toHaveLength(1)
    expect(await proviso.approvals.list({ tenant: 'globex' })).toEqual([])
  })
})
