import { describe, expect, it } from 'vitest'
import { manualClock, memory } from '../../src/index.ts'
import { classOf, context, counted, isReplay, open, order, reasonOf } from './bench-desk.ts'

async function waiting(extras: Parameters<typeof counted>[1] = {}) {
  const clock = manualClock()
  const tool = counted('HIGH_RISK_EXTERNAL', { consequence: (args) => `Handles ${args.order_id}`, ...extras })
  const proviso = await open(tool.source, { clock, ledger: memory({ clock }) })
  const asked = await proviso.call(order('c1'), context)
  return { clock, tool, proviso, asked, id: asked.approval?.id ?? '' }
}

describe('approvals', () => {
  it('ends the call as pending with a packet that shows the concrete call [approval-asks-a-person]', async () => {
    const { proviso, asked, tool, id } = await waiting({ sensitive: ['/note'] })
    expect([classOf(asked), reasonOf(asked), asked.effect, asked.response.next_action]).toEqual([
      'CONFIRMATION_MISSING',
      'approval_pending',
      'pending',
      'await_approval',
    ])
    const [approval] = await proviso.approvals.list({ tenant: 'acme', status: 'pending' })
    expect(approval?.id).toBe(id)
    expect(approval?.packet).toMatchObject({
      action: { tool: 'order_v1', version: '1.0.0' },
      consequence: 'Handles o-1',
      arguments: { order_id: 'o-1' },
      riskClass: 'HIGH_RISK_EXTERNAL',
      quorum: 1,
      requestedBy: 'ann',
    })
    expect(approval?.packet.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    expect(tool.seen).toHaveLength(0)
  })

  it('executes once after approval under the same call id, however often it is made [approval-executes-once]', async () => {
    const { proviso, tool, asked, id } = await waiting()
    await proviso.approvals.approve(id, { by: 'boss' })
    const done = await proviso.call(order('c1'), context)
    expect([classOf(done), done.effect]).toEqual(['SUCCESS', 'happened'])
    expect(done.observation.tool_identity.call_id).toBe(asked.observation.tool_identity.call_id)
    for (const callId of ['c1', 'c2', 'c3']) expect(isReplay(await proviso.call(order(callId), context))).toBe(true)
    expect(tool.seen).toHaveLength(1)
  })

  it('does not ask twice for the same payload while it waits', async () => {
    const { proviso, id } = await waiting()
    const again = await proviso.call(order('c2'), context)
    expect(again.approval?.id).toBe(id)
    expect(await proviso.approvals.list()).toHaveLength(1)
  })

  it('does not let an approval serve an edited payload [approval-binds-payload]', async () => {
    const { proviso, tool, id } = await waiting()
    await proviso.approvals.approve(id, { by: 'boss' })
    const edited = await proviso.call(order('c1', { order_id: 'o-1', amount: 999 }), context)
    expect([classOf(edited), edited.effect]).toEqual(['CONFIRMATION_MISSING', 'pending'])
    expect(edited.approval?.id).not.toBe(id)
    const otherUser = await proviso.call(order('c5'), { ...context, user: 'mallory' })
    expect(classOf(otherUser)).toBe('CONFIRMATION_MISSING')
    expect(tool.seen).toHaveLength(0)
  })

  it('stays rejected when it is proposed again [rejected-stays-rejected]', async () => {
    const { proviso, tool, id } = await waiting()
    await proviso.approvals.reject(id, { by: 'boss', reason: 'wrong customer' })
    for (const callId of ['c1', 'c2']) {
      const refused = await proviso.call(order(callId), context)
      expect([classOf(refused), reasonOf(refused), refused.effect]).toEqual([
        'CONFIRMATION_MISSING',
        'approval_rejected',
        'none',
      ])
      expect(refused.response.requires_approval).toBe(false)
      expect(refused.feedback?.field_errors[0]?.message).toContain('wrong customer')
    }
    expect(tool.seen).toHaveLength(0)
  })

  it('asks again when an approval ran out, approved or not [expired-approval-asks-again]', async () => {
    const { proviso, tool, clock, id } = await waiting()
    await proviso.approvals.approve(id, { by: 'boss' })
    clock.advance(11 * 60_000)
    const late = await proviso.call(order('c1'), context)
    expect([reasonOf(late), late.effect, late.approval?.id === id]).toEqual(['approval_expired', 'pending', false])
    expect(tool.seen).toHaveLength(0)
    await proviso.approvals.approve(late.approval?.id ?? '', { by: 'boss' })
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
  })

  it('counts different people, and one rejection ends it [quorum-counts-people]', async () => {
    const { proviso, tool, id } = await waiting({ approval: { quorum: 2 } })
    expect((await proviso.approvals.approve(id, { by: 'boss' })).status).toBe('pending')
    expect((await proviso.approvals.approve(id, { by: 'boss' })).status).toBe('pending')
    expect(classOf(await proviso.call(order('c1'), context))).toBe('CONFIRMATION_MISSING')
    expect((await proviso.approvals.approve(id, { by: 'chief' })).status).toBe('approved')
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
    expect(tool.seen).toHaveLength(1)
    const other = await waiting({ approval: { quorum: 2 } })
    await other.proviso.approvals.approve(other.id, { by: 'boss' })
    expect((await other.proviso.approvals.reject(other.id, { by: 'chief' })).status).toBe('rejected')
  })

  it('judges permission and state again after the wait [judged-again-after-wait]', async () => {
    let status = 'open'
    const { proviso, tool, id } = await waiting({
      scopes: [],
      state: {
        read: () => ({ status }),
        allows: (state) => (state.status === 'open' ? undefined : 'The order is closed.'),
      },
    })
    await proviso.approvals.approve(id, { by: 'boss' })
    status = 'closed'
    const stale = await proviso.call(order('c1'), context)
    expect([classOf(stale), tool.seen.length]).toEqual(['STALE_STATE', 0])
    status = 'open'
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
  })

  it('runs the call by the decision itself where it asked so [resume-on-decision]', async () => {
    const tool = counted('HIGH_RISK_EXTERNAL')
    const proviso = await open(tool.source)
    const asked = await proviso.call(order('c1'), { ...context, resumeOnDecision: true })
    await proviso.approvals.approve(asked.approval?.id ?? '', { by: 'boss' })
    expect(tool.seen).toHaveLength(1)
    expect(isReplay(await proviso.call(order('c1'), context))).toBe(true)
    expect(tool.seen).toHaveLength(1)
  })

  it('asks for consent before regulated data is read, and per user', async () => {
    const tool = counted('READ_ONLY', { classification: 'regulated' })
    const proviso = await open(tool.source)
    const asked = await proviso.call(order('c1'), context)
    expect(classOf(asked)).toBe('CONFIRMATION_MISSING')
    await proviso.approvals.approve(asked.approval?.id ?? '', { by: 'ann' })
    expect(classOf(await proviso.call(order('c2'), { ...context, user: 'mallory' }))).toBe('CONFIRMATION_MISSING')
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
  })

  it('refuses a decision without a person or about nothing', async () => {
    const { proviso, id } = await waiting()
    await expect(proviso.approvals.approve(id, { by: '' })).rejects.toThrow('by whom')
    await expect(proviso.approvals.approve('appr_0', { by: 'boss' })).rejects.toThrow('no approval')
  })
})
