// An organisation's policies in Cedar through the whole pipeline.
import { describe, expect, it } from 'vitest'
import { explanationOf } from '../../src/cli/explain/explanation.ts'
import { openProviso } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import { approveAs } from '../people.ts'
import { classOf, context, counted, open, order, reasonOf } from '../pipeline/bench-desk.ts'

const cedar = (text: string, unlessPermitted?: 'deny') => ({
  cedar: { texts: [{ name: 'acme.cedar', text }], ...(unlessPermitted === undefined ? {} : { unlessPermitted }) },
})

const large = `
@id("large-orders") @message("Large orders are for leads.")
forbid (principal, action == Action::"order_v1", resource)
when { context.args has amount && context.args.amount > 100 }
unless { principal in Role::"lead" };`

const asking = `
@id("someone-looks") @message("A person from finance looks.") @ask("operator_review") @roles("finance") @quorum("2")
forbid (principal, action in Action::"effect:mutating", resource)
when { resource.data_classification == "internal" };`

describe('policies in Cedar', () => {
  it('deny by arguments and roles, naming policy and version [cedar-decides]', async () => {
    const ledger = memory()
    const tool = counted('LOW_RISK_INTERNAL')
    const proviso = await open(tool.source, { policies: [cedar(large)], ledger })
    const answer = await proviso.call(order('c1', { order_id: 'o', amount: 500 }), context)
    expect([classOf(answer), reasonOf(answer), answer.feedback?.field_errors[0]?.message]).toEqual([
      'POLICY_VIOLATION',
      'policy_blocked',
      'Large orders are for leads. (policy cedar/large-orders)',
    ])
    const id = answer.observation.tool_identity.call_id
    const call = await proviso.calls.get(id)
    if (call === undefined) throw new Error('The call is not on record.')
    const facts = await proviso.calls.facts(id)
    expect(facts.find(({ phase }) => phase === 'policy')?.evidence).toMatchObject({
      voices: [
        { source: 'cedar', rule: 'large-orders', says: 'deny', version: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ],
    })
    const told = explanationOf({ call, facts, contract: await ledger.calls.contract(call.contractHash), questions: [] })
    expect(told.decided_by).toMatchObject({
      phase: 'policy',
      by: [{ name: 'cedar/large-orders', says: 'deny', version: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    })
    const lead = { ...context, roles: ['lead'] }
    expect(classOf(await proviso.call(order('c2', { order_id: 'o', amount: 500 }), lead))).toBe('SUCCESS')
    expect(tool.seen).toHaveLength(1)
  })

  it('ask, with who has to approve [cedar-decides] [TC-216]', async () => {
    const proviso = await open(counted('LOW_RISK_INTERNAL').source, { policies: [cedar(asking)] })
    const asked = await proviso.call(order('c1'), context)
    expect(classOf(asked)).toBe('CONFIRMATION_MISSING')
    const approval = await proviso.approvals.get(asked.approval?.id ?? '')
    expect(JSON.stringify(approval?.requirement)).toMatch(/operator_review.*finance|finance.*operator_review/s)
    expect(JSON.stringify(approval?.packet.riskClass.why)).toContain('cedar/someone-looks')
  })

  it('deny what none permits where the set says so, and hear labels, run and time [cedar-decides]', async () => {
    const permit = `permit (principal, action, resource) when { !context.labels.contains("untrusted") };`
    const proviso = await open(counted('LOW_RISK_INTERNAL').source, { policies: [cedar(permit, 'deny')] })
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
    expect(reasonOf(await proviso.call(order('c2'), { ...context, untrusted: true }))).toBe('policy_blocked')
  })

  it('see residency and egress of the tool [cedar-decides]', async () => {
    const text = `forbid (principal, action, resource) unless { resource has residency && resource.residency == "eu" };
      forbid (principal, action, resource) when { resource.egress_domains.contains("evil.example") };`
    const called = async (extras: Parameters<typeof counted>[1]) =>
      classOf(
        await (await open(counted('READ_ONLY', extras).source, { policies: [cedar(text)] })).call(order('c'), context),
      )
    expect(await called({ residency: 'eu' })).toBe('SUCCESS')
    expect(await called({})).toBe('POLICY_VIOLATION')
    expect(await called({ residency: 'eu', egressDomains: ['evil.example'] })).toBe('POLICY_VIOLATION')
  })

  it('take nothing in the arguments for an entity or an extension [arguments-are-data]', async () => {
    const text = `permit (principal, action, resource);
      forbid (principal, action, resource) when { principal == User::"boss" };
      forbid (principal, action, resource) unless { context.args has who && context.args.who == "ann" };`
    const tool = counted('READ_ONLY', {
      input: {
        type: 'object',
        properties: { who: {}, note: { type: 'object', additionalProperties: { type: 'string' } } },
        required: ['who'],
        additionalProperties: false,
      } as never,
    })
    const typed = counted('READ_ONLY', {
      input: {
        type: 'object',
        properties: { who: { type: 'string' } },
        required: ['who'],
        additionalProperties: false,
      } as never,
    })
    const attacks = [
      { who: { __entity: { type: 'User', id: 'boss' } } },
      { who: { __extn: { fn: 'ip', arg: '10.0.0.1' } } },
      { who: { __expr: 'principal' } },
      { who: 'ann', note: { __entity: 'x' } },
    ]
    const loose = await open(tool.source, { policies: [cedar(text.replace('== "ann"', '!= ""'))] })
    for (const [index, args] of attacks.entries()) {
      const answer = await loose.call(order(`c${index}`, args), context)
      // Read as the text it is, it is like no entity; nothing here is an error or a way past.
      expect([index, classOf(answer)]).toEqual([index, 'SUCCESS'])
    }
    const strict = await open(typed.source, { policies: [cedar(text)] })
    expect(classOf(await strict.call(order('s1', { who: 'ann' }), context))).toBe('SUCCESS')
    expect(classOf(await strict.call(order('s2', { who: 'bob' }), context))).toBe('POLICY_VIOLATION')
    expect(classOf(await strict.call(order('s3', attacks[0]), context))).toBe('TYPE_MISMATCH')
    const boss = await strict.call(order('s4', { who: 'ann' }), { ...context, user: 'boss' })
    expect(classOf(boss)).toBe('POLICY_VIOLATION')
  })

  it('deny where a policy fails, though Cedar itself would pass over it [cedar-decides]', async () => {
    const text = `permit (principal, action, resource);
      @id("overflow") forbid (principal, action, resource)
      when { context.args has amount && context.args.amount * 9007199254740991 * 1000 > 0 };`
    const proviso = await open(counted('READ_ONLY').source, { policies: [cedar(text)] })
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
    expect(reasonOf(await proviso.call(order('c2', { order_id: 'o', amount: 2 }), context))).toBe('policy_blocked')
  })

  it('are refused when opened, with the place, where they do not load or fit the tools [cedar-decides]', async () => {
    const refused = (text: string) => openProviso({ tools: [counted('READ_ONLY').source], policies: [cedar(text)] })
    await expect(refused('permit (principal, action, resource)')).rejects.toThrow(/acme\.cedar:1:\d+/)
    await expect(
      refused(
        'permit (principal, action, resource);\n\nforbid (principal, action, resource) when { context.args.amont > 1 };',
      ),
    ).rejects.toThrow(/acme\.cedar:3:\d+: .*amont/)
    await expect(openProviso({ policies: [{ cedar: { files: ['/nowhere.cedar'] } }] })).rejects.toThrow(
      '/nowhere.cedar',
    )
  })

  it('do not get past each other: any set that denies, denies [any-deny-wins]', async () => {
    const permit = cedar('permit (principal, action, resource);')
    const tool = counted('HIGH_RISK_EXTERNAL')
    const proviso = await open(tool.source, { policies: [permit, cedar(asking)] })
    const asked = await proviso.call(order('c1'), context)
    expect(classOf(asked)).toBe('CONFIRMATION_MISSING')
    const denied = await open(tool.source, { policies: [permit, cedar(large)] })
    expect(reasonOf(await denied.call(order('c2', { order_id: 'o', amount: 101 }), context))).toBe('policy_blocked')
    expect(tool.seen).toHaveLength(0)
  })

  it('are judged again after the wait for a person [judged-again-after-wait] [TC-464]', async () => {
    let blocked = false
    const tool = counted('HIGH_RISK_EXTERNAL')
    const code = {
      id: 'later',
      judge: () => (blocked ? ({ says: 'deny', message: 'Not any more.' } as const) : undefined),
    }
    const proviso = await open(tool.source, { policies: [cedar(large), code] })
    const asked = await proviso.call(order('c1'), context)
    await approveAs(proviso, asked.approval?.id ?? '', 'boss')
    blocked = true
    expect([reasonOf(await proviso.call(order('c1'), context)), tool.seen.length]).toEqual(['policy_blocked', 0])
  })
})
