// Effects that are still to be read back, as every engine keeps them: asked for with the settle, given to one at a time, finished once.
import { expect, it } from 'vitest'
import type { Ledger } from '../../../src/ledger/ports/ledger.ts'
import { admission, answerOf, callRecord, entryOf, fact, one, settleOn, unknown, verification } from '../requests.ts'
import type { StartEngine } from '../suite.ts'

const { contractHash } = callRecord()
const query = { contracts: [contractHash], limit: 10, forMs: 30_000 }
const claimed = async (ledger: Ledger) => ledger.verifications.claim(query)
const later = (seq: number) => entryOf({ id: one }, { facts: [fact({ callId: one, seq })] })

async function asked(ledger: Ledger): Promise<void> {
  await ledger.operations.admit(admission())
  await settleOn(ledger, { answer: answerOf('first') }, { facts: [fact()], verify: verification() })
}

export function verificationTests(start: StartEngine): void {
  it('gives an effect to be read back when it is due, and not before [verified-later]', async () => {
    const engine = await start()
    await asked(engine.ledger)
    expect(await claimed(engine.ledger)).toEqual([])
    await engine.advance(60_001)
    const [due, ...others] = await claimed(engine.ledger)
    expect(others).toEqual([])
    expect(due).toMatchObject({ call: { id: one }, contractHash, slotKey: 'slot-1', generation: 1, reads: 0 })
    expect(due?.body).toMatchObject({ target: 'id="x"', sources: [{ kind: 'read', target: { id: 'x' } }] })
  })

  it('leaves those of other contracts to others', async () => {
    const engine = await start()
    await asked(engine.ledger)
    await engine.advance(60_001)
    expect(await engine.ledger.verifications.claim({ ...query, contracts: ['another'] })).toEqual([])
  })

  it('asks for nothing where the settle came late', async () => {
    const engine = await start()
    await settleOn(engine.ledger, {}, { verify: verification({ afterMs: 0 }) })
    await engine.advance(1)
    expect(await claimed(engine.ledger)).toEqual([])
  })

  it('leaves what is due as it is where an end comes late that has read its own effect back', async () => {
    const engine = await start()
    await asked(engine.ledger)
    expect(await settleOn(engine.ledger, {}, { facts: [fact({ seq: 9 })], verified: true })).toBe('late')
    await engine.advance(60_001)
    expect(await claimed(engine.ledger)).toMatchObject([{ call: { id: one } }])
  })

  it('gives it to one of many who ask at once, and finishes it once [one-verification-fact]', async () => {
    const engine = await start()
    await asked(engine.ledger)
    await engine.advance(60_001)
    const ledgers = [engine.ledger, await engine.peer()]
    const given = (await Promise.all(ledgers.flatMap((ledger) => [claimed(ledger), claimed(ledger)]))).flat()
    expect(given).toHaveLength(1)
    const [due] = given
    if (due === undefined) throw new Error('nothing was due')
    const ends = await Promise.all(
      ledgers.flatMap((ledger, at) => [1, 2].map((n) => ledger.verifications.finish(due, later(3_000 + at * 10 + n)))),
    )
    expect(ends.filter(Boolean)).toHaveLength(1)
    expect((await engine.ledger.calls.facts(one)).filter(({ seq }) => seq > 3_000)).toHaveLength(1)
    await engine.advance(86_400_000)
    expect(await claimed(engine.ledger)).toEqual([])
  })

  it('gives it again when the process that had it is gone, and takes nothing more from that one [one-verification-fact]', async () => {
    const engine = await start()
    await asked(engine.ledger)
    await engine.advance(60_001)
    const [first] = await claimed(engine.ledger)
    await engine.advance(30_001)
    const [second] = await claimed(engine.ledger)
    if (first === undefined || second === undefined) throw new Error('nothing was due')
    expect(await engine.ledger.verifications.finish(first, later(3_001))).toBe(false)
    expect(await engine.ledger.verifications.postpone(first, 0)).toBe(false)
    expect(await engine.ledger.verifications.finish(second, later(3_002))).toBe(true)
    expect((await engine.ledger.calls.facts(one)).map(({ seq }) => seq)).not.toContain(3_001)
  })

  it('puts it off and counts the readings', async () => {
    const engine = await start()
    await asked(engine.ledger)
    await engine.advance(60_001)
    const [due] = await claimed(engine.ledger)
    if (due === undefined) throw new Error('nothing was due')
    expect(await engine.ledger.verifications.postpone(due, 5_000)).toBe(true)
    expect(await claimed(engine.ledger)).toEqual([])
    await engine.advance(5_001)
    expect((await claimed(engine.ledger)).map(({ reads }) => reads)).toEqual([1])
  })

  it('is called off where the call itself has read it, and put off by its end', async () => {
    const engine = await start()
    await asked(engine.ledger)
    await engine.ledger.operations.record(entryOf({ id: one }, { verify: verification({ afterMs: 1_000, reads: 1 }) }))
    await engine.advance(1_001)
    expect((await claimed(engine.ledger)).map(({ reads }) => reads)).toEqual([1])
    await engine.ledger.operations.record(entryOf({ id: one }, { verified: true }))
    await engine.advance(86_400_000)
    expect(await claimed(engine.ledger)).toEqual([])
  })

  it('writes the amended answer and the fact with its end, in one step', async () => {
    const engine = await start()
    await asked(engine.ledger)
    await engine.advance(60_001)
    const [due] = await claimed(engine.ledger)
    if (due === undefined) throw new Error('nothing was due')
    const amend = { slotKey: 'slot-1', generation: 1, answer: answerOf('amended') }
    expect(await engine.ledger.verifications.finish(due, { ...later(3_000), amend })).toBe(true)
    expect((await engine.ledger.operations.slot('acme', 'slot-1', undefined)).record?.answer).toEqual(
      answerOf('amended'),
    )
  })

  it('asks for nothing where the attempt ended without saying whether its effect is there', async () => {
    const engine = await start()
    await engine.ledger.operations.admit(admission())
    expect(await settleOn(engine.ledger, unknown)).toBe('settled')
    await engine.advance(86_400_000)
    expect(await claimed(engine.ledger)).toEqual([])
  })
}
