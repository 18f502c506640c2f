// How attempts end, as every engine keeps it: once, by the owner of the attempt; late ends are facts, and people are asked about doubles.
import { expect, it } from 'vitest'
import type { SlotRecord } from '../../../src/contract/call/slot.ts'
import type { EpochMs } from '../../../src/json/clock.ts'
import { judgeSlot } from '../../../src/ledger/rules/slot.ts'
import {
  admission,
  answerOf,
  callId,
  callRecord,
  claim,
  declined,
  distinct,
  endOn,
  entryOf,
  escalation,
  fact,
  key,
  one,
  retryable,
  settlement,
  settleOn,
  slot,
  slotAt,
  two,
  unknown,
  ways,
} from '../requests.ts'
import type { StartEngine } from '../suite.ts'

export function settlementTests(start: StartEngine): void {
  it('takes a settle only from the attempt that is pending', async () => {
    const { ledger } = await start()
    expect(await settleOn(ledger)).toBe('late')
    await ledger.operations.admit(admission())
    expect(await settleOn(ledger, { attempt: 2 })).toBe('late')
    expect(await settleOn(ledger, { generation: 2 })).toBe('late')
    expect(await settleOn(ledger, unknown)).toBe('settled')
    expect(await slotAt(ledger)).toMatchObject({ status: 'PENDING', held: true })
    expect(await settleOn(ledger)).toBe('settled')
    expect(await settleOn(ledger, declined)).toBe('late')
    expect(await slotAt(ledger)).toMatchObject({ status: 'COMPLETED', held: false })
  })

  it('settles once and keeps the facts of the settle that came late', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission())
    expect(await settleOn(ledger, { answer: answerOf('first') }, { facts: [fact()] })).toBe('settled')
    expect(await settleOn(ledger, { answer: answerOf('second') }, { facts: [fact({ seq: 1_001 })] })).toBe('late')
    expect(await slotAt(ledger)).toMatchObject({ starts: 1, answer: answerOf('first') })
    expect((await ledger.calls.facts(one)).map(({ seq }) => seq)).toEqual([1, 1_001])
  })

  it('lets one of many settles of the same attempt win when they come at once', async () => {
    const { ledger, peer } = await start()
    const ledgers = [ledger, await peer()]
    await ledger.operations.admit(admission())
    const ends = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        settleOn(ledgers[n % 2] ?? ledger, { answer: answerOf(`end ${n}`) }, { facts: [fact({ seq: n + 1 })] }),
      ),
    )
    expect(ends.filter((end) => end === 'settled')).toHaveLength(1)
    expect(await slotAt(ledger)).toMatchObject({ starts: 1, answer: answerOf(`end ${ends.indexOf('settled')}`) })
    expect(await ledger.calls.facts(one)).toHaveLength(10)
  })

  it('counts the starts of the executor over all attempts', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission())
    await settleOn(ledger, { ...retryable, tries: 3 })
    expect(await ledger.operations.admit(admission())).toMatchObject({ attempt: 2, starts: 3 })
    await settleOn(ledger, { ...unknown, attempt: 2, tries: 2 })
    await settleOn(ledger, { attempt: 2, tries: 0 })
    expect(await slotAt(ledger)).toMatchObject({ attempt: 2, starts: 5, status: 'COMPLETED' })
  })

  for (const end of [retryable, declined]) {
    it(`learns that an attempt given up as ${end.status} happened after all [late-settle-resolves]`, async () => {
      const { ledger } = await start()
      await ledger.operations.admit(admission())
      await settleOn(ledger, end)
      expect(await settleOn(ledger, { answer: answerOf('after all'), tries: 0 })).toBe('settled')
      expect(await slotAt(ledger)).toMatchObject({ status: 'COMPLETED', effect: 'happened', starts: 1 })
      expect(await ledger.operations.admit(admission({ slot: slot({ providerCallId: 'p2' }) }))).toMatchObject({
        kind: 'slot',
        record: { status: 'COMPLETED', answer: answerOf('after all') },
      })
      expect(await ledger.calls.escalations()).toEqual([])
    })
  }

  it('asks a person when an attempt happened whose place another one has taken', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission())
    await settleOn(ledger, retryable)
    await ledger.operations.admit(admission({ callId: two }))
    expect(await settleOn(ledger, {}, { facts: [fact({ seq: 1_001 })] })).toBe('late')
    expect(await slotAt(ledger)).toMatchObject({ status: 'PENDING', attempt: 2, callId: two })
    expect(await ledger.calls.escalations('acme')).toMatchObject([{ kind: 'duplicate_side_effect', callId: one }])
    expect((await ledger.calls.facts(one)).map(({ seq }) => seq)).toEqual([1_001])
    expect(await settleOn(ledger, { attempt: 2, callId: two })).toBe('settled')
    expect(await settleOn(ledger)).toBe('late')
    expect((await ledger.calls.escalations()).map(({ kind }) => kind)).toEqual([
      'duplicate_side_effect',
      'duplicate_side_effect',
    ])
  })

  it('learns that an earlier attempt happened where the later one came to nothing, and runs nothing again', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission())
    await settleOn(ledger, retryable)
    await ledger.operations.admit(admission({ callId: two }))
    await settleOn(ledger, { ...retryable, attempt: 2, callId: two })
    expect(await settleOn(ledger, { answer: answerOf('after all'), tries: 0 })).toBe('settled')
    expect(await ledger.operations.admit(admission())).toMatchObject({ kind: 'slot', record: { status: 'COMPLETED' } })
  })

  it('asks no person what became of an attempt whose end came first', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission())
    await settleOn(ledger)
    expect(await settleOn(ledger, unknown, { escalations: [escalation(1)] })).toBe('late')
    expect(await ledger.calls.escalations()).toEqual([])
    expect(await slotAt(ledger)).toMatchObject({ status: 'COMPLETED', effect: 'happened', held: false })
  })

  it('asks no person when an attempt without effect comes after another has taken its place', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission())
    await settleOn(ledger, retryable)
    await ledger.operations.admit(admission({ callId: two }))
    expect(await settleOn(ledger, declined)).toBe('late')
    expect(await settleOn(ledger, unknown)).toBe('late')
    expect(await ledger.calls.escalations()).toEqual([])
    expect(await slotAt(ledger)).toMatchObject({ status: 'PENDING', held: false })
  })

  it('keeps questions to people in order, by tenant, until the attempt itself ends', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission())
    await settleOn(ledger, unknown, { escalations: [escalation(1)] })
    await ledger.operations.record(entryOf({}, { escalations: [escalation(2, { kind: 'unverifiable' })] }))
    const globex = { id: two, key: { ...callRecord().key, tenant: 'globex' } }
    await ledger.operations.record(entryOf(globex, { escalations: [escalation(3, { tenant: 'globex', callId: two })] }))
    expect(await ledger.calls.escalations()).toEqual([
      escalation(1),
      escalation(2, { kind: 'unverifiable' }),
      escalation(3, { tenant: 'globex', callId: two }),
    ])
    expect((await ledger.calls.escalations('globex')).map(({ callId: id }) => id)).toEqual([two])
    expect(await ledger.calls.escalations('stranger')).toEqual([])
    await settleOn(ledger, { attempt: 9, ...declined })
    await settleOn(ledger, unknown)
    expect(await ledger.calls.escalations('acme')).toHaveLength(2)
    await settleOn(ledger)
    expect((await ledger.calls.escalations('acme')).map(({ kind }) => kind)).toEqual(['unverifiable'])
    expect(await ledger.calls.escalations('globex')).toHaveLength(1)
  })

  it('replaces the answer of a settled generation and of no other', async () => {
    const { ledger } = await start()
    const amend = { slotKey: 'slot-1', generation: 1, answer: answerOf('amended') }
    await ledger.operations.admit(admission())
    await ledger.operations.record(entryOf({}, { amend }))
    expect(await slotAt(ledger)).toMatchObject({ answer: undefined })
    await settleOn(ledger, { answer: answerOf('first') })
    await ledger.operations.record(entryOf({}, { amend: { ...amend, generation: 2 } }))
    await ledger.operations.record(entryOf({}, { amend: { ...amend, slotKey: 'slot-2' } }))
    expect(await slotAt(ledger)).toMatchObject({ answer: answerOf('first') })
    await ledger.operations.record(entryOf({}, { amend }))
    expect(await slotAt(ledger)).toMatchObject({ status: 'COMPLETED', answer: answerOf('amended') })
  })

  it('remembers an operation until its time is over, and one without an end for ever', async () => {
    const { ledger, advance } = await start()
    await ledger.operations.admit(admission())
    await settleOn(ledger, { ttlMs: 60_000, answer: answerOf('kept') })
    await ledger.operations.admit(distinct(2))
    await settleOn(ledger, { callId: two, slotKey: 'slot-2' })
    const judged = async (slotKey: string) => {
      const { record, at } = await ledger.operations.slot('acme', slotKey, undefined)
      return judgeSlot(record, slot({ key: slotKey, providerCallId: 'new' }), at).kind
    }
    await advance(50_000)
    expect([await judged('slot-1'), await judged('slot-2')]).toEqual(['replay', 'replay'])
    await advance(10_001)
    expect([await judged('slot-1'), await judged('slot-2')]).toEqual(['expired', 'replay'])
    await advance(20 * 365 * 86_400_000)
    expect(await judged('slot-2')).toBe('replay')
    expect(await ledger.operations.admit(admission({ slot: slot({ providerCallId: 'new' }) }))).toMatchObject({
      kind: 'slot',
    })
  })

  it.each(ways)(
    'writes every field of the record, the %s way, and keeps none of an end that is tried again',
    async (way) => {
      const { ledger, advance } = await start()
      const {
        nonce,
        before,
        settlement: answer,
      } = await endOn(ledger, way, {
        settle: { answer: answerOf('done'), ttlMs: 10_000, tries: 2 },
      })
      const { createdAt } = before ?? { createdAt: 0 as EpochMs }
      const pending: SlotRecord = {
        tenant: 'acme',
        key: 'slot-1',
        kind: 'implicit',
        operation: 'op-1',
        generation: 1,
        requestHash: 'aa01',
        idempotencyKey: key(1),
        status: 'PENDING',
        effect: 'unknown',
        held: false,
        callId: one,
        nonce,
        contractHash: callRecord().contractHash,
        attempt: 1,
        starts: 0,
        run: 'run-1',
        resource: undefined,
        providerCallIds: ['p1'],
        overtaken: false,
        reserved: [{ name: claim(1).name, amount: 1, windowMs: undefined }],
        answer: undefined,
        createdAt,
        admittedAt: createdAt,
        completedAt: undefined,
        expiresAt: undefined,
      }
      expect([before, answer]).toEqual([pending, 'settled'])
      const ended = await slotAt(ledger)
      const { completedAt, expiresAt } = ended ?? {}
      expect(ended).toEqual({
        ...pending,
        ...{ status: 'COMPLETED', effect: 'happened', starts: 2, answer: answerOf('done'), completedAt, expiresAt },
      })
      // On Postgres the plain statement reads the clock once for each.
      expect(Math.abs(Number(expiresAt) - Number(completedAt) - 10_000)).toBeLessThan(1_000)

      // What an end leaves behind is gone with the next attempt, but for what counts over all of them.
      await ledger.operations.admit(admission({ callId: two, slot: slot({ key: 'slot-2' }) }))
      await settleOn(ledger, { ...retryable, callId: two, slotKey: 'slot-2', answer: answerOf('no'), ttlMs: 10_000 })
      await advance(1)
      const again = admission({ slot: slot({ key: 'slot-2', providerCallId: 'p9' }) })
      expect(await ledger.operations.admit(again)).toMatchObject({ kind: 'admitted', attempt: 2, starts: 1 })
      const retried = await slotAt(ledger, 'slot-2')
      const times = { createdAt: retried?.createdAt, admittedAt: retried?.admittedAt }
      const own = { key: 'slot-2', nonce: again.nonce, attempt: 2, starts: 1, providerCallIds: ['p1', 'p9'] }
      expect(retried).toEqual({ ...pending, ...own, ...times })
      expect(Number(times.admittedAt)).toBeGreaterThan(Number(times.createdAt))
    },
  )

  it('resolves a held operation in every field of its record', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission())
    await settleOn(ledger, { ...unknown, answer: answerOf('unsure') })
    const held = await slotAt(ledger)
    const said = { tenant: 'acme', callId: one, effect: 'none', by: 'bea', why: 'I looked.', quorum: 1 } as const
    await ledger.operations.resolve(said)
    const resolved = await slotAt(ledger)
    const { completedAt } = resolved ?? {}
    const becomes = { status: 'FAILED_RETRYABLE', effect: 'none', held: false, answer: undefined, completedAt }
    expect([held?.answer, resolved]).toEqual([answerOf('unsure'), { ...held, ...becomes }])
    expect(completedAt).toBeDefined()
  })

  it('answers what was asked about a call without an operation once it has ended', async () => {
    const { ledger } = await start()
    await ledger.operations.record(entryOf({ id: one }, { looksOn: true, escalations: [escalation(1)] }))
    expect(await settleOn(ledger, { slotKey: undefined, status: 'PENDING', effect: 'unknown' })).toBe('settled')
    expect(await ledger.calls.escalations('acme')).toHaveLength(1)
    expect(await settleOn(ledger, { slotKey: undefined, ...declined }, { facts: [fact()] })).toBe('settled')
    expect(await ledger.calls.escalations('acme')).toEqual([])
  })

  it('settles many calls at once, each by itself', async () => {
    const { ledger } = await start()
    const numbers = Array.from({ length: 40 }, (_, n) => n + 1)
    await Promise.all(numbers.map((n) => ledger.operations.admit(distinct(n))))
    const ends = await Promise.all(
      numbers.map((n) => {
        const settle = settlement({ callId: callId(n), slotKey: `slot-${n}`, answer: answerOf(`answer ${n}`) })
        return ledger.operations.record(
          entryOf({ id: callId(n), latencyMs: n }, { settle, facts: [fact({ callId: callId(n), micros: n })] }),
        )
      }),
    )
    expect(new Set(ends)).toEqual(new Set(['settled']))
    for (const n of numbers) {
      expect((await slotAt(ledger, `slot-${n}`))?.answer).toEqual(answerOf(`answer ${n}`))
      expect(await ledger.calls.get(callId(n))).toMatchObject({ latencyMs: n, status: 'SUCCESS' })
      expect((await ledger.calls.facts(callId(n))).map(({ micros }) => micros)).toEqual([n])
    }
  })
}
