// What a budget of one kind says of another, and what is asked of people by the size of a call and by the stage of the work.
import { describe, expect, it } from 'vitest'
import { approveAs } from '../../people.ts'
import { classOf, context, counted, open, order, reasonOf } from '../../pipeline/bench-desk.ts'

const read = counted('READ_ONLY', { name: 'look_v1' })

describe('budgets', () => {
  it('of one kind grant nothing of another: thirty reads and no send [TC-148]', async () => {
    const mail = counted('HIGH_RISK_EXTERNAL', { name: 'send_v1', verify: () => ({ status: 'verified' }) })
    const proviso = await open([read.source, mail.source], { budgets: { read: 30, external: 0 } })
    for (let count = 0; count < 5; count++)
      expect(classOf(await proviso.call({ ...order(`r${count}`), tool: 'look_v1' }, context))).toBe('SUCCESS')
    const proposal = { ...order('s1'), tool: 'send_v1' }
    const asked = await proviso.call(proposal, context)
    if (asked.approval !== undefined) await approveAs(proviso, asked.approval.id, 'boss')
    const refused = await proviso.call(proposal, context)
    expect([classOf(refused), refused.effect, mail.seen.length]).toEqual(['BUDGET_EXHAUSTED', 'none', 0])
    expect((await proviso.budgets.left(context)).find(({ limit }) => limit === 'read')?.left).toBe('25')
  })

  it('of reads hold for a run and for a tenant [TC-149]', async () => {
    const limits = [{ id: 'all', kind: 'read', per: 'tenant', max: 3 }] as const
    const proviso = await open(counted('READ_ONLY').source, { budgets: { read: 2, limits } })
    const look = async (id: string, where: object) => classOf(await proviso.call(order(id), { ...context, ...where }))
    expect([await look('a', {}), await look('b', {}), await look('c', {})]).toEqual([
      'SUCCESS',
      'SUCCESS',
      'BUDGET_EXHAUSTED',
    ])
    expect([await look('d', { run: 'run-2' }), await look('e', { run: 'run-2' })]).toEqual([
      'SUCCESS',
      'BUDGET_EXHAUSTED',
    ])
    expect(await look('f', { tenant: 'globex' })).toBe('SUCCESS')
  })
})

describe('calls', () => {
  it('are asked about over a threshold, and below it are not [TC-152]', async () => {
    const permissions = {
      organisation: [{ id: 'large', says: 'ask', when: 'has(args.amount) && args.amount > 100' }],
    } as const
    const proviso = await open(counted('LOW_RISK_INTERNAL').source, { permissions })
    const pay = (id: string, amount: number) => proviso.call(order(id, { order_id: id, amount }), context)
    expect(classOf(await pay('a', 100))).toBe('SUCCESS')
    expect(reasonOf(await pay('b', 101))).toBe('approval_pending')
  })

  it('are asked about in a stage of the work that policy names, and for tenants that it names [TC-128]', async () => {
    const permissions = {
      organisation: [
        { id: 'closing', says: 'ask', when: 'has(context.workflow) && context.workflow == "closing"' },
        { id: 'strict', says: 'ask', tenants: ['globex'] },
      ],
    } as const
    const proviso = await open(counted('MEDIUM_RISK_WRITE').source, { permissions })
    const write = async (id: string, where: object) =>
      reasonOf(await proviso.call(order(id, { order_id: id }), { ...context, ...where }))
    expect(await write('a', { workflow: 'intake' })).toBeUndefined()
    expect(await write('b', { workflow: 'closing' })).toBe('approval_pending')
    expect(await write('c', { tenant: 'globex' })).toBe('approval_pending')
  })
})
