// The event loop of the host goes on while large text of others is worked through.
import { describe, expect, it } from 'vitest'
import { judgePin } from '../../src/drift/pins/judge-pin.ts'
import { nextPin } from '../../src/drift/pins/next-pin.ts'
import { readServed } from '../../src/drift/pins/read-served.ts'
import type { SourceSnapshot } from '../../src/drift/snapshot.ts'
import { defineTool, openProviso } from '../../src/index.ts'
import type { EpochMs } from '../../src/json/clock.ts'

/** How many turns the event loop took meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let over = false
  const turn = () => {
    turns++
    if (!over) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  over = true
  return turns
}

const bound = {
  name: 'read_page',
  description: 'Reads a page.',
  effect: 'READ_ONLY',
  input: { type: 'object', properties: {}, additionalProperties: false },
} as const

describe('while a large result is worked through', () => {
  it.each([
    ['words', () => 'please send it to my friend '.repeat(100_000)],
    ['hidden characters', () => 'a\u200b'.repeat(3_000_000)],
    ['words of another script', () => 'дом там '.repeat(400_000)],
    ['many values', () => Array.from({ length: 200_000 }, (_, index) => ({ id: index, name: 'ann' }))],
  ])('the event loop takes its turns: %s [large-text-in-slices]', async (_, make) => {
    const page = make()
    const tool = defineTool({ ...bound, execute: () => ({ page }) })
    const proviso = await openProviso({ tools: [tool] })
    const call = () => proviso.call({ tool: 'read_page', arguments: {} }, { tenant: 'acme', run: 'r' })
    try {
      let outcome: Awaited<ReturnType<typeof call>> | undefined
      const turns = await turnsDuring(async () => {
        outcome = await call()
      })
      expect(outcome?.result?.status).toBe('too_large')
      // In one go it would be one or two, however quick the machine is.
      expect(turns).toBeGreaterThan(4)
    } finally {
      await proviso.close()
    }
  })

  it('an object of more members than can be listed in one go is refused, and the answer says how many it has', async () => {
    const page = Object.fromEntries(Array.from({ length: 100_001 }, (_, at) => [`k${at}`, 1]))
    const proviso = await openProviso({ tools: [defineTool({ ...bound, execute: () => ({ page }) })] })
    const { observation, effect } = await proviso.call(
      { tool: 'read_page', arguments: {} },
      { tenant: 'acme', run: 'r' },
    )
    expect(effect).toBe('none')
    const said = JSON.stringify(observation.result_payload.errors)
    expect(said).toContain('/page')
    expect(said).toContain('100001 members')
    expect(said).toContain('100000 are read at most')
    await proviso.close()
  })

  it('a text larger than a result may be is refused, and the answer says the bound', async () => {
    const tool = defineTool({ ...bound, execute: () => ({ page: 'x'.repeat(17 * 1_048_576) }) })
    const proviso = await openProviso({ tools: [tool] })
    const { observation } = await proviso.call({ tool: 'read_page', arguments: {} }, { tenant: 'acme', run: 'r' })
    expect(JSON.stringify(observation.result_payload.errors)).toContain('larger than 16777216 bytes')
    await proviso.close()
  })

  it('its effect stays what it is while it is looked through, also when its time is up meanwhile [large-text-in-slices]', async () => {
    const tool = defineTool({
      ...bound,
      name: 'send_page',
      effect: 'LOW_RISK_INTERNAL',
      timeoutMs: 60,
      execute: () => ({ page: Array.from({ length: 400_000 }, (_, index) => ({ id: `row ${index}` })) }),
    })
    const proviso = await openProviso({ tools: [tool] })
    const answer = await proviso.call({ tool: 'send_page', arguments: {} }, { tenant: 'acme', run: 'r' })
    expect([answer.effect, answer.result?.status]).toEqual(['happened', 'too_large'])
    await proviso.close()
  })

  it('a small result is mapped without waiting for a turn', async () => {
    const proviso = await openProviso({ tools: [defineTool({ ...bound, execute: () => ({ page: 'short' }) })] })
    const answer = await proviso.call({ tool: 'read_page', arguments: {} }, { tenant: 'acme', run: 'r' })
    expect(answer.result?.status).toBe('succeeded')
    await proviso.close()
  })
})

describe('while a list of tools is compared with its pin', () => {
  const served = (count: number, length: number): SourceSnapshot => {
    const properties = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string', maxLength: length }]),
    )
    const source = readServed([{ name: 'big', description: 'A tool.', inputSchema: { type: 'object', properties } }])
    if (source === undefined) throw new Error('No list')
    return source
  }

  it('the event loop takes its turns, and the report is the same [large-text-in-slices]', async () => {
    const key = { source: 'server', capabilities: {} }
    const by = { by: 'ann', at: 1 as EpochMs, why: undefined, place: undefined, tools: undefined }
    const next = nextPin({ key, pin: undefined, served: served(1_000, 10), ...by })
    if (next.kind !== 'pin') throw new Error('No pin')
    let report: Awaited<ReturnType<typeof judgePin>> | undefined
    const turns = await turnsDuring(async () => {
      report = await judgePin(key, next.pin, served(1_000, 9))
    })
    expect(report?.drifts).toMatchObject([{ tool: 'big', change: 'changed', level: 'breaking' }])
    expect(turns).toBeGreaterThan(100)
  })
})
