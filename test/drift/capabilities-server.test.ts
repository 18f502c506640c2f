// The server's side of capabilities: who gets what, and how long it may be kept. The gate is put in front of it at last.
import { describe, expect, it } from 'vitest'
import { compileSchema } from '../../src/contract/tool/compile-tool.ts'
import { capabilitiesOf, capabilitiesSchema } from '../../src/drift/capabilities/envelope.ts'
import { capabilitiesGate } from '../../src/drift/capabilities/gate.ts'
import { type Authenticated, capabilitiesHandler } from '../../src/drift/capabilities/handler.ts'
import type { JsonObject } from '../../src/json/value.ts'
import { refundInput, surfaceOf } from './local-tools.ts'

const boss = surfaceOf([{ name: 'refund', input: refundInput }])
const clerk = surfaceOf(
  [
    { name: 'search', input: refundInput, deferred: true },
    { name: 'void', input: refundInput },
    { name: 'refund', input: refundInput, roles: ['boss'] },
  ],
  new Map([['void', 'not today']]),
)
const surfaces = { boss, clerk }
const handler = capabilitiesHandler(
  { surface: (who: keyof typeof surfaces) => surfaces[who] },
  (request): Authenticated<keyof typeof surfaces> => {
    const who = request.headers.get('authorization')?.slice('Bearer '.length)
    if (who === 'boss' || who === 'clerk') return { ok: true, context: who }
    return { ok: false, status: who === 'guest' ? 403 : 401 }
  },
)
const read = async (response: Response) => (await response.json()) as JsonObject & { tool_schemas: JsonObject }
const ask = (who: string | undefined, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  handler(
    new Request('https://relay.example/v1/agent/capabilities', {
      method,
      headers: { ...headers, ...(who === undefined ? {} : { authorization: `Bearer ${who}` }) },
    }),
  )

describe('the capabilities of a caller', () => {
  it('are the tools they may call, now or once discovered, and no others [capabilities-follow-the-surface]', async () => {
    const names = async (who: string) => Object.keys((await read(await ask(who))).tool_schemas)
    expect(await names('boss')).toEqual(['refund'])
    expect(await names('clerk')).toEqual(['search'])
  })

  it('fit the published schema, and name version, hash and dialect of each contract [DR-52]', async () => {
    const body = await read(await ask('boss'))
    const schema = compileSchema(capabilitiesSchema, '')
    expect(schema.ok && schema.schema.matches(body)).toBe(true)
    expect(body.tool_schemas.refund).toEqual({
      input_schema: refundInput,
      output_schema: {},
      contract_version: '1.0.0',
      contract_hash: boss.entries.get('refund')?.tool.contractHash,
      dialect: '2020-12',
    })
    expect(body).toEqual(JSON.parse(JSON.stringify(capabilitiesOf(boss))))
  })

  it('are for this caller alone: unknown callers learn nothing, and caches keep nothing for others', async () => {
    expect([
      (await ask(undefined)).status,
      (await ask('guest')).status,
      (await ask('boss', {}, 'POST')).status,
    ]).toEqual([401, 403, 405])
    const { headers } = await ask('boss')
    expect([headers.get('cache-control'), headers.get('vary')]).toEqual(['private, no-cache', 'authorization'])
    expect((await ask(undefined)).headers.get('www-authenticate')).toBe('Bearer')
  })

  it('are sent again only where they have changed', async () => {
    const etag = (await ask('boss')).headers.get('etag') ?? ''
    const again = await ask('boss', { 'if-none-match': `"other", W/${etag}` })
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    expect((await ask('clerk', { 'if-none-match': etag })).status).toBe(200)
    const head = await ask('boss', {}, 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('let a gate through whose side has the same tools, and stop one that has fewer', async () => {
    const options = {
      url: 'https://relay.example',
      fetch: async (url: unknown, init?: RequestInit) => handler(new Request(String(url), init)),
    }
    expect(await capabilitiesGate({ ...options, credential: 'boss', local: boss }).check()).toMatchObject({ tools: 1 })
    await expect(capabilitiesGate({ ...options, credential: 'clerk', local: boss }).check()).rejects.toMatchObject({
      tool: 'search',
    })
    await expect(capabilitiesGate({ ...options, credential: 'guest', local: boss }).check()).rejects.toMatchObject({
      code: 'unauthorized',
    })
  })
})
