// Large and hostile envelopes: a thousand tools in time, and nothing that a relay sends costs without bound.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capabilitiesGate } from '../../src/drift/capabilities/gate.ts'
import { judgeEnvelope } from '../../src/drift/capabilities/judge-envelope.ts'
import { manualClock } from '../../src/json/clock.ts'
import type { JsonObject, JsonValue } from '../../src/json/value.ts'
import { type LocalServer, localServer } from '../execute/local-server.ts'
import { refundInput, surfaceOf } from './local-tools.ts'

/** No two of them are equal, and the remote ones are narrower in one place. */
const inputOf = (n: number, maximum: number): JsonObject => ({
  type: 'object',
  properties: {
    [`id_${n}`]: { type: 'string', maxLength: 40 + n },
    amount: { type: 'integer', minimum: 1, maximum },
    kind: { enum: ['a', 'b', `c${n}`] },
    lines: {
      type: 'array',
      maxItems: 20,
      items: {
        type: 'object',
        properties: { sku: { type: 'string' }, count: { type: 'integer' } },
        required: ['sku'],
        additionalProperties: false,
      },
    },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: [`id_${n}`, 'amount'],
  additionalProperties: false,
})
const count = 1_000
const numbers = Array.from({ length: count }, (_, n) => n)
const local = surfaceOf(numbers.map((n) => ({ name: `tool_${n}`, input: inputOf(n, 10_000) })))
const schemas = (tools: readonly (readonly [string, JsonValue])[]) =>
  JSON.stringify({
    capabilities_version: '1.0.0',
    tool_schemas: Object.fromEntries(tools.map(([name, input_schema]) => [name, { input_schema }])),
  })

let server: LocalServer
let body = schemas(numbers.map((n) => [`tool_${n}`, inputOf(n, 9_000)]))
beforeAll(async () => {
  server = await localServer(({ headers }, response) => {
    if (headers['if-none-match'] === '"v1"') response.writeHead(304).end()
    else response.writeHead(200, { etag: '"v1"' }).end(body)
  })
})
afterAll(() => server[Symbol.asyncDispose]())

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

describe('an envelope of a thousand tools [thousand-tools-in-time]', () => {
  it('is judged within its time: cold, from cache, and after a 304', async () => {
    const clock = manualClock()
    const gate = capabilitiesGate({ url: server.origin, credential: 'x', local, clock, timeoutMs: 60_000 })
    const cpu = process.cpuUsage()
    await gate.check()
    const { user, system } = process.cpuUsage(cpu)
    const warm = await timed(() => gate.check())
    clock.advance(300_000)
    const before = process.cpuUsage()
    await gate.check()
    const revalidated = process.cpuUsage(before)
    // Work of this process, and not of its neighbours.
    expect((user + system) / 1_000).toBeLessThan(2_000)
    expect(warm).toBeLessThan(20)
    expect(revalidated.user / 1_000).toBeLessThan(100)
    expect(server.seen).toHaveLength(2)
    // Another surface with the same tools and one more: every proof is known.
    const more = surfaceOf([{ name: 'one_more', input: refundInput }])
    const wider = { entries: new Map([...local.entries, ...more.entries]), aliases: local.aliases }
    const start = process.cpuUsage()
    const gateOfOthers = capabilitiesGate({ url: server.origin, credential: 'x', local: wider, clock })
    expect(await gateOfOthers.check()).toMatchObject({ tools: count })
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(500)
  })
})

describe('a hostile envelope [hostile-envelope-is-bounded]', () => {
  const gate = (credential: string, options = {}) =>
    capabilitiesGate({
      url: server.origin,
      credential,
      local: surfaceOf([{ name: 'refund', input: refundInput }]),
      timeoutMs: 60_000,
      ...options,
    })

  it('that is too large is not read', async () => {
    body = `{"pad":"${'x'.repeat(200_000)}"}`
    await expect(gate('large', { maxBytes: 100_000 }).check()).rejects.toMatchObject({ code: 'malformed' })
  })

  it('of ten thousand unknown tools gives one error of bounded size; one more is too many', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => [`t${n}`, {}] as const)
    body = schemas(many)
    const error = await gate('many')
      .check()
      .catch((caught: unknown) => caught)
    expect(error).toMatchObject({ name: 'SchemaDriftError', count: 10_000 })
    expect((error as { drifts: readonly unknown[] }).drifts).toHaveLength(100)
    expect(String(error).length).toBeLessThan(2_000)
    body = schemas([...many, ['one_more', {}]])
    await expect(gate('more').check()).rejects.toMatchObject({ code: 'malformed' })
  })

  it('that nests without end is refused', async () => {
    let deep: JsonValue = {}
    for (let depth = 0; depth < 200; depth++) deep = { allOf: [deep] }
    body = schemas([['refund', deep]])
    await expect(gate('deep').check()).rejects.toMatchObject({ code: 'malformed' })
    body = schemas([['refund', {}]]).replace('{}', `${'{"not":'.repeat(5_000)}{}${'}'.repeat(5_000)}`)
    await expect(gate('deeper').check()).rejects.toMatchObject({ code: 'malformed' })
  })

  it('that is hard to prove uses up one budget for all its tools, and is refused then', async () => {
    const hard = (n: number): JsonObject => ({
      type: 'object',
      allOf: Array.from({ length: 14 }, (_, i) => ({
        anyOf: [{ required: [`a${i}_${n}`] }, { required: [`b${i}`] }, { properties: { [`c${i}`]: { const: n } } }],
      })),
    })
    const remote = new Map(
      numbers.slice(0, 200).map((n) => [`tool_${n}`, { inputSchema: hard(n), dialect: undefined }]),
    )
    const start = performance.now()
    const judged = await judgeEnvelope({ remote, local, proofs: new Map(), totalSteps: 20_000 })
    expect(['unsupported', 'drifts']).toContain(judged.kind)
    const nothingLeft = await judgeEnvelope({
      remote: new Map([['tool_1', { inputSchema: inputOf(1, 5), dialect: undefined }]]),
      local,
      proofs: new Map(),
      totalSteps: 0,
    })
    expect(nothingLeft).toMatchObject({ kind: 'unsupported', gap: { construct: 'budget' } })
    expect(performance.now() - start).toBeLessThan(30_000)
  })
})
