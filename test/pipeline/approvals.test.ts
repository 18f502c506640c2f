import { describe, expect, it } from 'vitest'
import { type Answer, defineTool, openProviso } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import { manualClock } from '../../src/public/testing.ts'
import { approveAs, keyOf, rejectAs } from '../people.ts'
import { classOf, context, counted, isReplay, open, order, reasonOf } from './bench-desk.ts'

async function waiting(extras: Parameters<typeof counted>[1] = {}) {
  const clock = manualClock()
  const tool = counted('HIGH_RISK_EXTERNAL', { consequence: (args) => `Handles ${args.order_id}`, ...extras })
  const proviso = await open(tool.source, { clock, ledger: memory({ clock }) })
  const asked = await proviso.call(order('c1'), context)
  return { clock, tool, proviso, asked, id: asked.approval?.id ?? '' }
}

describe('approvals', () => {
  it('ends the call as pending with a packet that shows the concrete call [approval-asks-a-person] [TC-091, TC-193, TC-213, TC-217, TC-225 to TC-227, TC-231, TC-303, TC-408]', async () => {
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
      actionName: { tool: 'order_v1', version: '1.0.0', title: 'Order' },
      consequence: 'Handles o-1',
      arguments: [{ pointer: '/order_id', value: 'o-1', origin: 'given' }],
      riskClass: {
        class: 'HIGH_RISK_EXTERNAL',
        why: expect.arrayContaining([{ source: 'class/confirmation', message: expect.any(String) }]),
      },
      approvers: { requirement: { pattern: 'operator_review', demands: [{ quorum: 1, decides: 'others' }] } },
      requester: { user: 'ann' },
      trace: asked.observation.execution_metadata.trace_id,
    })
    expect(asked.approval?.packetHash).toBe(approval?.packetHash)
    expect(approval?.packet.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    expect(tool.seen).toHaveLength(0)
  })

  it('executes once after approval under the same call id, however often it is made [approval-executes-once] [TC-100, TC-241, EP-11]', async () => {
    const { proviso, tool, asked, id } = await waiting()
    await approveAs(proviso, id, 'boss')
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

  it('does not let an approval serve an edited payload [approval-binds-payload] [TC-244]', async () => {
    const { proviso, tool, id } = await waiting()
    await approveAs(proviso, id, 'boss')
    const edited = await proviso.call(order('c1', { order_id: 'o-1', amount: 999 }), context)
    expect([classOf(edited), edited.effect]).toEqual(['CONFIRMATION_MISSING', 'pending'])
    expect(edited.approval?.id).not.toBe(id)
    const otherUser = await proviso.call(order('c5'), { ...context, user: 'mallory' })
    expect(classOf(otherUser)).toBe('CONFIRMATION_MISSING')
    expect(tool.seen).toHaveLength(0)
  })

  it('stays rejected when it is proposed again [rejected-stays-rejected] [TC-100, EP-12, EP-24]', async () => {
    const { proviso, tool, id } = await waiting()
    await rejectAs(proviso, id, 'boss', 'wrong customer')
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

  it('asks again when an approval ran out, approved or not [expired-approval-asks-again] [TC-100, TC-232, TC-238, TC-243]', async () => {
    const { proviso, tool, clock, id } = await waiting()
    await approveAs(proviso, id, 'boss')
    clock.advance(11 * 60_000)
    const late = await proviso.call(order('c1'), context)
    expect([reasonOf(late), late.effect, late.approval?.id === id]).toEqual(['approval_expired', 'pending', false])
    expect(tool.seen).toHaveLength(0)
    await approveAs(proviso, late.approval?.id ?? '', 'boss')
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
  })

  it('counts different people, and one rejection ends it [quorum-counts-people] [TC-219]', async () => {
    const { proviso, tool, id } = await waiting({ approval: { quorum: 2 } })
    expect((await approveAs(proviso, id, 'boss')).status).toBe('pending')
    expect((await approveAs(proviso, id, 'boss')).status).toBe('pending')
    expect(classOf(await proviso.call(order('c1'), context))).toBe('CONFIRMATION_MISSING')
    expect((await approveAs(proviso, id, 'chief')).status).toBe('approved')
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
    expect(tool.seen).toHaveLength(1)
    const other = await waiting({ approval: { quorum: 2 } })
    await approveAs(other.proviso, other.id, 'boss')
    expect((await rejectAs(other.proviso, other.id, 'chief')).status).toBe('rejected')
  })

  it('tells the agent whom it waits for, of each kind, and how many are missing yet [TC-301]', async () => {
    const says = (answer: Answer) => answer.observation.result_payload.errors[0]?.message
    const judge = () => ({ says: 'ask', message: 'Legal looks.', pattern: 'compliance_gate' }) as const
    const { source } = counted('HIGH_RISK_EXTERNAL', { approval: { quorum: 2 } })
    const proviso = await open(source, { policies: [{ id: 'legal', judge }] })
    const asked = await proviso.call(order('c1'), context)
    const id = asked.approval?.id ?? ''
    expect(says(asked)).toBe(
      `This call needs approval. Waiting for 2 people with the role approver or operator and 1 person with the role compliance. Nothing was done. Once ${id} is approved, make the same call again.`,
    )
    await approveAs(proviso, id, 'boss')
    expect(says(await proviso.call(order('c1'), context))).toContain('Waiting for 1 more person with the role approver')
  })

  it('judges permission and state again after the wait [judged-again-after-wait] [TC-095]', async () => {
    let status = 'open'
    const { proviso, tool, id } = await waiting({
      scopes: [],
      state: {
        read: () => ({ status }),
        allows: (state) => (state.status === 'open' ? undefined : 'The order is closed.'),
      },
    })
    await approveAs(proviso, id, 'boss')
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
    await approveAs(proviso, asked.approval?.id ?? '', 'boss')
    expect(tool.seen).toHaveLength(1)
    expect(isReplay(await proviso.call(order('c1'), context))).toBe(true)
    expect(tool.seen).toHaveLength(1)
  })

  it('asks for consent before regulated data is read, and per user [TC-118, TC-139, TC-214]', async () => {
    const tool = counted('READ_ONLY', { classification: 'regulated' })
    const proviso = await open(tool.source)
    const asked = await proviso.call(order('c1'), context)
    expect(classOf(asked)).toBe('CONFIRMATION_MISSING')
    await approveAs(proviso, asked.approval?.id ?? '', 'ann')
    expect(classOf(await proviso.call(order('c2'), { ...context, user: 'mallory' }))).toBe('CONFIRMATION_MISSING')
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
  })

  it('refuses a decision without a credential, without a packet, or about nothing [decision-needs-credential]', async () => {
    const { proviso, id, asked } = await waiting()
    const packetHash = asked.approval?.packetHash ?? ''
    const credential = await keyOf('boss', 'acme')
    await expect(proviso.approvals.approve(id, { credential: '', packetHash })).rejects.toThrow('the credential')
    await expect(proviso.approvals.approve(id, { credential, packetHash: '' })).rejects.toThrow('was displayed')
    await expect(proviso.approvals.approve(id, { credential: 'pvk_x', packetHash })).rejects.toThrow('opens nothing')
    await expect(proviso.approvals.approve('appr_0', { credential, packetHash })).rejects.toThrow('no approval')
    await expect(proviso.approvals.approve(id, { credential, packetHash: 'other' })).rejects.toThrow('Look at it again')
    expect((await proviso.approvals.get(id))?.status).toBe('pending')
  })

  it('lets no person decide where none is known, and says how to become known [decision-needs-credential]', async () => {
    const proviso = await openProviso({ tools: [counted('HIGH_RISK_EXTERNAL').source] })
    const asked = await proviso.call(order('c1'), context)
    const { id = '', packetHash = '' } = asked.approval ?? {}
    const credential = await keyOf('boss', 'acme')
    await expect(proviso.approvals.approve(id, { credential, packetHash })).rejects.toThrow('proviso keys create')
  })

  it('keeps who decided, with what key, in which roles and about which packet, and gives the token [TC-219, TC-233]', async () => {
    const { proviso, id, asked } = await waiting()
    const approved = await approveAs(proviso, id, 'boss', 'seen it')
    expect(approved.decisions).toMatchObject([
      {
        by: 'boss',
        kind: 'person',
        reason: 'seen it',
        keyId: expect.any(String),
        packetHash: asked.approval?.packetHash,
      },
    ])
    expect(approved.token?.split('.')).toHaveLength(3)
    expect((await proviso.approvals.get(id))?.token).toBe(approved.token)
    const done = await proviso.call(order('c1'), context)
    expect(done.approval).toMatchObject({ id, token: approved.token })
  })

  it('attaches later calls of the operation to the packet and links their traces', async () => {
    const { proviso, id } = await waiting()
    const second = await proviso.call(order('c2'), { ...context, trace: 'another-trace' })
    expect((await proviso.approvals.get(id))?.attached).toEqual([
      { callId: second.observation.tool_identity.call_id, trace: 'another-trace' },
    ])
  })

  it('never asks a person about what is invalid or forbidden [approval-asks-a-person]', async () => {
    const { proviso } = await waiting()
    const before = (await proviso.approvals.list()).length
    const invalid = await proviso.call(order('c8', { order_id: 7 }), context)
    expect(classOf(invalid)).toBe('TYPE_MISMATCH')
    const strict = await open(counted('HIGH_RISK_EXTERNAL', { scopes: ['orders:write'] }).source, {
      policies: [{ id: 'no', judge: () => ({ says: 'deny', message: 'No.' }) }],
    })
    expect(classOf(await strict.call(order('c1'), context))).toBe('PERMISSION_DENIED')
    const denied = await strict.call(order('c1'), { ...context, scopes: ['orders:write'] })
    expect(classOf(denied)).toBe('POLICY_VIOLATION')
    expect([(await proviso.approvals.list()).length, (await strict.approvals.list()).length]).toEqual([before, 0])
  })

  it.each([
    ['user_consent', 1, ['ann']],
    ['operator_review', 1, ['bob']],
    ['dual_control', 2, ['bob', 'cleo']],
    ['compliance_gate', 1, ['bob']],
    ['async_review', 1, ['bob']],
  ] as const)(
    'follows the pattern %s with %i of its people [TC-214, TC-216, TC-222]',
    async (pattern, quorum, approvers) => {
      const tool = counted('MEDIUM_RISK_WRITE', { confirm: true, approval: { pattern } })
      const proviso = await open(tool.source)
      const asked = await proviso.call(order('c1'), context)
      const id = asked.approval?.id ?? ''
      expect((await proviso.approvals.get(id))?.requirement).toMatchObject({ pattern, demands: [{ quorum }] })
      const wrong = pattern === 'user_consent' ? 'bob' : 'ann'
      await expect(approveAs(proviso, id, wrong)).rejects.toThrow(/does not approve it|Only the user/)
      for (const name of approvers) {
        expect(classOf(await proviso.call(order('c1'), context))).toBe('CONFIRMATION_MISSING')
        await approveAs(proviso, id, name)
      }
      expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
    },
  )

  it('shows the defaults of what was left out, and what a template says [TC-227]', async () => {
    const mail = defineTool({
      name: 'mail_v1',
      description: 'Sends a mail.',
      effect: 'HIGH_RISK_EXTERNAL',
      input: {
        type: 'object',
        properties: { to: { type: 'string' }, copies: { type: 'integer', default: 1 } },
        required: ['to'],
        additionalProperties: false,
      },
      consequence: 'Sends {copies} mail to {to}',
      execute: () => ({ sent: true }),
    })
    const proviso = await open(mail)
    await proviso.call({ tool: 'mail_v1', arguments: { to: 'a\u202eb' }, callId: 'c1' }, context)
    const [shown] = await proviso.approvals.list()
    expect(shown?.packet.consequence).toBe('Sends 1 (default) mail to "a\\u{202e}b"')
    expect(shown?.packet.arguments).toEqual([
      { pointer: '/to', value: 'a\u202eb', origin: 'given' },
      { pointer: '/copies', value: 1, origin: 'default' },
    ])
  })

  it('asks again where the state has changed, and counts the old packet no more [decision-names-its-packet] [TC-228]', async () => {
    let total = 10
    const { proviso, tool, id } = await waiting({ state: { read: () => ({ total }) } })
    await approveAs(proviso, id, 'boss')
    total = 1_000_000
    const again = await proviso.call(order('c1'), context)
    expect([classOf(again), again.approval?.id === id]).toEqual(['CONFIRMATION_MISSING', false])
    expect((await proviso.approvals.get(id))?.status).toBe('superseded')
    total = 10
    expect(classOf(await proviso.call(order('c1'), context))).toBe('CONFIRMATION_MISSING')
    expect(tool.seen).toHaveLength(0)
  })

  it('takes the version that the tool names for the state, where it names one', async () => {
    let seen = 0
    const { proviso, tool, id } = await waiting({
      state: {
        read: () => ({ version: 'o-1', seen: ++seen }),
        match: [{ argument: '/order_id', state: '/version' }],
      },
    })
    await approveAs(proviso, id, 'boss')
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
    expect(tool.seen).toHaveLength(1)
  })

  it('asks again only where more is demanded than was given [TC-464]', async () => {
    let quorum = 1
    const tool = counted('HIGH_RISK_EXTERNAL')
    const judge = () => ({ says: 'ask', message: 'A person looks.', quorum }) as const
    const proviso = await open(tool.source, { policies: [{ id: 'look', judge }] })
    const asked = await proviso.call(order('c1'), context)
    await approveAs(proviso, asked.approval?.id ?? '', 'boss')
    quorum = 3
    const more = await proviso.call(order('c1'), context)
    expect(more.approval?.id).not.toBe(asked.approval?.id)
    for (const name of ['bea', 'cleo', 'dora']) await approveAs(proviso, more.approval?.id ?? '', name)
    quorum = 1
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
  })

  it('runs a resumed call once, also when its agent comes at the same moment [resume-on-decision]', async () => {
    const tool = counted('HIGH_RISK_EXTERNAL')
    const proviso = await open(tool.source)
    const asked = await proviso.call(order('c1'), { ...context, resumeOnDecision: true })
    await Promise.all([
      approveAs(proviso, asked.approval?.id ?? '', 'boss'),
      ...Array.from({ length: 8 }, () => proviso.call(order('c1'), context)),
    ])
    await proviso.call(order('c1'), context)
    expect(tool.seen).toHaveLength(1)
  })

  it('answers a pass from the record whose approval another pass used while it was judged [approval-executes-once]', async () => {
    const slow = Promise.withResolvers<void>()
    const reads = [undefined, slow.promise]
    const read = async () => {
      await reads.shift()
      return { total: 1 }
    }
    const { proviso, tool, asked, id } = await waiting({ state: { read } })
    const overtaken = proviso.call(order('c1'), context)
    await approveAs(proviso, id, 'boss')
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
    slow.resolve()
    const answer = await overtaken
    expect([classOf(answer), answer.effect, isReplay(answer)]).toEqual(['SUCCESS', 'happened', true])
    expect(tool.seen).toHaveLength(1)
    expect(await proviso.approvals.list()).toHaveLength(1)
    expect((await proviso.calls.get(asked.observation.tool_identity.call_id))?.effect).toBe('happened')
  })

  it('resolves the principal again before a decision runs the call [judged-again-after-wait]', async () => {
    const tool = counted('HIGH_RISK_EXTERNAL', { scopes: ['orders:write'] })
    const principals = () => ({ roles: [], scopes: [] })
    const proviso = await open(tool.source, { principals })
    const where = { ...context, scopes: ['orders:write'], resumeOnDecision: true }
    const asked = await proviso.call(order('c1'), where)
    await approveAs(proviso, asked.approval?.id ?? '', 'boss')
    expect(tool.seen).toHaveLength(0)
  })

  it('raises a budget by a packet of its own, once [TC-193]', async () => {
    const tool = counted('MEDIUM_RISK_WRITE')
    const proviso = await open(tool.source, { budgets: { write: 1 } })
    await proviso.call(order('c1'), context)
    expect(classOf(await proviso.call(order('c2', { order_id: 'o-2' }), context))).toBe('BUDGET_EXHAUSTED')
    const request = await proviso.budgets.request({ limit: 'write', amount: 1, why: 'one order more' }, context)
    await expect(approveAs(proviso, request.id, 'ann')).rejects.toThrow('does not approve it')
    for (const name of ['boss', 'boss', 'chief']) await approveAs(proviso, request.id, name)
    expect(classOf(await proviso.call(order('c2', { order_id: 'o-2' }), context))).toBe('SUCCESS')
    expect(classOf(await proviso.call(order('c3', { order_id: 'o-3' }), context))).toBe('BUDGET_EXHAUSTED')
  })

  it('keeps requests for reads apart that have the same arguments', async () => {
    const [one, other] = ['read_mail_v1', 'read_files_v1'].map((name) =>
      counted('READ_ONLY', { name, classification: 'regulated' }),
    )
    const proviso = await open([one?.source, other?.source].filter((source) => source !== undefined))
    const asked = await proviso.call({ ...order('c1'), tool: 'read_mail_v1' }, context)
    await proviso.call({ ...order('c2'), tool: 'read_files_v1' }, context)
    expect((await approveAs(proviso, asked.approval?.id ?? '', 'ann')).status).toBe('approved')
  })

  it('does not run a call by its decision for a user who is gone, or of a tool that was blocked meanwhile [judged-again-after-wait]', async () => {
    const ledger = memory()
    const tool = counted('HIGH_RISK_EXTERNAL')
    const proviso = await open(tool.source, { ledger })
    const later = [
      await open(tool.source, { ledger, principals: () => undefined }),
      await open(tool.source, { ledger, blocked: { order_v1: 'It is being looked at.' } }),
    ]
    for (const [index, desk] of later.entries()) {
      const proposal = order(`c${index}`, { order_id: `o-${index}` })
      const asked = await proviso.call(proposal, { ...context, resumeOnDecision: true })
      expect((await approveAs(desk, asked.approval?.id ?? '', 'boss')).status).toBe('approved')
    }
    expect(tool.seen).toHaveLength(0)
  })

  it('raises a budget in the step that takes the last vote, and anew in another window', async () => {
    const clock = manualClock()
    const ledger = memory({ clock })
    const lost = () => {
      throw new Error('killed')
    }
    const limits = [{ id: 'a-day', kind: 'write', per: 'tenant', windowSec: 86_400, max: 1 }] as const
    const proviso = await open(counted('MEDIUM_RISK_WRITE').source, {
      ledger: { ...ledger, limits: { ...ledger.limits, raise: lost } },
      clock,
      budgets: { limits },
    })
    const left = async () => (await proviso.budgets.left(context)).find(({ limit }) => limit === 'a-day')?.left
    for (let day = 0; day < 2; day++) {
      expect(await left()).toBe('1')
      const asked = await proviso.budgets.request({ limit: 'a-day', amount: 2, why: 'a fair' }, context)
      await approveAs(proviso, asked.id, 'boss')
      expect(await left()).toBe('3')
      clock.advance(86_400_000)
    }
  })

  it('issues no token on a vote that was written into the row [decision-needs-credential]', async () => {
    const ledger = memory()
    const tool = counted('HIGH_RISK_EXTERNAL', { approval: { pattern: 'dual_control' } })
    const proviso = await open(tool.source, { ledger })
    const { approval } = await proviso.call(order('c1'), context)
    const { id = '', packetHash = '' } = approval ?? {}
    const forged = { by: 'ghost', kind: 'person', roles: ['approver'], verdict: 'approved', keyId: 'k' } as const
    await ledger.approvals.decide(id, { ...forged, reason: undefined, packetHash }, () => 'none')
    await expect(approveAs(proviso, id, 'boss')).rejects.toThrow('not given here')
    await proviso.call(order('c1'), context)
    expect(tool.seen).toHaveLength(0)
  })
})
