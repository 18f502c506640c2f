// Calls, their facts, contracts, results and discoveries, as every engine keeps and finds them.
import { expect, it } from 'vitest'
import type { CallQuery } from '../../../src/ledger/ports/calls.ts'
import type { Ledger } from '../../../src/ledger/ports/ledger.ts'
import {
  admission,
  answerOf,
  callId,
  callRecord,
  distinct,
  entryOf,
  fact,
  found,
  one,
  retryable,
  settlement,
  settleOn,
  slot,
  slotAt,
  two,
  unknown,
} from '../requests.ts'
import type { StartEngine } from '../suite.ts'

const keyOf = (change: Partial<ReturnType<typeof callRecord>['key']>) => ({ ...callRecord().key, ...change })

async function fill(ledger: Ledger): Promise<void> {
  await ledger.operations.admit(distinct(1))
  await settleOn(ledger, unknown, { call: callRecord({ status: 'TIMEOUT', effect: 'unknown' }) })
  await ledger.operations.record(entryOf({ id: callId(2), key: keyOf({ run: 'run-2' }), effect: 'none' }))
  await ledger.operations.record(
    entryOf({ id: callId(3), key: keyOf({ tool: 'other' }), status: 'TIMEOUT', effect: 'none' }),
  )
  await ledger.operations.record(entryOf({ id: callId(4), key: keyOf({ tenant: 'globex' }) }))
  await ledger.operations.record(
    entryOf({ id: callId(5), key: keyOf({ run: undefined }), status: 'RATE_LIMITED', effect: 'none' }),
  )
}

const filters: readonly (readonly [string, CallQuery, readonly number[]])[] = [
  ['nothing', {}, [5, 4, 3, 2, 1]],
  ['tenant', { tenant: 'acme' }, [5, 3, 2, 1]],
  ['another tenant', { tenant: 'globex' }, [4]],
  ['run', { run: 'run-1' }, [4, 3, 1]],
  ['tool', { tool: 'other' }, [3]],
  ['status', { status: 'TIMEOUT' }, [3, 1]],
  ['effect', { effect: 'none' }, [5, 3, 2]],
  ['being held', { held: true }, [1]],
  ['not being held', { held: false }, [5, 4, 3, 2]],
  ['the call they came after', { after: callId(3) }, [5, 4]],
  ['number', { limit: 2 }, [5, 4]],
  [
    'all of these',
    { tenant: 'acme', run: 'run-1', tool: 'tool', status: 'TIMEOUT', effect: 'unknown', held: true },
    [1],
  ],
  ['what fits nothing', { tenant: 'globex', held: true }, []],
]

export function callTests(start: StartEngine): void {
  it('reads call and slot in one step, each where it is there', async () => {
    const { ledger, advance } = await start()
    const key = callRecord().key
    const wanted = { key: 'slot-1', providerCallId: 'p1' }
    const before = await ledger.operations.lookUp({ key, slot: wanted })
    expect(before).toMatchObject({ call: undefined, slot: { record: undefined } })
    await ledger.operations.admit(admission())
    await settleOn(ledger, { status: 'FAILED_FINAL', effect: 'none' })
    await ledger.operations.admit(admission({ callId: two, slot: slot({ providerCallId: 'p2' }) }))
    expect(await ledger.operations.lookUp({ key, slot: wanted })).toMatchObject({
      call: { id: two },
      slot: { record: { generation: 1, callId: one } },
    })
    expect(await ledger.operations.lookUp({ key, slot: { ...wanted, providerCallId: undefined } })).toMatchObject({
      slot: { record: { generation: 2, callId: two } },
    })
    expect(await ledger.operations.lookUp({ key: keyOf({ tool: 'other' }), slot: wanted })).toMatchObject({
      call: undefined,
      slot: { record: { generation: 1 } },
    })
    expect(await ledger.operations.lookUp({ key, slot: undefined })).toMatchObject({
      call: { id: two },
      slot: undefined,
    })
    expect(await ledger.operations.lookUp({ key: keyOf({ tenant: 'globex' }), slot: wanted })).toMatchObject({
      call: undefined,
      slot: { record: undefined },
    })
    await advance(3_600_000)
    const after = await ledger.operations.lookUp({ key, slot: wanted })
    expect((after.slot?.at ?? 0) - (before.slot?.at ?? 0)).toBeGreaterThanOrEqual(3_600_000)
  })

  it('finds a call again by every part of its key, and only where it may be found again', async () => {
    const { ledger } = await start()
    await ledger.operations.record(entryOf())
    const key = callRecord().key
    expect(await found(ledger, key)).toMatchObject({ id: one })
    const others = [{ tenant: 'b' }, { run: 'b' }, { run: undefined }, { providerCallId: 'b' }, { tool: 'b' }]
    for (const change of [...others, { providerCallId: undefined }, { inputHash: 'b' }]) {
      expect(await found(ledger, { ...key, ...change })).toBeUndefined()
    }
    await ledger.operations.record(entryOf({ id: two, key: keyOf({ tool: 'read' }) }, { findAgain: false }))
    expect(await found(ledger, keyOf({ tool: 'read' }))).toBeUndefined()
    expect(await ledger.calls.get(two)).toMatchObject({ id: two })
  })

  it('keeps the facts of every pass in the order they were written, and the newest state of the call', async () => {
    const { ledger } = await start()
    await ledger.operations.record(entryOf({}, { facts: [fact()] }))
    await ledger.operations.record(entryOf({ passes: 2 }, { facts: [fact({ pass: 2 }), fact({ pass: 2, seq: 2 })] }))
    await ledger.operations.record(entryOf({ passes: 2, status: 'TIMEOUT' }, { facts: [fact({ seq: 1_000 })] }))
    expect(await found(ledger, callRecord().key)).toMatchObject({ id: one, passes: 2, status: 'TIMEOUT' })
    expect((await ledger.calls.facts(one)).map((entry) => [entry.pass, entry.seq])).toEqual([
      [1, 1],
      [2, 1],
      [2, 2],
      [1, 1_000],
    ])
  })

  it('keeps what a pass has written when another of its number was never admitted and comes later', async () => {
    const { ledger } = await start()
    const waits = { status: 'CONFIRMATION_MISSING', effect: 'pending' } as const
    await ledger.operations.record(entryOf(waits, { facts: [fact()] }))
    await ledger.operations.record(entryOf({ passes: 2, ...waits }, { facts: [fact({ pass: 2 })], yields: true }))
    expect(await ledger.calls.get(one)).toMatchObject({ passes: 2, effect: 'pending' })
    await ledger.operations.record(entryOf({ passes: 3, effect: 'happened' }, { facts: [fact({ pass: 3 })] }))
    await ledger.operations.record(
      entryOf({ passes: 3, ...waits }, { facts: [fact({ pass: 3, seq: 2 })], yields: true }),
    )
    expect(await ledger.calls.get(one)).toMatchObject({ passes: 3, effect: 'happened', status: 'SUCCESS' })
    expect(await ledger.calls.facts(one)).toHaveLength(4)
  })

  it('writes what such a pass says where one of its number only looked on', async () => {
    const { ledger } = await start()
    await ledger.operations.record(entryOf({}, { facts: [fact()] }))
    await ledger.operations.record(entryOf({ passes: 2 }, { facts: [fact({ pass: 2 })], looksOn: true }))
    const denied = { passes: 2, status: 'POLICY_VIOLATION', effect: 'none' } as const
    await ledger.operations.record(entryOf(denied, { facts: [fact({ pass: 2, seq: 2 })], yields: true }))
    expect(await ledger.calls.get(one)).toMatchObject(denied)
  })

  it('keeps what an attempt came to where another end comes late and does not say that it happened', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission())
    await settleOn(ledger, { answer: answerOf('done') })
    const lost = { status: 'TIMEOUT', effect: 'unknown' } as const
    expect(await ledger.operations.record(entryOf(lost, { settle: settlement(unknown), facts: [fact()] }))).toBe('late')
    const failed = { status: 'DEPENDENCY_UNAVAILABLE', effect: 'none' } as const
    expect(
      await ledger.operations.record(entryOf(failed, { settle: settlement(retryable), facts: [fact({ seq: 2 })] })),
    ).toBe('late')
    expect(await ledger.calls.get(one)).toMatchObject({ status: 'SUCCESS', effect: 'happened' })
    expect(await ledger.calls.facts(one)).toHaveLength(2)
  })

  it('keeps what came late and says that it happened, also where passes of a later number wait or are denied', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission())
    await settleOn(ledger, { ...retryable, answer: answerOf('not yet') })
    const asks = { passes: 2, status: 'CONFIRMATION_MISSING', effect: 'pending' } as const
    await ledger.operations.record(entryOf(asks, { facts: [fact({ pass: 2 })], yields: true }))
    expect(await settleOn(ledger, { answer: answerOf('after all') })).toBe('settled')
    const denied = { passes: 2, status: 'PERMISSION_DENIED', effect: 'none' } as const
    await ledger.operations.record(entryOf(denied, { facts: [fact({ pass: 2, seq: 2 })], yields: true }))
    expect(await ledger.calls.get(one)).toMatchObject({ passes: 1, status: 'SUCCESS', effect: 'happened' })
  })

  it('gives back every text as it was written', async () => {
    const { ledger } = await start()
    const argumentText = '{"a":"\\u0000 \\ud800 \u2028 é 😀 \' \\" $1 \\\\"}'
    const evidence = { nul: '\u0000', text: '😀', deep: [[[{ a: null }]]] }
    await ledger.operations.record(entryOf({ argumentText, traceId: '\u0000' }, { facts: [fact({ evidence })] }))
    expect(await ledger.calls.get(one)).toMatchObject({ argumentText, traceId: '\u0000' })
    expect((await ledger.calls.facts(one))[0]?.evidence).toEqual(evidence)
  })

  for (const [name, query, numbers] of filters) {
    it(`finds calls by ${name}, the newest first`, async () => {
      const { ledger } = await start()
      await fill(ledger)
      expect((await ledger.calls.list(query)).map(({ id }) => id)).toEqual(numbers.map(callId))
    })
  }

  it('shows a call and its facts to its own tenant and to the host [tenants-isolated]', async () => {
    const { ledger } = await start()
    await ledger.operations.record(entryOf({}, { facts: [fact()] }))
    expect(await ledger.calls.get(one)).toMatchObject({ id: one })
    expect(await ledger.calls.get(one, 'acme')).toMatchObject({ id: one })
    expect(await ledger.calls.get(one, 'globex')).toBeUndefined()
    expect(await ledger.calls.facts(one, 'acme')).toHaveLength(1)
    expect(await ledger.calls.facts(one, 'globex')).toEqual([])
    for (const unknown of [two, 'no such call', '']) {
      expect([await ledger.calls.get(unknown), await ledger.calls.facts(unknown)]).toEqual([undefined, []])
    }
  })

  it('keeps tenants apart in slots, results and discoveries [tenants-isolated]', async () => {
    const { ledger } = await start()
    await ledger.operations.admit(admission())
    expect(await slotAt(ledger, 'slot-1', undefined, 'globex')).toBeUndefined()
    expect(
      await ledger.operations.admit(distinct(2, { tenant: 'globex', slot: slot({ tenant: 'globex' }) })),
    ).toMatchObject({
      kind: 'admitted',
    })
    const ref = await ledger.results.save('acme', one, { a: 1 })
    expect([await ledger.results.get('acme', ref), await ledger.results.get('globex', ref)]).toEqual([
      { a: 1 },
      undefined,
    ])
    await ledger.runs.discover('acme', 'run-1', ['tool'])
    expect([
      [...(await ledger.runs.discovered('acme', 'run-1'))],
      [...(await ledger.runs.discovered('globex', 'run-1'))],
      [...(await ledger.runs.discovered('acme', 'run-2'))],
    ]).toEqual([['tool'], [], []])
  })

  it('adds up what a run discovers, also at once', async () => {
    const { ledger, peer } = await start()
    const ledgers = [ledger, await peer()]
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => ledgers[n % 2]?.runs.discover('acme', 'run-1', [`tool-${n}`, 'tool-0'])),
    )
    expect([...(await ledger.runs.discovered('acme', 'run-1'))].sort()).toEqual(
      Array.from({ length: 10 }, (_, n) => `tool-${n}`),
    )
  })

  it('keeps one result per call, the newest', async () => {
    const { ledger } = await start()
    const first = await ledger.results.save('acme', one, 'first')
    expect(await ledger.results.save('acme', one, ['second', null, 2.5])).toBe(first)
    expect(await ledger.results.get('acme', first)).toEqual(['second', null, 2.5])
    expect(await ledger.results.save('acme', two, null)).not.toBe(first)
    expect(await ledger.results.get('acme', 'no such result')).toBeUndefined()
  })

  it('keeps contracts by their hash, for every tenant', async () => {
    const { ledger, peer } = await start()
    await ledger.calls.saveContracts(new Map())
    const contracts = new Map([
      ['h1', { name: 'one' }],
      ['h2', { name: 'two' }],
    ])
    const other = await peer()
    await Promise.all([ledger.calls.saveContracts(contracts), other.calls.saveContracts(contracts)])
    expect([
      await ledger.calls.contract('h1'),
      await other.calls.contract('h2'),
      await ledger.calls.contract('h3'),
    ]).toEqual([{ name: 'one' }, { name: 'two' }, undefined])
  })

  it('lets the owner of an admitted attempt start it', async () => {
    const { ledger } = await start()
    const request = admission()
    await ledger.operations.admit(request)
    expect(ledger.operations.mayAct(request.nonce)).toBe(true)
  })
}
