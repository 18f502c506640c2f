// Sagas and their journals, as every engine keeps them: one owner at a time, lines without gaps, and slots that change with what is said
// of them.
import { expect, it } from 'vitest'
import type { SagaEntry } from '../../../src/contract/saga/saga.ts'
import type { SagaWrite } from '../../../src/ledger/ports/sagas.ts'
import {
  admission,
  answerOf,
  escalation,
  one,
  retryable,
  sagaStart,
  settlement,
  settleOn,
  slot,
  slotAt,
  unknown,
} from '../requests.ts'
import type { StartEngine } from '../suite.ts'

const turned: SagaEntry = { kind: 'turned', step: 'hotel', message: 'No room.' }
const finished: SagaEntry = { kind: 'finished', state: 'COMPENSATED' }

const write = (changes: Partial<SagaWrite> = {}): SagaWrite => ({
  tenant: 'acme',
  id: 'saga-1',
  epoch: 1,
  seq: 1,
  entries: [turned],
  state: 'COMPENSATING',
  direction: 'backward',
  dueMs: 60_000,
  ...changes,
})

const all = { definitions: ['d1'], limit: 10, forMs: 60_000 }
const close = {
  slotKey: 'slot-1',
  operation: 'saga-1/hotel/forward',
  requestHash: slot().requestHash,
  callId: one,
  run: 'run-1',
  answer: { ...answerOf('closed'), effect: 'none' as const },
}

export function sagaTests(start: StartEngine): void {
  it('begins a saga once, with its first line, and gives the one that was begun [saga-one-owner]', async () => {
    const { ledger } = await start()
    const { created, saga } = await ledger.sagas.create(sagaStart(), 60_000)
    expect(created).toBe(true)
    expect(saga).toMatchObject({ state: 'RUNNING', direction: 'forward', epoch: 1, seq: 1, input: { trip: 't1' } })
    const again = await ledger.sagas.create(sagaStart({ input: { trip: 't2' } }), 60_000)
    expect(again).toMatchObject({ created: false, saga: { input: { trip: 't1' } } })
    expect(await ledger.sagas.journal('saga-1', 'acme')).toMatchObject([{ kind: 'rendered', seq: 1, epoch: 1 }])
    expect(await ledger.sagas.get('saga-1', 'globex')).toBeUndefined()
    expect(await ledger.sagas.journal('saga-1', 'globex')).toEqual([])
  })

  it('writes for the owner alone, line after line [saga-one-owner]', async () => {
    const { ledger, advance, peer } = await start()
    await ledger.sagas.create(sagaStart(), 60_000)
    expect(await ledger.sagas.append(write({ seq: 2 }))).toBe('lost')
    expect(await ledger.sagas.append(write({ epoch: 2 }))).toBe('lost')
    expect(await ledger.sagas.append(write())).toBe('written')
    expect(await ledger.sagas.append(write())).toBe('lost')
    expect(await ledger.sagas.claim(all)).toEqual([])
    expect(await ledger.sagas.renew(write(), 120_000)).toBe(true)
    await advance(61_000)
    expect(await ledger.sagas.claim(all)).toEqual([])
    await advance(60_000)
    const other = await peer()
    expect(await other.sagas.claim(all)).toMatchObject([{ id: 'saga-1', epoch: 2, seq: 2, state: 'COMPENSATING' }])
    expect(await ledger.sagas.append(write({ seq: 2, entries: [finished] }))).toBe('lost')
    expect(await ledger.sagas.renew(write(), 60_000)).toBe(false)
    const last = write({ epoch: 2, seq: 2, entries: [finished], state: 'COMPENSATED', dueMs: undefined })
    expect(await other.sagas.append(last)).toBe('written')
    await advance(600_000)
    expect(await ledger.sagas.claim(all)).toEqual([])
    const journal = await ledger.sagas.journal('saga-1')
    expect(journal.map(({ seq, epoch, kind }) => [seq, epoch, kind])).toEqual([
      [1, 1, 'rendered'],
      [2, 1, 'turned'],
      [3, 2, 'finished'],
    ])
  })

  it('gives a saga to one of many who want it, and to no process that does not know it [saga-one-owner]', async () => {
    const { ledger, advance, peer } = await start()
    await ledger.sagas.create(sagaStart(), 1_000)
    await advance(2_000)
    const ledgers = [ledger, await peer()]
    expect(await ledger.sagas.claim({ ...all, definitions: ['d2'] })).toEqual([])
    expect(await ledger.sagas.claim({ ...all, only: { tenant: 'globex', id: 'saga-1' } })).toEqual([])
    const claims = await Promise.all(Array.from({ length: 8 }, (_, n) => ledgers[n % 2]?.sagas.claim(all)))
    expect(claims.flat()).toHaveLength(1)
  })

  it('gives an unknown saga to any process once it was due for long, and only to one that asks for such [saga-orphan-asks]', async () => {
    const { ledger, advance, peer } = await start()
    await ledger.sagas.create(sagaStart({ version: '7' }), 1_000)
    const none = { ...all, definitions: [], orphanMs: 60_000 }
    await advance(60_000)
    expect(await ledger.sagas.claim(none)).toEqual([])
    await advance(2_000)
    expect(await ledger.sagas.claim({ ...all, definitions: ['d2'] })).toEqual([])
    expect(await ledger.sagas.claim({ ...all, definitions: [] })).toEqual([])
    const ledgers = [ledger, await peer()]
    const claims = await Promise.all(Array.from({ length: 4 }, (_, n) => ledgers[n % 2]?.sagas.claim(none)))
    expect(claims.flat()).toMatchObject([{ id: 'saga-1', definition: 'd1', version: '7', epoch: 2 }])
    const last = write({ epoch: 2, entries: [], state: 'FROZEN', direction: 'forward', dueMs: undefined })
    expect(await ledger.sagas.append(last)).toBe('written')
    await advance(600_000)
    expect(await ledger.sagas.claim(none)).toEqual([])
  })

  it('wakes one that waits, and none that is at work', async () => {
    const { ledger } = await start()
    await ledger.sagas.create(sagaStart(), 60_000)
    await ledger.sagas.wake('acme', 'saga-1')
    expect(await ledger.sagas.claim(all)).toEqual([])
    await ledger.sagas.append(write({ entries: [], state: 'WAITING', direction: 'forward' }))
    await ledger.sagas.wake('globex', 'saga-1')
    expect(await ledger.sagas.claim(all)).toEqual([])
    await ledger.sagas.wake('acme', 'saga-1')
    expect(await ledger.sagas.claim(all)).toMatchObject([{ state: 'RUNNING', epoch: 2 }])
  })

  it('does not renew one that waits, so that its time and its waking stand [saga-one-owner]', async () => {
    const { ledger, advance } = await start()
    await ledger.sagas.create(sagaStart(), 60_000)
    await ledger.sagas.append(write({ entries: [], state: 'WAITING', direction: 'forward', dueMs: 10_000 }))
    expect(await ledger.sagas.renew(write(), 600_000)).toBe(false)
    await advance(11_000)
    expect(await ledger.sagas.claim({ ...all, forMs: 20_000 })).toMatchObject([{ state: 'RUNNING', epoch: 2 }])
    expect(await ledger.sagas.renew(write({ epoch: 2 }), 60_000)).toBe(true)
    const frozen = write({ epoch: 2, entries: [], state: 'FROZEN', direction: 'forward', dueMs: undefined })
    await ledger.sagas.append(frozen)
    expect(await ledger.sagas.renew(frozen, 60_000)).toBe(false)
  })

  it('closes a slot that was never admitted, and one that may be tried again, with the line that says so [saga-slot-closed]', async () => {
    const { ledger } = await start()
    await ledger.sagas.create(sagaStart(), 60_000)
    expect(await ledger.sagas.append(write({ close }))).toBe('written')
    expect(await slotAt(ledger)).toMatchObject({ status: 'FAILED_FINAL', effect: 'none', callId: one })
    expect(await ledger.operations.admit(admission())).toMatchObject({
      kind: 'slot',
      record: { status: 'FAILED_FINAL' },
    })

    await ledger.operations.admit(admission({ slot: slot({ key: 'slot-2' }) }))
    await settleOn(ledger, settlement({ ...retryable, slotKey: 'slot-2' }))
    const second = write({ seq: 2, close: { ...close, slotKey: 'slot-2' } })
    expect(await ledger.sagas.append(second)).toBe('written')
    expect(await ledger.operations.admit(admission({ slot: slot({ key: 'slot-2' }) }))).toMatchObject({ kind: 'slot' })
  })

  it('closes no slot that runs, is held or has happened, and then writes nothing [saga-slot-closed]', async () => {
    const { ledger } = await start()
    await ledger.sagas.create(sagaStart(), 60_000)
    await ledger.operations.admit(admission())
    expect(await ledger.sagas.append(write({ close }))).toBe('open')
    await settleOn(ledger, settlement(unknown))
    expect(await ledger.sagas.append(write({ close }))).toBe('open')
    await settleOn(ledger, settlement())
    expect(await ledger.sagas.append(write({ close }))).toBe('open')
    expect(await ledger.sagas.journal('saga-1')).toHaveLength(1)
  })

  it('marks what happened as compensated, asks people, and has the questions answered', async () => {
    const { ledger } = await start()
    await ledger.sagas.create(sagaStart(), 60_000)
    await ledger.operations.admit(admission())
    await settleOn(ledger, settlement())
    const asked = escalation(7, { kind: 'compensation_failed', callId: one })
    await ledger.sagas.append(write({ undone: 'slot-1', escalations: [asked] }))
    expect(await slotAt(ledger)).toMatchObject({ status: 'COMPENSATED', effect: 'happened' })
    expect(await ledger.calls.escalations('acme')).toMatchObject([{ kind: 'compensation_failed' }])
    await ledger.sagas.append(write({ seq: 2, entries: [finished], answered: { calls: [one], by: 'bea' } }))
    expect(await ledger.calls.escalations('acme')).toEqual([])
  })

  it('lists the newest first, by tenant, name and state', async () => {
    const { ledger } = await start()
    for (const id of ['a', 'b', 'c']) await ledger.sagas.create(sagaStart({ id, name: `saga ${id}` }), 60_000)
    await ledger.sagas.create(sagaStart({ id: 'd', tenant: 'globex' }), 60_000)
    const ids = async (query: object) => (await ledger.sagas.list(query)).map(({ id }) => id)
    expect(await ids({ tenant: 'acme' })).toEqual(['c', 'b', 'a'])
    expect(await ids({ limit: 2 })).toEqual(['d', 'c'])
    expect(await ids({ name: 'saga b' })).toEqual(['b'])
    expect(await ids({ state: 'COMPLETED' })).toEqual([])
  })
}
