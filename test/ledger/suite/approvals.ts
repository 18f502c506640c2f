// Approvals, as every engine keeps them: one per subject, decided by enough people, used once.
import { expect, it } from 'vitest'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { admission, approval, callId, distinct, one, retryable, says, settleOn, slot } from '../requests.ts'
import type { StartEngine } from '../suite.ts'

const wanted = { id: 'appr-1', payloadHash: 'p' }
const subjectOf = (slotKey: string, tenant = 'acme') => ({ tenant, slotKey, generation: 1, payloadHash: 'p' })

async function approve(ledger: Ledger): Promise<void> {
  await ledger.openApproval(approval(), 10)
  await ledger.decide('appr-1', says('boss', 'approved'))
}

export function approvalTests(start: StartEngine): void {
  it('opens one approval per subject and uses it once', async () => {
    const { ledger } = await start()
    await ledger.openApproval(approval(), 10)
    expect((await ledger.openApproval(approval({ id: 'appr-2' }), 10))?.id).toBe('appr-1')
    expect(await ledger.admit(admission({ approval: wanted }))).toEqual({ kind: 'approval' })
    await ledger.decide('appr-1', says('boss', 'approved'))
    expect(await ledger.admit(admission({ approval: { ...wanted, payloadHash: 'q' } }))).toEqual({ kind: 'approval' })
    expect(await ledger.admit(admission({ approval: wanted }))).toMatchObject({ kind: 'admitted' })
    expect(await ledger.admit(admission({ approval: wanted, slot: slot({ key: 'slot-2' }) }))).toEqual({
      kind: 'approval',
    })
  })

  it('opens one approval when many ask for the same subject at once', async () => {
    const { ledger, peer } = await start()
    const ledgers = [ledger, await peer()]
    const opened = await Promise.all(
      Array.from({ length: 10 }, (_, n) => ledgers[n % 2]?.openApproval(approval({ id: `appr-${n}` }), 10)),
    )
    expect(new Set(opened.map((each) => each?.id)).size).toBe(1)
    expect(await ledger.approvals()).toHaveLength(1)
  })

  it('lets one of many calls that come at once with the same approval pass [approval-executes-once]', async () => {
    const { ledger, peer } = await start()
    const ledgers = [ledger, await peer()]
    await approve(ledger)
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) => ledgers[n % 2]?.admit(distinct(n + 1, { approval: wanted }))),
    )
    const admitted = all.findIndex((each) => each?.kind === 'admitted')
    expect(all.filter((each) => each?.kind === 'approval')).toHaveLength(19)
    expect((await ledger.approval('appr-1'))?.usedBy).toBe(callId(admitted + 1))
  })

  it('leaves an approval unused where the call was refused for another reason', async () => {
    const { ledger } = await start()
    await approve(ledger)
    const refusals = await Promise.all([
      ledger.admit(distinct(1, { approval: wanted, budget: { run: 'run-1', kind: 'write', max: 0 } })),
      ledger.admit(distinct(2, { approval: wanted, rate: { scope: 'none', windowMs: 86_400_000, max: 0 } })),
    ])
    expect(refusals.map(({ kind }) => kind)).toEqual(['budget', 'rate'])
    expect((await ledger.approval('appr-1'))?.usedBy).toBeUndefined()
    expect(await ledger.admit(distinct(3, { approval: wanted }))).toMatchObject({ kind: 'admitted' })
  })

  it('frees an approval whose attempt had no effect and may be retried, and no other', async () => {
    const { ledger } = await start()
    await approve(ledger)
    await ledger.admit(admission({ approval: wanted }))
    await settleOn(ledger, { ...retryable })
    expect(await ledger.admit(admission({ approval: wanted }))).toMatchObject({ kind: 'admitted', attempt: 2 })
    await settleOn(ledger, { attempt: 2 })
    expect((await ledger.approval('appr-1'))?.usedBy).toBe(one)
    await ledger.admit(distinct(2))
    await settleOn(ledger, { ...retryable, callId: callId(2), slotKey: 'slot-2' })
    expect((await ledger.approval('appr-1'))?.usedBy).toBe(one)
  })

  it('takes no decision after the last one, and opens anew what ran out', async () => {
    const { ledger, advance } = await start()
    await ledger.openApproval(approval(), 10)
    await ledger.decide('appr-1', says('boss', 'rejected'))
    await ledger.decide('appr-1', says('chief', 'approved'))
    expect((await ledger.approval('appr-1'))?.decisions).toHaveLength(1)
    const subject = subjectOf('slot-2')
    await ledger.openApproval(approval({ id: 'appr-2', subject }), 10)
    await ledger.decide('appr-2', says('boss', 'approved'))
    await advance(60_000)
    expect(await ledger.admit(admission({ approval: { ...wanted, id: 'appr-2' } }))).toEqual({ kind: 'approval' })
    await ledger.decide('appr-2', says('chief', 'rejected'))
    expect((await ledger.approval('appr-2'))?.decisions).toHaveLength(1)
    expect((await ledger.openApproval(approval({ id: 'appr-3', subject }), 10))?.id).toBe('appr-3')
    expect((await ledger.findApproval(subject))?.id).toBe('appr-3')
  })

  it('waits for a quorum of different people, however they spell their names [quorum-counts-people]', async () => {
    const { ledger } = await start()
    const packet = { ...approval().packet, quorum: 2, pattern: 'dual_control', requestedBy: 'ann' } as const
    await ledger.openApproval(approval({ packet }), 10)
    for (const by of ['Boss', ' boss ', 'ANN']) await ledger.decide('appr-1', says(by, 'approved'))
    expect(await ledger.admit(admission({ approval: wanted }))).toEqual({ kind: 'approval' })
    await ledger.decide('appr-1', says('chief', 'approved'))
    expect((await ledger.approval('appr-1'))?.decisions.map(({ by }) => by)).toEqual(['Boss', ' boss ', 'ANN', 'chief'])
    expect(await ledger.admit(admission({ approval: wanted }))).toMatchObject({ kind: 'admitted' })
  })

  it('counts as many decisions as the quorum needs when everybody decides at once', async () => {
    const { ledger, peer } = await start()
    const ledgers = [ledger, await peer()]
    await ledger.openApproval(approval({ packet: { ...approval().packet, quorum: 3 } }), 10)
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => ledgers[n % 2]?.decide('appr-1', says(`person ${n}`, 'approved'))),
    )
    expect((await ledger.approval('appr-1'))?.decisions).toHaveLength(3)
  })

  it('lets an approval be withdrawn until it is used [rejected-stays-rejected]', async () => {
    const { ledger } = await start()
    await approve(ledger)
    expect((await ledger.decide('appr-1', says('boss', 'rejected')))?.decisions).toHaveLength(2)
    expect(await ledger.admit(admission({ approval: wanted }))).toEqual({ kind: 'approval' })
    await ledger.openApproval(approval({ id: 'appr-2', subject: subjectOf('slot-2') }), 10)
    await ledger.decide('appr-2', says('boss', 'approved'))
    await ledger.admit(admission({ approval: { ...wanted, id: 'appr-2' } }))
    await ledger.decide('appr-2', says('boss', 'rejected'))
    expect((await ledger.approval('appr-2'))?.decisions).toHaveLength(1)
  })

  it('lets a run wait for so many people and no more, until somebody answers or time is over', async () => {
    const { ledger, advance } = await start()
    const open = (number: number, run = 'run-1', ttlMs = 60_000) =>
      ledger.openApproval(approval({ id: `appr-${number}`, run, subject: subjectOf(`slot-${number}`), ttlMs }), 2)
    const opened = await Promise.all([1, 2, 3, 4].map((number) => open(number)))
    expect(opened.filter((each) => each !== undefined)).toHaveLength(2)
    const [first] = await ledger.approvals()
    expect(await open(5)).toBeUndefined()
    expect(await open(6, 'run-2')).toMatchObject({ id: 'appr-6' })
    await ledger.decide(first?.id ?? '', says('boss', 'rejected'))
    expect(await open(5)).toMatchObject({ id: 'appr-5' })
    expect(await open(7)).toBeUndefined()
    await advance(60_000)
    expect(await open(7)).toMatchObject({ id: 'appr-7' })
  })

  it('keeps the approvals of tenants apart, also for who decides and who uses them [tenants-isolated]', async () => {
    const { ledger } = await start()
    await ledger.openApproval(approval(), 10)
    await ledger.openApproval(approval({ id: 'appr-2', subject: subjectOf('slot-1', 'globex') }), 10)
    expect(await ledger.approval('appr-1', 'globex')).toBeUndefined()
    expect(await ledger.approval('appr-1', 'acme')).toMatchObject({ id: 'appr-1', decisions: [] })
    expect(await ledger.decide('appr-1', says('boss', 'approved'), 'globex')).toBeUndefined()
    expect(await ledger.decide('no such approval', says('boss', 'approved'))).toBeUndefined()
    expect((await ledger.approval('appr-1'))?.decisions).toEqual([])
    expect(await ledger.decide('appr-1', says('boss', 'approved'), 'acme')).toMatchObject({ id: 'appr-1' })
    expect((await ledger.approvals('globex')).map(({ id }) => id)).toEqual(['appr-2'])
    expect((await ledger.approvals()).map(({ id }) => id).sort()).toEqual(['appr-1', 'appr-2'])
    expect((await ledger.findApproval(subjectOf('slot-1', 'globex')))?.id).toBe('appr-2')
    expect(await ledger.admit(distinct(9, { tenant: 'globex', approval: wanted }))).toEqual({ kind: 'approval' })
  })
}
