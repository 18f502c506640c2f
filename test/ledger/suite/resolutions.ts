// What people find out about held operations, as every engine keeps it.
import { expect, it } from 'vitest'
import type { Ledger } from '../../../src/ledger/ports/ledger.ts'
import type { Resolution } from '../../../src/ledger/ports/operations.ts'
import { admission, entryOf, escalation, one, retryable, settleOn, slot, slotAt, two, unknown } from '../requests.ts'
import type { StartEngine } from '../suite.ts'

const resolution = (change: Partial<Resolution> = {}): Resolution => ({
  tenant: 'acme',
  callId: one,
  effect: 'happened',
  by: 'ann',
  why: 'seen in the bank account',
  quorum: 1,
  ...change,
})

async function hold(ledger: Ledger): Promise<void> {
  await ledger.operations.admit(admission())
  const escalations = [escalation(1), escalation(2, { kind: 'unverifiable' })]
  await settleOn(ledger, unknown, { escalations })
}

export function resolutionTests(start: StartEngine): void {
  it('replays a held operation that a person found to have happened', async () => {
    const { ledger } = await start()
    await hold(ledger)
    expect(await ledger.operations.resolve(resolution())).toMatchObject({
      kind: 'resolved',
      record: { status: 'COMPLETED', effect: 'happened', held: false, callId: one },
    })
    expect(await ledger.operations.admit(admission({ slot: slot({ providerCallId: 'p2' }) }))).toMatchObject({
      kind: 'slot',
      record: { status: 'COMPLETED', effect: 'happened' },
    })
    expect(await ledger.calls.get(one)).toMatchObject({ effect: 'happened' })
    expect(await settleOn(ledger)).toBe('late')
  })

  it('runs a held operation again that a person found not to have happened', async () => {
    const { ledger } = await start()
    await hold(ledger)
    expect(await ledger.operations.resolve(resolution({ effect: 'none' }))).toMatchObject({
      kind: 'resolved',
      record: { status: 'FAILED_RETRYABLE', effect: 'none', held: false },
    })
    expect(await ledger.calls.get(one)).toMatchObject({ effect: 'none' })
    expect(await ledger.operations.admit(admission())).toMatchObject({
      kind: 'admitted',
      generation: 1,
      attempt: 2,
      starts: 1,
    })
  })

  it('believes an attempt that ends after all more than the person who said that nothing happened', async () => {
    const { ledger } = await start()
    await hold(ledger)
    await ledger.operations.resolve(resolution({ effect: 'none' }))
    expect(await settleOn(ledger)).toBe('settled')
    expect(await slotAt(ledger)).toMatchObject({ status: 'COMPLETED', effect: 'happened' })
  })

  it('records who said what and why, and closes every question about the call [resolved-by-people]', async () => {
    const { ledger } = await start()
    await hold(ledger)
    await ledger.operations.record(entryOf({ id: two }, { escalations: [escalation(3, { callId: two })] }))
    expect(await ledger.calls.escalations()).toHaveLength(3)
    await ledger.operations.resolve(resolution({ tenant: undefined }))
    expect((await ledger.calls.facts(one)).map(({ phase, verdict }) => [phase, verdict])).toEqual([
      ['verify', { kind: 'resolved', effect: 'happened', by: 'ann', why: 'seen in the bank account' }],
    ])
    expect((await ledger.calls.escalations()).map(({ callId }) => callId)).toEqual([two])
  })

  it('answers an open question about a call that is not held, and leaves its operation as it is', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission())
    await settleOn(ledger, {}, { escalations: [escalation(1, { kind: 'unverifiable' })] })
    const answered = {
      tenant: 'acme',
      callId: one,
      effect: 'happened',
      by: 'ann',
      why: 'I looked.',
      quorum: 1,
    } as const
    expect(await ledger.operations.resolve(answered)).toMatchObject({
      kind: 'answered',
      record: { status: 'COMPLETED' },
    })
    expect(await ledger.calls.escalations('acme')).toEqual([])
    expect((await ledger.calls.facts(one)).at(-1)?.verdict).toMatchObject({ kind: 'resolved', by: 'ann' })
    expect(await ledger.operations.resolve(answered)).toMatchObject({ kind: 'not_held' })
  })

  it('waits until as many people as the class demands say the same [resolved-by-quorum]', async () => {
    const { ledger, peer } = await start()
    const other = await peer()
    await hold(ledger)
    const say = (by: string, effect: 'happened' | 'none', on: Ledger = ledger) =>
      on.operations.resolve(resolution({ by, effect, quorum: 2 }))
    expect(await say('ann', 'none')).toMatchObject({ kind: 'stated', missing: 1, record: { held: true } })
    for (const again of ['ann', ' ANN ']) expect(await say(again, 'none')).toMatchObject({ kind: 'stated' })
    expect(await say('bob', 'happened')).toMatchObject({ kind: 'stated', missing: 1 })
    expect(await say('ann', 'happened', other)).toMatchObject({ kind: 'resolved', record: { effect: 'happened' } })
    expect((await ledger.calls.facts(one)).at(-1)?.verdict).toMatchObject({ by: 'bob, ann', effect: 'happened' })
  })

  it('counts two people who say the same at the same instant', async () => {
    const { ledger, peer } = await start()
    const other = await peer()
    await hold(ledger)
    const both = await Promise.all([
      ledger.operations.resolve(resolution({ by: 'ann', quorum: 2 })),
      other.operations.resolve(resolution({ by: 'bob', quorum: 2 })),
    ])
    expect(both.map(({ kind }) => kind).sort()).toEqual(['resolved', 'stated'])
  })

  it('resolves only what is held, and only once', async () => {
    const { ledger } = await start()
    expect(await ledger.operations.resolve(resolution())).toEqual({ kind: 'not_held', record: undefined })
    expect(await ledger.operations.resolve(resolution({ callId: 'no such call' }))).toEqual({
      kind: 'not_held',
      record: undefined,
    })
    await ledger.operations.admit(admission())
    expect(await ledger.operations.resolve(resolution())).toMatchObject({
      kind: 'not_held',
      record: { status: 'PENDING' },
    })
    await settleOn(ledger, unknown)
    const both = await Promise.all([
      ledger.operations.resolve(resolution({ effect: 'none', by: 'ann' })),
      ledger.operations.resolve(resolution({ effect: 'happened', by: 'bob' })),
    ])
    expect(both.map(({ kind }) => kind).sort()).toEqual(['not_held', 'resolved'])
    expect(await ledger.calls.facts(one)).toHaveLength(1)
    await settleOn(ledger, retryable)
    expect(await ledger.operations.resolve(resolution())).toMatchObject({ kind: 'not_held' })
  })

  it('shows another tenant nothing of a held operation and lets it resolve nothing [tenants-isolated]', async () => {
    const { ledger } = await start()
    await hold(ledger)
    expect(await ledger.operations.resolve(resolution({ tenant: 'globex' }))).toEqual({
      kind: 'not_held',
      record: undefined,
    })
    expect(await slotAt(ledger)).toMatchObject({ status: 'PENDING', held: true })
    expect([await ledger.calls.facts(one), (await ledger.calls.escalations('acme')).length]).toEqual([[], 2])
  })
}
