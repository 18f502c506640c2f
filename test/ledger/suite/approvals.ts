// Approvals, as every engine keeps them: one open packet per operation, decided by enough people, used once by the operation it is for.
import { expect, it } from 'vitest'
import type { Ledger } from '../../../src/ledger/ports/ledger.ts'
import {
  admission,
  approval,
  callId,
  distinct,
  issue,
  one,
  people,
  question,
  retryable,
  says,
  settleOn,
  slot,
  two,
} from '../requests.ts'
import type { StartEngine } from '../suite.ts'

const wanted = { id: 'appr-1', payloadHash: 'p' }
const subjectOf = (slotKey: string, tenant = 'acme', payloadHash = 'p') => ({
  tenant,
  slotKey,
  generation: 1,
  payloadHash,
})

async function approve(ledger: Ledger): Promise<void> {
  await ledger.approvals.open(approval(), 10)
  await ledger.approvals.decide('appr-1', says('boss', 'approved'), issue)
}

export function approvalTests(start: StartEngine): void {
  it('opens one approval per operation and uses it once', async () => {
    const { ledger } = await start()
    await ledger.approvals.open(approval(), 10)
    expect((await ledger.approvals.open(approval({ id: 'appr-2' }), 10))?.id).toBe('appr-1')
    expect(await ledger.operations.admit(admission({ approval: wanted }))).toEqual({ kind: 'approval' })
    await ledger.approvals.decide('appr-1', says('boss', 'approved'), issue)
    expect(await ledger.operations.admit(admission({ approval: { ...wanted, payloadHash: 'q' } }))).toEqual({
      kind: 'approval',
    })
    expect(await ledger.operations.admit(admission({ approval: wanted }))).toMatchObject({ kind: 'admitted' })
    expect((await ledger.approvals.get('appr-1'))?.usedBy).toBe(one)
  })

  it('serves no other operation and no other generation of its own [approval-binds-payload]', async () => {
    const { ledger } = await start()
    await approve(ledger)
    const elsewhere = distinct(2, { approval: wanted, slot: slot({ key: 'slot-2' }) })
    expect(await ledger.operations.admit(elsewhere)).toEqual({ kind: 'approval' })
    const subject = { ...subjectOf('slot-3'), generation: 2 }
    await ledger.approvals.open(approval({ id: 'appr-3', subject }), 10)
    await ledger.approvals.decide('appr-3', says('boss', 'approved'), issue)
    const first = distinct(3, { approval: { ...wanted, id: 'appr-3' } })
    expect(await ledger.operations.admit(first)).toEqual({ kind: 'approval' })
    expect((await ledger.approvals.get('appr-1'))?.usedBy).toBeUndefined()
  })

  it('opens one approval when many ask for the same operation at once', async () => {
    const { ledger, peer } = await start()
    const ledgers = [ledger, await peer()]
    const opened = await Promise.all(
      Array.from({ length: 10 }, (_, n) => ledgers[n % 2]?.approvals.open(approval({ id: `appr-${n}` }), 10)),
    )
    expect(new Set(opened.map((each) => each?.id)).size).toBe(1)
    expect(await ledger.approvals.list()).toHaveLength(1)
  })

  it('asks no person again whose packet was decided and used since it was seen waiting', async () => {
    const { ledger } = await start()
    await approve(ledger)
    await ledger.operations.admit(admission({ approval: wanted }))
    const late = await ledger.approvals.open(approval({ id: 'appr-2', waiting: 'appr-1' }), 10)
    expect([late?.id, late?.usedBy]).toEqual(['appr-1', one])
    expect(await ledger.approvals.list()).toHaveLength(1)
  })

  it('attaches later calls of the operation to the open packet, with their traces', async () => {
    const { ledger } = await start()
    await ledger.approvals.open(approval(), 10)
    const later = { id: 'appr-2', callId: two, question: { ...question, callId: two, trace: 'other trace' } }
    for (let time = 0; time < 2; time++) await ledger.approvals.open(approval(later), 10)
    expect((await ledger.approvals.get('appr-1'))?.attached).toEqual([{ callId: two, trace: 'other trace' }])
  })

  it('puts another packet of the operation in the place of the open one, and nothing runs on the old one', async () => {
    const { ledger } = await start()
    await approve(ledger)
    const changed = approval({ id: 'appr-2', packetHash: 'another' })
    expect((await ledger.approvals.open(changed, 10))?.id).toBe('appr-2')
    expect((await ledger.approvals.get('appr-1'))?.superseded).toBe(true)
    expect(await ledger.operations.admit(admission({ approval: wanted }))).toEqual({ kind: 'approval' })
    expect((await ledger.approvals.decide('appr-1', says('chief', 'approved'), issue))?.decisions).toHaveLength(1)
    const stronger = approval({ id: 'appr-3', packetHash: 'another', requirement: people(2) })
    expect((await ledger.approvals.open(stronger, 10))?.id).toBe('appr-3')
    const weaker = approval({ id: 'appr-4', packetHash: 'another', requirement: people(1) })
    expect((await ledger.approvals.open(weaker, 10))?.id).toBe('appr-3')
    const replacing = approval({ id: 'appr-5', packetHash: 'another', replaces: 'appr-3' })
    expect((await ledger.approvals.open(replacing, 10))?.id).toBe('appr-5')
  })

  it('leaves what was approved for one payload as it is when another payload is asked about', async () => {
    const { ledger } = await start()
    await approve(ledger)
    const other = approval({ id: 'appr-2', subject: subjectOf('slot-1', 'acme', 'q'), packetHash: 'another' })
    expect((await ledger.approvals.open(other, 10))?.id).toBe('appr-2')
    const third = approval({ id: 'appr-3', subject: subjectOf('slot-1', 'acme', 'r'), packetHash: 'a third' })
    expect((await ledger.approvals.open(third, 10))?.id).toBe('appr-3')
    expect((await ledger.approvals.get('appr-2'))?.superseded).toBe(true)
    expect(await ledger.operations.admit(admission({ approval: wanted }))).toMatchObject({ kind: 'admitted' })
  })

  it('lets one of many calls that come at once with the same approval pass [approval-executes-once]', async () => {
    const { ledger, peer } = await start()
    const ledgers = [ledger, await peer()]
    await approve(ledger)
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        ledgers[n % 2]?.operations.admit(
          distinct(n + 1, { approval: wanted, slot: slot({ key: 'slot-1', providerCallId: `p${n + 1}` }) }),
        ),
      ),
    )
    const admitted = all.findIndex((each) => each?.kind === 'admitted')
    expect(all.filter((each) => each?.kind === 'slot')).toHaveLength(19)
    expect((await ledger.approvals.get('appr-1'))?.usedBy).toBe(callId(admitted + 1))
  })

  it('leaves an approval unused where the call was refused for another reason', async () => {
    const { ledger } = await start()
    await approve(ledger)
    const claim = {
      name: 'budget:none:',
      amount: 1,
      max: 0,
      windowMs: undefined,
      returns: true,
      limit: 'none',
      what: 'calls',
      currency: undefined,
    }
    const refusals = [
      await ledger.operations.admit(admission({ approval: wanted, claims: [claim] })),
      await ledger.operations.admit(
        admission({ approval: wanted, rate: { scope: 'none', windowMs: 86_400_000, max: 0 } }),
      ),
    ]
    expect(refusals.map(({ kind }) => kind)).toEqual(['budget', 'rate'])
    expect((await ledger.approvals.get('appr-1'))?.usedBy).toBeUndefined()
    expect(await ledger.operations.admit(admission({ approval: wanted }))).toMatchObject({ kind: 'admitted' })
  })

  it('frees an approval whose attempt had no effect and may be retried, and no other', async () => {
    const { ledger } = await start()
    await approve(ledger)
    await ledger.operations.admit(admission({ approval: wanted }))
    await settleOn(ledger, { ...retryable })
    expect(await ledger.operations.admit(admission({ approval: wanted }))).toMatchObject({
      kind: 'admitted',
      attempt: 2,
    })
    await settleOn(ledger, { attempt: 2 })
    expect((await ledger.approvals.get('appr-1'))?.usedBy).toBe(one)
    await ledger.operations.admit(distinct(2))
    await settleOn(ledger, { ...retryable, callId: callId(2), slotKey: 'slot-2' })
    expect((await ledger.approvals.get('appr-1'))?.usedBy).toBe(one)
  })

  it('takes no decision after the last one, and opens anew what ran out', async () => {
    const { ledger, advance } = await start()
    await ledger.approvals.open(approval(), 10)
    await ledger.approvals.decide('appr-1', says('boss', 'rejected'), issue)
    await ledger.approvals.decide('appr-1', says('chief', 'approved'), issue)
    expect((await ledger.approvals.get('appr-1'))?.decisions).toHaveLength(1)
    const subject = subjectOf('slot-2', 'acme', 'q')
    await ledger.approvals.open(approval({ id: 'appr-2', subject }), 10)
    await ledger.approvals.decide('appr-2', says('boss', 'approved'), issue)
    await advance(60_000)
    const late = distinct(2, { approval: { id: 'appr-2', payloadHash: 'q' } })
    expect(await ledger.operations.admit(late)).toEqual({ kind: 'approval' })
    await ledger.approvals.decide('appr-2', says('chief', 'rejected'), issue)
    expect((await ledger.approvals.get('appr-2'))?.decisions).toHaveLength(1)
    expect((await ledger.approvals.open(approval({ id: 'appr-3', subject }), 10))?.id).toBe('appr-3')
    expect((await ledger.approvals.find(subject, 'run-1'))?.id).toBe('appr-3')
  })

  it('lets a rejection stand for its run, under every later name of the operation [rejected-stays-rejected]', async () => {
    const { ledger } = await start()
    await ledger.approvals.open(approval(), 10)
    await ledger.approvals.decide('appr-1', says('boss', 'rejected'), issue)
    expect((await ledger.approvals.find(subjectOf('another slot'), 'run-1'))?.id).toBe('appr-1')
    expect(await ledger.approvals.find(subjectOf('another slot', 'acme', 'q'), 'run-1')).toBeUndefined()
    expect(await ledger.approvals.find(subjectOf('another slot', 'globex'), 'run-1')).toBeUndefined()
    expect(await ledger.approvals.find(subjectOf('another slot'), undefined)).toBeUndefined()
  })

  it('waits for a quorum of different people, however they spell their names [quorum-counts-people]', async () => {
    const { ledger } = await start()
    const asked = { requester: { user: 'ann', agent: undefined } }
    await ledger.approvals.open(approval({ requirement: people(2), question: { ...question, ...asked } }), 10)
    for (const by of ['Boss', ' boss ', 'ＢＯＳＳ', 'ANN'])
      await ledger.approvals.decide('appr-1', says(by, 'approved'), issue)
    await ledger.approvals.decide('appr-1', says('bot', 'approved', { kind: 'agent' }), issue)
    expect(await ledger.operations.admit(admission({ approval: wanted }))).toEqual({ kind: 'approval' })
    expect((await ledger.approvals.get('appr-1'))?.token).toBeUndefined()
    await ledger.approvals.decide('appr-1', says('chief', 'approved'), issue)
    const approved = await ledger.approvals.get('appr-1')
    expect(approved?.decisions.map(({ by }) => by)).toEqual(['Boss', 'chief'])
    expect(approved?.token).toBe('appr-1 Boss+chief true')
    expect(await ledger.operations.admit(admission({ approval: wanted }))).toMatchObject({ kind: 'admitted' })
  })

  it('takes no decision on a packet that was not the one displayed [decision-names-its-packet]', async () => {
    const { ledger } = await start()
    await ledger.approvals.open(approval(), 10)
    for (const verdict of ['approved', 'rejected'] as const) {
      const other = says('boss', verdict, { packetHash: 'something else' })
      expect((await ledger.approvals.decide('appr-1', other, issue))?.decisions).toEqual([])
    }
  })

  it('counts as many decisions as the quorum needs when all people decide at once', async () => {
    const { ledger, peer } = await start()
    const ledgers = [ledger, await peer()]
    await ledger.approvals.open(approval({ requirement: people(3) }), 10)
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        ledgers[n % 2]?.approvals.decide('appr-1', says(`person ${n % 5}`, 'approved'), issue),
      ),
    )
    const { decisions } = (await ledger.approvals.get('appr-1')) ?? { decisions: [] }
    expect([decisions.length, new Set(decisions.map(({ by }) => by)).size]).toEqual([3, 3])
  })

  it('lets an approval be withdrawn until it is used [rejected-stays-rejected]', async () => {
    const { ledger } = await start()
    await approve(ledger)
    const withdrawn = await ledger.approvals.decide('appr-1', says('boss', 'rejected'), issue)
    expect([withdrawn?.decisions.length, withdrawn?.token]).toEqual([2, undefined])
    expect(await ledger.operations.admit(admission({ approval: wanted }))).toEqual({ kind: 'approval' })
    await ledger.approvals.open(approval({ id: 'appr-2', subject: subjectOf('slot-2', 'acme', 'q') }), 10)
    await ledger.approvals.decide('appr-2', says('boss', 'approved'), issue)
    await ledger.operations.admit(distinct(2, { approval: { id: 'appr-2', payloadHash: 'q' } }))
    await ledger.approvals.decide('appr-2', says('boss', 'rejected'), issue)
    expect((await ledger.approvals.get('appr-2'))?.decisions).toHaveLength(1)
  })

  it('lets a user of a run wait for so many people and no more, until one of them answers or time is over', async () => {
    const { ledger, advance } = await start()
    const open = (number: number, run = 'run-1', ttlMs = 60_000) =>
      ledger.approvals.open(
        approval({ id: `appr-${number}`, run, subject: subjectOf(`slot-${number}`, 'acme', `p${number}`), ttlMs }),
        2,
      )
    const opened = await Promise.all([1, 2, 3, 4].map((number) => open(number)))
    expect(opened.filter((each) => each !== undefined)).toHaveLength(2)
    const [first] = await ledger.approvals.list()
    expect(await open(5)).toBeUndefined()
    expect(await open(6, 'run-2')).toMatchObject({ id: 'appr-6' })
    await ledger.approvals.decide(first?.id ?? '', says('boss', 'rejected'), issue)
    expect(await open(5)).toMatchObject({ id: 'appr-5' })
    expect(await open(7)).toBeUndefined()
    await advance(60_000)
    expect(await open(7)).toMatchObject({ id: 'appr-7' })
  })

  it('counts the requests of each user and agent apart, in each run and outside of all [own-bucket-of-requests]', async () => {
    const { ledger } = await start()
    let number = 0
    const open = (requester: typeof question.requester, run: string | undefined) => {
      number++
      const subject = subjectOf(`slot-${number}`, 'acme', `p${number}`)
      return ledger.approvals.open(
        approval({ id: `appr-${number}`, run, subject, question: { ...question, requester, run } }),
        2,
      )
    }
    const bot = { user: undefined, agent: 'bot' }
    const of = [{ user: 'ann', agent: 'bot' }, { user: 'bob', agent: 'bot' }, { user: 'bob', agent: undefined }, bot]
    for (const run of ['run-1', undefined, 'run-2']) {
      for (const requester of of) {
        expect(await open(requester, run)).toBeDefined()
        expect(await open(requester, run)).toBeDefined()
        expect(await open(requester, run)).toBeUndefined()
      }
    }
  })

  it('counts what is open: a packet that another one has replaced leaves its room [own-bucket-of-requests]', async () => {
    const { ledger } = await start()
    const opened = []
    for (const packetHash of ['a', 'b', 'a', 'b'])
      opened.push(await ledger.approvals.open(approval({ id: `appr-${opened.length}`, packetHash }), 1))
    expect(opened.map((each) => each?.id)).toEqual(['appr-0', 'appr-1', 'appr-2', 'appr-3'])
    expect(await ledger.approvals.list({ status: 'pending' })).toHaveLength(1)
    const other = approval({ id: 'appr-9', subject: subjectOf('slot-9', 'acme', 'p9') })
    expect(await ledger.approvals.open(other, 1)).toBeUndefined()
  })

  it('lists by status and page by page, oldest first', async () => {
    const { ledger, advance } = await start()
    for (let number = 1; number <= 5; number++) {
      const subject = subjectOf(`slot-${number}`, 'acme', `p${number}`)
      await ledger.approvals.open(approval({ id: `appr-${number}`, subject }), 10)
    }
    await ledger.approvals.decide('appr-2', says('boss', 'approved'), issue)
    await ledger.approvals.decide('appr-4', says('boss', 'rejected'), issue)
    const ids = async (query: Parameters<Ledger['approvals']['list']>[0]) =>
      (await ledger.approvals.list(query)).map(({ id }) => id)
    expect(await ids({ limit: 2 })).toEqual(['appr-1', 'appr-2'])
    expect(await ids({ after: 'appr-2', limit: 2 })).toEqual(['appr-3', 'appr-4'])
    expect(await ids({ status: 'pending' })).toEqual(['appr-1', 'appr-3', 'appr-5'])
    expect(await ids({ status: 'pending', after: 'appr-1', limit: 1 })).toEqual(['appr-3'])
    expect([await ids({ status: 'approved' }), await ids({ status: 'rejected' })]).toEqual([['appr-2'], ['appr-4']])
    await advance(60_000)
    expect([await ids({ status: 'pending' }), await ids({ status: 'expired' })]).toEqual([
      [],
      ['appr-1', 'appr-2', 'appr-3', 'appr-5'],
    ])
  })

  it('keeps the approvals of tenants apart, also for who decides and who uses them [tenants-isolated]', async () => {
    const { ledger } = await start()
    await ledger.approvals.open(approval(), 10)
    await ledger.approvals.open(approval({ id: 'appr-2', subject: subjectOf('slot-1', 'globex') }), 10)
    expect(await ledger.approvals.get('appr-1', 'globex')).toBeUndefined()
    expect(await ledger.approvals.get('appr-1', 'acme')).toMatchObject({ id: 'appr-1', decisions: [] })
    expect(await ledger.approvals.decide('appr-1', says('boss', 'approved'), issue, 'globex')).toBeUndefined()
    expect(await ledger.approvals.decide('no such approval', says('boss', 'approved'), issue)).toBeUndefined()
    expect((await ledger.approvals.get('appr-1'))?.decisions).toEqual([])
    expect(await ledger.approvals.decide('appr-1', says('boss', 'approved'), issue, 'acme')).toMatchObject({
      id: 'appr-1',
    })
    expect((await ledger.approvals.list({ tenant: 'globex' })).map(({ id }) => id)).toEqual(['appr-2'])
    expect((await ledger.approvals.list()).map(({ id }) => id).sort()).toEqual(['appr-1', 'appr-2'])
    expect((await ledger.approvals.find(subjectOf('slot-1', 'globex'), 'run-1'))?.id).toBe('appr-2')
    expect(await ledger.operations.admit(distinct(1, { tenant: 'globex', approval: wanted }))).toEqual({
      kind: 'approval',
    })
  })
}
