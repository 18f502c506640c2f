// What is known of a call stays true, and the audit content, when something is sent again, comes late, or is written at the same moment.
import { expect, it } from 'vitest'
import {
  admission,
  answerOf,
  callId,
  entryOf,
  escalation,
  fact,
  one,
  settlement,
  settleOn,
  slotAt,
  unknown,
  verification,
} from '../ledger/requests.ts'
import { auditDesk } from './audit-desk.ts'
import { openAudited } from './audited.ts'
import { twoProcesses, waiting } from './two-processes.ts'

const desk = auditDesk()
const onTwo = twoProcesses(desk)
const waits = { status: 'CONFIRMATION_MISSING', effect: 'pending' } as const
const timedOut = { status: 'TIMEOUT', effect: 'unknown' } as const

it('keeps the record of a later pass where an earlier one is sent again', () =>
  onTwo(async ({ ledger }) => {
    const first = entryOf(waits, { id: callId(900), facts: [fact()] })
    await ledger.operations.record(first)
    await ledger.operations.record(entryOf({ passes: 2 }, { facts: [fact({ pass: 2 })] }))
    await ledger.operations.record(first)
    expect(await ledger.calls.get(one)).toMatchObject({ passes: 2, status: 'SUCCESS' })
    expect(await ledger.calls.facts(one)).toHaveLength(2)
  }))

it('keeps the last answer where the one before it is sent again', () =>
  onTwo(async ({ ledger }) => {
    await ledger.operations.admit(admission())
    await settleOn(ledger, { answer: answerOf('first') })
    const amends = (text: string, number: number) =>
      entryOf({}, { id: callId(number), amend: { slotKey: 'slot-1', generation: 1, answer: answerOf(text) } })
    await ledger.operations.record(amends('second', 901))
    await ledger.operations.record(amends('third', 902))
    await ledger.operations.record(amends('second', 901))
    expect((await slotAt(ledger))?.answer).toEqual(answerOf('third'))
  }))

it('counts the starts of an attempt once where its end is sent again, and says of a late end again that it was late', () =>
  onTwo(async ({ ledger }) => {
    await ledger.operations.admit(admission())
    const held = entryOf(timedOut, { id: callId(903), settle: settlement(unknown) })
    const late = entryOf(
      { status: 'DEPENDENCY_UNAVAILABLE', effect: 'none' },
      { id: callId(904), settle: settlement(unknown) },
    )
    expect([await ledger.operations.record(held), await ledger.operations.record(held)]).toEqual(['settled', 'settled'])
    expect(await slotAt(ledger)).toMatchObject({ starts: 1, held: true })
    await settleOn(ledger, { answer: answerOf('done') })
    expect([await ledger.operations.record(late), await ledger.operations.record(late)]).toEqual(['late', 'late'])
    expect(await ledger.calls.get(one)).toMatchObject({ status: 'SUCCESS', effect: 'happened' })
  }))

it('ends an attempt with any notes of its gates', () =>
  onTwo(async ({ ledger }) => {
    const evidence = { noted: '\u0000 \ud800 \\u0000 "pass":7' }
    const entry = entryOf({ status: 'RUNNING', effect: 'unknown' }, { facts: [fact({ evidence })] })
    await ledger.operations.admit(admission({ entry }))
    await settleOn(ledger, { ...unknown, answer: answerOf('not known') })
    expect(await slotAt(ledger)).toMatchObject({ held: true })
    expect((await ledger.calls.facts(one))[0]).toMatchObject({ pass: 1, evidence })
  }))

it('leaves what a late end has written while a person answers what was asked', () =>
  onTwo(async ({ ledger }, other, client) => {
    await ledger.operations.admit(admission())
    const escalations = [escalation(1), escalation(2, { kind: 'duplicate_side_effect' })]
    await ledger.operations.record(entryOf(timedOut, { settle: settlement(unknown), escalations }))
    await client.query('begin')
    await client.query('lock table proviso.facts_other in share mode')
    const late = settleOn(ledger, { answer: answerOf('late') })
    await expect.poll(() => waiting(client)).toBe(1)
    const said = other.ledger.operations.resolve({
      callId: one,
      tenant: 'acme',
      effect: 'none',
      by: 'bob',
      why: 'it is not there',
      quorum: 1,
    })
    await expect.poll(() => waiting(client)).toBe(2)
    await client.query('commit')
    expect([await late, (await said).kind]).toEqual(['settled', 'answered'])
    expect(await ledger.calls.get(one)).toMatchObject({ status: 'SUCCESS', effect: 'happened' })
  }))

it('knows an entry that is sent again while its first sending is still being written', () =>
  onTwo(async ({ ledger }, other, client, url) => {
    const third = await openAudited(url, desk.folder)
    // Who is first when the lock is gone is left to chance.
    for (let number = 1; number <= 8; number++) {
      const id = callId(number)
      const first = entryOf({ id, ...waits }, { id: callId(910 + number), facts: [fact({ callId: id })] })
      await client.query('begin')
      await client.query('lock table proviso.facts_other in share mode')
      const sent = ledger.operations.record(first)
      await expect.poll(() => waiting(client)).toBe(1)
      const later = third.ledger.operations.record(
        entryOf({ id, passes: 2 }, { facts: [fact({ callId: id, pass: 2 })] }),
      )
      await expect.poll(() => waiting(client)).toBe(2)
      const again = other.ledger.operations.record(first)
      await expect.poll(() => waiting(client)).toBe(3)
      await client.query('commit')
      await Promise.all([sent, later, again])
      expect(await ledger.calls.get(id)).toMatchObject({ passes: 2, status: 'SUCCESS' })
    }
    await third.ledger.close()
  }))

it('leaves what a later pass has said while a person says what became of the one before it', () =>
  onTwo(async ({ ledger }, other, client) => {
    await ledger.operations.admit(admission())
    await ledger.operations.record(entryOf(timedOut, { settle: settlement(unknown), escalations: [escalation(1)] }))
    await client.query('begin')
    await client.query('lock table proviso.escalations in share mode')
    const resolving = other.ledger.operations.resolve({
      callId: one,
      tenant: 'acme',
      effect: 'happened',
      by: 'bob',
      why: 'w',
      quorum: 1,
    })
    await expect.poll(() => waiting(client)).toBe(1)
    const denied = { passes: 2, status: 'PERMISSION_DENIED', effect: 'none' } as const
    const denying = ledger.operations.record(entryOf(denied, { facts: [fact({ pass: 2 })], yields: true }))
    await expect.poll(() => waiting(client)).toBe(2)
    await client.query('commit')
    expect((await resolving).kind).toBe('resolved')
    await denying
    expect(await ledger.calls.get(one)).toMatchObject(denied)
  }))

it('reads an effect back once where the end of its call is sent again', () =>
  onTwo(async ({ ledger }) => {
    await ledger.operations.admit(admission())
    const verify = verification({ afterMs: 0 })
    const end = entryOf({}, { id: callId(906), settle: settlement({ answer: answerOf('done') }), verify })
    await ledger.operations.record(end)
    const due = () => ledger.verifications.claim({ contracts: ['c'], limit: 10, forMs: 30_000 })
    expect(await due()).toHaveLength(1)
    await ledger.operations.record(end)
    expect(await due()).toHaveLength(0)
  }))
