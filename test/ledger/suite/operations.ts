// Slots as every engine keeps them: who is admitted, who is told of the record, and what a new generation takes.
import { expect, it } from 'vitest'
import type { SettleRequest } from '../../../src/contract/call/settlement.ts'
import type { SlotKind } from '../../../src/contract/call/slot.ts'
import { judgeSlot, maxSeenIds } from '../../../src/ledger/rules/slot.ts'
import {
  admission,
  approval,
  callId,
  callRecord,
  claim,
  declined,
  distinct,
  entryOf,
  fact,
  found,
  issue,
  key,
  keyFields,
  one,
  retryable,
  says,
  settleOn,
  slot,
  slotAt,
  two,
  unknown,
} from '../requests.ts'
import type { StartEngine } from '../suite.ts'

interface GenerationRow {
  readonly kind: SlotKind
  readonly end: Partial<SettleRequest>
  readonly overtaken?: boolean
  readonly opens: boolean
}

const happened = { status: 'COMPLETED', effect: 'happened' } as const
const failedWithEffect = { status: 'FAILED_FINAL', effect: 'happened' } as const
const compensated = { status: 'COMPENSATED', effect: 'happened' } as const

const generationRows: readonly GenerationRow[] = [
  { kind: 'implicit', end: declined, opens: true },
  { kind: 'implicit', end: compensated, opens: true },
  { kind: 'implicit', end: happened, overtaken: true, opens: true },
  { kind: 'implicit', end: happened, opens: false },
  { kind: 'implicit', end: failedWithEffect, opens: false },
  { kind: 'implicit', end: failedWithEffect, overtaken: true, opens: false },
  { kind: 'implicit', end: unknown, opens: false },
  { kind: 'pointer', end: declined, opens: true },
  { kind: 'pointer', end: compensated, opens: false },
  { kind: 'pointer', end: happened, overtaken: true, opens: false },
  { kind: 'caller', end: declined, opens: false },
  { kind: 'caller', end: compensated, opens: false },
  { kind: 'call', end: declined, opens: false },
  { kind: 'call', end: happened, overtaken: true, opens: false },
]

export function operationTests(start: StartEngine): void {
  it('admits an operation once and answers the next with its record', async () => {
    const { ledger } = await start()
    expect(await ledger.operations.admit(admission())).toEqual({
      kind: 'admitted',
      generation: 1,
      attempt: 1,
      starts: 0,
      idempotencyKey: key(1),
    })
    expect(await ledger.operations.admit(admission({ callId: two }))).toMatchObject({
      kind: 'slot',
      record: { status: 'PENDING', effect: 'unknown', callId: one },
    })
    expect(await settleOn(ledger)).toBe('settled')
    expect(await ledger.operations.admit(admission({ slot: slot({ providerCallId: 'p2' }) }))).toMatchObject({
      kind: 'slot',
      record: { status: 'COMPLETED', effect: 'happened' },
    })
  })

  it('admits one of many equal operations that come at once, from whichever process [TC-177, TC-180, TC-182, TC-322]', async () => {
    const { ledger, peer } = await start()
    const ledgers = [ledger, await peer(), await peer()]
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        ledgers[n % 3]?.operations.admit(admission({ callId: callId(n + 1), slot: slot({ providerCallId: `p${n}` }) })),
      ),
    )
    expect(all.filter((each) => each?.kind === 'admitted')).toHaveLength(1)
    expect(all.filter((each) => each?.kind === 'slot')).toHaveLength(29)
  })

  it('opens a generation only where repeating repeats nothing, and remembers who saw which', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission())
    await settleOn(ledger, declined)
    expect(await ledger.operations.admit(admission())).toMatchObject({ kind: 'slot' })
    expect(await ledger.operations.admit(admission({ slot: slot({ providerCallId: 'p2' }) }))).toEqual({
      kind: 'admitted',
      generation: 2,
      attempt: 1,
      starts: 0,
      idempotencyKey: key(2),
    })
    expect(await slotAt(ledger, 'slot-1', 'p1')).toMatchObject({ generation: 1, status: 'FAILED_FINAL' })
    expect(await slotAt(ledger, 'slot-1', 'p3')).toMatchObject({ generation: 2 })
    await ledger.operations.record(entryOf({}, { seen: { slotKey: 'slot-1', generation: 1, providerCallId: 'p9' } }))
    expect(await slotAt(ledger, 'slot-1', 'p9')).toMatchObject({ generation: 1 })
  })

  for (const { kind, end, overtaken = false, opens } of generationRows) {
    const state = `${end.status} with effect ${end.effect}${overtaken ? ', overtaken' : ''}`
    it(`${opens ? 'opens' : 'does not open'} a generation of a slot of kind ${kind} that is ${state}`, async () => {
      const { ledger } = await start()
      await ledger.operations.admit(admission({ slot: slot({ kind, resource: 'r' }) }))
      await settleOn(ledger, end)
      if (overtaken) {
        await ledger.operations.admit(distinct(2, { slot: slot({ key: 'slot-2', resource: 'r' }) }))
        await settleOn(ledger, { slotKey: 'slot-2', callId: two })
      }
      expect((await slotAt(ledger))?.overtaken).toBe(overtaken && end.status === 'COMPLETED')
      const again = { kind, resource: 'r' }
      expect(
        await ledger.operations.admit(admission({ slot: slot({ ...again, providerCallId: undefined }) })),
      ).toMatchObject({
        kind: 'slot',
      })
      expect(await ledger.operations.admit(admission({ slot: slot(again) }))).toMatchObject({ kind: 'slot' })
      expect(
        await ledger.operations.admit(admission({ callId: callId(3), slot: slot({ ...again, providerCallId: 'p2' }) })),
      ).toMatchObject(opens ? { kind: 'admitted', generation: 2 } : { kind: 'slot', record: { generation: 1 } })
    })
  }

  it('keeps the key over the attempts of one generation [idempotency-key-is-stable] [TC-156, TC-170]', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission())
    await settleOn(ledger, retryable)
    expect(await ledger.operations.admit(admission({ keyFields: { ...keyFields, user: 'another' } }))).toEqual({
      kind: 'admitted',
      generation: 1,
      attempt: 2,
      starts: 1,
      idempotencyKey: key(1),
    })
  })

  it('answers other arguments under the same operation with the record they differ from', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission({ slot: slot({ kind: 'caller' }) }))
    await settleOn(ledger, retryable)
    const other = slot({ kind: 'caller', requestHash: 'bb02' })
    const refused = await ledger.operations.admit(admission({ slot: other }))
    expect(refused).toMatchObject({ kind: 'slot', record: { requestHash: 'aa01', status: 'FAILED_RETRYABLE' } })
    const { record, at } = await ledger.operations.slot('acme', 'slot-1', undefined)
    expect(judgeSlot(record, other, at).kind).toBe('mismatch')
  })

  it('takes an admission that is sent again for the same admission, and counts nothing twice [admission-sent-again-is-one]', async () => {
    const { ledger } = await start()
    await ledger.approvals.open(approval(), 10)
    await ledger.approvals.decide('appr-1', says('boss', 'approved'), issue)
    const request = admission({
      entry: entryOf({ status: 'RUNNING', effect: 'unknown' }, { facts: [fact()] }),
      approval: { id: 'appr-1', payloadHash: 'p' },
      rate: { scope: 'tool', windowMs: 86_400_000, max: 2 },
      claims: [claim(2)],
    })
    const first = await ledger.operations.admit(request)
    expect(first).toMatchObject({ kind: 'admitted', attempt: 1 })
    expect(await ledger.operations.admit(request)).toEqual(first)
    expect(await ledger.operations.admit(request)).toEqual(first)
    expect(await ledger.calls.facts(one)).toHaveLength(1)
    const { rate, claims } = request
    expect(await ledger.operations.admit(distinct(2, { rate, claims }))).toMatchObject({ kind: 'admitted' })
    expect((await ledger.operations.admit(distinct(3, { rate }))).kind).toBe('rate')
    expect((await ledger.operations.admit(distinct(4, { claims }))).kind).toBe('budget')
    await settleOn(ledger, unknown)
    expect(await ledger.operations.admit(request)).toMatchObject({ kind: 'slot', record: { held: true } })
    await settleOn(ledger)
    expect(await ledger.operations.admit(request)).toMatchObject({ kind: 'slot', record: { status: 'COMPLETED' } })
  })

  it('admits a call that was not looked up where nothing is known of it, and otherwise asks to look', async () => {
    const { ledger } = await start()
    const first = admission({ unseen: true })
    expect(await ledger.operations.admit(first)).toMatchObject({ kind: 'admitted', generation: 1 })
    expect(await ledger.operations.admit(first)).toMatchObject({ kind: 'admitted', attempt: 1 })
    expect(await ledger.operations.admit(admission({ unseen: true, callId: two }))).toEqual({ kind: 'known' })
    // Another operation of the same call: what finds the call again is known.
    const other = admission({ unseen: true, callId: two, slot: slot({ key: 'slot-2' }) })
    expect(await ledger.operations.admit(other)).toEqual({ kind: 'known' })
  })

  it('keeps the call and its facts from the moment of its admission, and nothing of a refused one [TC-182]', async () => {
    const { ledger } = await start()
    const running = { status: 'RUNNING', effect: 'unknown' } as const
    const facts = [fact(), fact({ seq: 2, phase: 'parse' })]
    await ledger.operations.admit(admission({ entry: entryOf(running, { facts }) }))
    expect(await ledger.calls.get(one)).toMatchObject(running)
    expect(await found(ledger, callRecord().key)).toMatchObject({ id: one })
    expect((await ledger.calls.facts(one)).map(({ seq, phase }) => [seq, phase])).toEqual([
      [1, 'resolve'],
      [2, 'parse'],
    ])
    const other = { id: two, key: { ...callRecord().key, providerCallId: 'p2' }, ...running }
    await ledger.operations.admit(admission({ callId: two, entry: entryOf(other, { facts: [fact({ callId: two })] }) }))
    expect([await ledger.calls.get(two), await ledger.calls.facts(two), await found(ledger, other.key)]).toEqual([
      undefined,
      [],
      undefined,
    ])
  })

  it('marks what a later call on the same resource overtook', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission({ slot: slot({ resource: 'r' }) }))
    await settleOn(ledger)
    await ledger.operations.admit(distinct(2, { slot: slot({ key: 'slot-2', resource: 'r' }) }))
    await settleOn(ledger, { slotKey: 'slot-2', callId: two })
    expect(await slotAt(ledger, 'slot-1')).toMatchObject({ overtaken: true })
    expect(await slotAt(ledger, 'slot-2')).toMatchObject({ overtaken: false })
  })

  it('lets nothing be overtaken by another run, another resource or what did not happen', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission({ slot: slot({ resource: 'r' }) }))
    await settleOn(ledger)
    const others = [{ resource: 's' }, { resource: 'r', run: 'run-2' }, { resource: undefined }, { resource: 'r' }]
    for (const [index, change] of others.entries()) {
      const slotKey = `slot-${index + 2}`
      await ledger.operations.admit(distinct(index + 2, { slot: slot({ key: slotKey, ...change }) }))
      await settleOn(ledger, { slotKey, callId: callId(index + 2), ...(index === 3 ? declined : {}) })
    }
    expect(await slotAt(ledger)).toMatchObject({ overtaken: false })
  })

  it('overtakes in one direction when two calls on one resource are settled at the same moment', async () => {
    const { ledger } = await start()
    const numbers = [1, 2, 3, 4]
    for (const number of numbers) {
      await ledger.operations.admit(distinct(number, { slot: slot({ key: `slot-${number}`, resource: 'r' }) }))
    }
    await Promise.all(numbers.map((n) => settleOn(ledger, { slotKey: `slot-${n}`, callId: callId(n) })))
    const records = await Promise.all(numbers.map((n) => slotAt(ledger, `slot-${n}`)))
    expect(records.filter((record) => record?.overtaken === false)).toHaveLength(1)
  })

  it('remembers every provider call id that it is told of at once, up to its bound, and then takes all for seen', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission())
    await settleOn(ledger, declined)
    const see = (number: number) =>
      ledger.operations.record({
        ...entryOf({ id: callId(number), key: { ...callRecord().key, providerCallId: `s${number}` } }),
        seen: { slotKey: 'slot-1', generation: 1, providerCallId: `s${number}` },
      })
    await Promise.all(Array.from({ length: maxSeenIds - 2 }, (_, n) => see(n + 10)))
    expect(new Set((await slotAt(ledger))?.providerCallIds).size).toBe(maxSeenIds - 1)
    expect(await ledger.operations.admit(admission({ slot: slot({ providerCallId: 's500' }) }))).toMatchObject({
      kind: 'slot',
    })
    await see(5_000)
    await see(5_001)
    expect((await slotAt(ledger))?.providerCallIds).toHaveLength(maxSeenIds)
    expect(await ledger.operations.admit(admission({ slot: slot({ providerCallId: 'new' }) }))).toMatchObject({
      kind: 'slot',
    })
  })
}
