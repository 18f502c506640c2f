// Pins, as every engine keeps them: by source and declared capabilities, one revision after another.
import { expect, it } from 'vitest'
import type { EpochMs } from '../../../src/json/clock.ts'
import type { Pin } from '../../../src/ledger/ports/pins.ts'
import type { StartEngine } from '../suite.ts'

const pin = (change: Partial<Pin> = {}): Pin => ({
  source: 'github',
  capabilities: {},
  kind: 'mcp',
  revision: 1,
  tools: [
    { name: 'search', hash: 'h', raw: { name: 'search' }, approvedBy: 'ann', approvedAt: 1_700_000_000_000 as EpochMs },
  ],
  malformed: [],
  ...change,
})

export function pinTests(start: StartEngine): void {
  it('keeps a pin by its source and by what the client declared', async () => {
    const { ledger, peer } = await start()
    const asking = pin({ capabilities: { elicitation: {} }, tools: [] })
    expect([await ledger.pins.save(pin(), 'person'), await ledger.pins.save(asking, 'person')]).toEqual([true, true])
    const { pins } = await peer()
    expect(await pins.get({ source: 'github', capabilities: {} })).toEqual(pin())
    expect(await pins.get({ source: 'github', capabilities: { elicitation: {} } })).toEqual(asking)
    expect(await pins.get({ source: 'gitlab', capabilities: {} })).toBeUndefined()
  })

  it('adds one revision after another, and of two who approve at once one is too late', async () => {
    const { ledger, peer } = await start()
    const { pins } = await peer()
    await ledger.pins.save(pin(), 'person')
    const place = { url: 'https://example.com' }
    expect(await pins.save(pin({ revision: 2, place }), 'person')).toBe(true)
    expect(await ledger.pins.save(pin({ revision: 2, tools: [] }), 'person')).toBe(false)
    expect(await ledger.pins.save(pin({ revision: 4, tools: [] }), 'person')).toBe(false)
    expect(await ledger.pins.get(pin())).toEqual(pin({ revision: 2, place }))
  })

  it('gives a reader that knows a revision what came after it, also where looks took the place of looks', async () => {
    const { ledger, peer } = await start()
    await ledger.pins.save(pin(), 'person')
    const known = await ledger.pins.get(pin())
    expect(await ledger.pins.get(pin(), known)).toEqual(pin())
    for (let revision = 2; revision <= 4; revision++)
      expect(await ledger.pins.save(pin({ revision, drifted: [{ name: 't', rules: [`r${revision}`] }] }), 'look')).toBe(
        true,
      )
    const newest = pin({ revision: 4, drifted: [{ name: 't', rules: ['r4'] }] })
    expect(await (await peer()).pins.get(pin(), known)).toEqual(newest)
    expect(await ledger.pins.save(pin({ revision: 5 }), 'person')).toBe(true)
    expect(await ledger.pins.get(pin(), newest)).toEqual(pin({ revision: 5 }))
  })

  it('lists the newest revision of every pin, by source', async () => {
    const { ledger } = await start()
    for (const source of ['b', 'a']) await ledger.pins.save(pin({ source }), 'person')
    await ledger.pins.save(pin({ source: 'b', revision: 2 }), 'person')
    const listed = await ledger.pins.list()
    expect(listed.map(({ source, revision }) => [source, revision])).toEqual([
      ['a', 1],
      ['b', 2],
    ])
  })
}
