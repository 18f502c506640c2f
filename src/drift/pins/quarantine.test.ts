import { describe, expect, it } from 'vitest'
import { manualClock } from '../../json/clock.ts'
import { hashJson } from '../../json/hash.ts'
import type { JsonObject } from '../../json/value.ts'
import type { Pin } from '../../ledger/ports/pins.ts'
import { createQuarantine } from './quarantine.ts'

const upstream = { source: 'shop', tool: 'act' }
const entry = (properties: number, schema: JsonObject): JsonObject => ({
  name: 'act',
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: properties }, (_, at) => [`p${at}`, schema])),
  },
})
const quarantineOf = (approved: JsonObject) => {
  const tools = [{ name: 'act', hash: hashJson(approved), raw: approved }]
  const pin = { source: 'shop', capabilities: {}, kind: 'mcp', revision: 1, tools, malformed: [] }
  return createQuarantine({ store: { get: async () => pin as unknown as Pin }, clock: manualClock() })
}
const cpuMs = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

describe('a call of a pinned tool whose definition has changed', () => {
  it('is told by which rules, where the definition is of a usual size', async () => {
    const quarantine = quarantineOf(entry(10, { type: 'string' }))
    expect(await quarantine.vet(upstream, entry(10, { type: 'string', minLength: 1 }))).toContain('argument-narrowed')
  })

  it.each([
    ['the same 20,000 arguments, each a little narrower', { type: 'string', minLength: 1 }],
    ['20,000 other arguments', { type: 'integer', multipleOf: 7, maximum: 100 }],
    ['20,000 patterns', { type: 'string', pattern: '^(a|b){1,50}c$' }],
  ])('is refused at once, as large as the definition is: %s [pins-keep-no-call-busy]', async (_what, schema) => {
    const quarantine = quarantineOf(entry(20_000, { type: 'string' }))
    const served = entry(20_000, schema)
    let note: string | undefined
    // It took 8,100 ms of the processor, and all of them at once.
    expect(
      await cpuMs(async () => {
        note = await quarantine.vet(upstream, served)
      }),
    ).toBeLessThan(1_000)
    expect(note).toContain('no longer what a person approved. A person looks')
  })

  it('is explained once, however often it is called', async () => {
    const quarantine = quarantineOf(entry(30, { type: 'string' }))
    const served = entry(30, { type: 'string', maxLength: 3 })
    const first = await quarantine.vet(upstream, served)
    const hundred = async () => {
      for (let at = 0; at < 100; at++) expect(await quarantine.vet(upstream, served)).toBe(first)
    }
    expect(await cpuMs(hundred)).toBeLessThan(500)
  })
})
