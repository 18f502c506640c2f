// The gate of a session against a real HTTP server: what stops it, what it is only warned of, and how often it asks.
import { afterEach, describe, expect, it } from 'vitest'
import { compileSchema } from '../../src/contract/tool/compile-tool.ts'
import {
  CapabilitiesContractError,
  SchemaDriftError,
  UnsupportedCloudToolSchema,
} from '../../src/drift/capabilities/errors.ts'
import { type CapabilitiesGateOptions, capabilitiesGate } from '../../src/drift/capabilities/gate.ts'
import { manualClock } from '../../src/json/clock.ts'
import type { JsonObject, JsonValue } from '../../src/json/value.ts'
import { type Answer, type LocalServer, localServer } from '../execute/local-server.ts'
import { refundInput, surfaceOf } from './local-tools.ts'

const local = surfaceOf([{ name: 'refund', input: refundInput }])
const servers: LocalServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]()
})

interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | JsonValue
}

const answering =
  (reply: () => Reply): Answer =>
  (_, response) => {
    const { status = 200, headers = {}, body = '' } = reply()
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
  }

const envelope = (tools: Readonly<Record<string, JsonValue>>, version: JsonValue = '1.0.0'): JsonObject => ({
  capabilities_version: version,
  tool_schemas: Object.fromEntries(Object.entries(tools).map(([name, schema]) => [name, { input_schema: schema }])),
})

const changed = (change: JsonObject): JsonObject => ({
  ...refundInput,
  properties: { ...(refundInput.properties as JsonObject), ...change },
})

async function gateTo(answer: Answer | (() => Reply), options: Partial<CapabilitiesGateOptions> = {}) {
  const server = await localServer(answer.length === 0 ? answering(answer as () => Reply) : (answer as Answer))
  servers.push(server)
  const warnings: string[] = []
  const clock = manualClock()
  const make = (more: Partial<CapabilitiesGateOptions> = {}) =>
    capabilitiesGate({
      url: server.origin,
      credential: 'secret-of-ada',
      local,
      clock,
      onWarning: (warning) => warnings.push(warning),
      ...options,
      ...more,
    })
  return { server, warnings, clock, gate: make(), make }
}

const failure = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a relay whose schemas fit', () => {
  it('lets the session through, and is asked with its credential at the named path', async () => {
    const { gate, server, warnings } = await gateTo(() => ({ body: envelope({ refund: refundInput }) }))
    expect(await gate.check()).toEqual({ checked: true, version: '1.0.0', tools: 1 })
    const [asked] = server.seen
    expect([asked?.method, asked?.url, asked?.headers.authorization]).toEqual([
      'GET',
      '/v1/agent/capabilities',
      'Bearer secret-of-ada',
    ])
    expect(warnings).toEqual([])
  })

  it.each([
    ['a tighter range', changed({ amount: { type: 'integer', minimum: 5, maximum: 10 } })],
    ['a stricter pattern', changed({ charge_id: { type: 'string', pattern: '^ch_[a-z]{1,20}$' } })],
    ['fewer values', changed({ reason: { const: 'fraud' } })],
    ['no type, because arguments are an object anyway', { ...refundInput, type: ['object', 'null'] }],
  ])('may be narrower: %s [DR-05]', async (_, schema) => {
    const { gate } = await gateTo(() => ({ body: envelope({ refund: schema }) }))
    expect(await gate.check()).toMatchObject({ checked: true })
  })

  it('may say more than is known here, in a later minor version [DR-12, DR-52]', async () => {
    const body = { ...envelope({ refund: refundInput }, '1.7.0'), documents: true }
    const { gate } = await gateTo(() => ({ body }))
    expect(await gate.check()).toMatchObject({ checked: true, version: '1.7.0' })
  })
})

describe('a relay that is broader than this side [broader-remote-stops-the-session]', () => {
  it.each([
    ['leaves a required argument optional', { ...refundInput, required: ['charge_id'] }, ''],
    ['has a type that is refused here', changed({ amount: { type: ['integer', 'string'] } }), '/amount'],
    ['has a value that is refused here', changed({ reason: { enum: ['duplicate', 'fraud', 'other'] } }), '/reason'],
    ['has an argument that is unknown here', changed({ note: { type: 'string' } }), ''],
    ['is not closed', { ...refundInput, additionalProperties: true }, ''],
    ['has a wider range', changed({ amount: { type: 'integer', minimum: 0, maximum: 10_000 } }), '/amount'],
  ])('stops the session with a call that shows it: it %s [DR-06 to DR-09, DR-31]', async (_, schema, pointer) => {
    const { gate, warnings } = await gateTo(() => ({ body: envelope({ refund: schema }) }))
    const error = await failure(gate.check())
    expect(error).toBeInstanceOf(SchemaDriftError)
    const drift = error as SchemaDriftError
    expect(drift.tool).toBe('refund')
    expect(drift.pointer.startsWith(pointer)).toBe(true)
    expect(drift.message).toContain('refund(')
    const [remote, own] = [schema, refundInput].map((one) => compileSchema(one, ''))
    if (!remote?.ok || !own?.ok || drift.witness === undefined) throw new Error('There is no witness to check.')
    expect([remote.schema.matches(drift.witness), own.schema.matches(drift.witness)]).toEqual([true, false])
    expect(warnings).toEqual([])
  })

  it('stops it for a tool that nothing here executes, with an example of a call [DR-10, DR-31]', async () => {
    const { gate } = await gateTo(() => ({ body: envelope({ refund: refundInput, wire_money: refundInput }) }))
    const error = await failure(gate.check())
    expect(error).toBeInstanceOf(SchemaDriftError)
    expect(error).toMatchObject({ tool: 'wire_money', witness: { charge_id: expect.any(String) } })
  })

  it('stops it for a tool that is blocked here, or not for this caller', async () => {
    const tools = [
      { name: 'refund', input: refundInput, roles: ['boss'] },
      { name: 'void', input: refundInput },
    ]
    const withheld = surfaceOf(tools, new Map([['void', 'not today']]))
    const { gate } = await gateTo(() => ({ body: envelope({ refund: refundInput, void: refundInput }) }), {
      local: withheld,
    })
    expect(await failure(gate.check())).toMatchObject({ name: 'SchemaDriftError', count: 2 })
  })

  it('names every tool that drifts, and stops again at the next check until the relay is repaired', async () => {
    let schema: JsonObject = { ...refundInput, required: [] }
    const { gate, server } = await gateTo(() => ({ body: envelope({ refund: schema, other: {} }) }))
    expect(await failure(gate.check())).toMatchObject({ count: 2, drifts: [{ tool: 'refund' }, { tool: 'other' }] })
    expect(await failure(gate.check())).toBeInstanceOf(SchemaDriftError)
    schema = refundInput
    expect(await failure(gate.check())).toMatchObject({ count: 1, tool: 'other' })
    expect(server.seen).toHaveLength(3)
  })

  it('goes on stopping it when the relay can no longer be reached', async () => {
    let down = false
    const { gate, warnings } = await gateTo(() => (down ? { status: 503 } : { body: envelope({ refund: {} }) }))
    expect(await failure(gate.check())).toBeInstanceOf(SchemaDriftError)
    down = true
    expect(await failure(gate.check())).toBeInstanceOf(SchemaDriftError)
    expect(warnings).toEqual([])
  })
})

describe('a drift that was seen', () => {
  it.each([
    ['a refused credential', [{ status: 401 }, { status: 503 }]],
    ['an address that is gone', [{ status: 404 }]],
    ['an instance from before the envelope', [{ body: { documents: true } }]],
    ['all of these', [{ status: 404 }, { status: 401 }, { body: {} }, { status: 403 }, { status: 500 }]],
  ] as const)('is not forgotten over %s [broader-remote-stops-the-session]', async (_, replies) => {
    const last: Reply = { body: envelope({ refund: refundInput }) }
    const script: Reply[] = [{ body: envelope({ refund: {} }) }, ...replies, last]
    const { gate, warnings, clock } = await gateTo(() => script.shift() ?? last)
    expect(await failure(gate.check())).toBeInstanceOf(SchemaDriftError)
    for (const reply of replies as readonly Reply[]) {
      const expected = reply.status === 401 || reply.status === 403 ? CapabilitiesContractError : SchemaDriftError
      expect(await failure(gate.check())).toBeInstanceOf(expected)
      clock.advance(15_000)
    }
    expect(await gate.check()).toMatchObject({ checked: true })
    expect(warnings).toEqual([])
  })

  it('lets sessions through again where what was last seen fits, and is warned of', async () => {
    const script: Reply[] = [{ body: envelope({ refund: refundInput }) }, { status: 401 }, { status: 404 }]
    const { gate, warnings, clock } = await gateTo(() => script.shift() ?? { status: 404 })
    expect(await gate.check()).toMatchObject({ checked: true })
    clock.advance(300_000)
    expect(await failure(gate.check())).toBeInstanceOf(CapabilitiesContractError)
    expect(await gate.check()).toEqual({ checked: false, why: 'old_relay' })
    expect(warnings).toHaveLength(1)
  })
})

describe('a relay whose schemas cannot be compared [unprovable-remote-stops-the-session]', () => {
  it.each([
    ['a reference to somewhere else', { $ref: 'https://example.com/schema.json' }],
    ['a keyword that is misused', { type: 'object', properties: { amount: { type: 'money' } } }],
    ['a pattern that is none', changed({ charge_id: { type: 'string', pattern: '(' } })],
  ])('stops the session: %s [DR-32]', async (_, schema) => {
    const { gate } = await gateTo(() => ({ body: envelope({ refund: schema }) }))
    const error = await failure(gate.check())
    expect(error).toBeInstanceOf(UnsupportedCloudToolSchema)
    expect(error).toMatchObject({ tool: 'refund', construct: expect.any(String), reason: expect.any(String) })
  })

  it('stops it for an unknown dialect', async () => {
    const body = {
      capabilities_version: '1.0.0',
      tool_schemas: { refund: { input_schema: refundInput, dialect: 'draft-99' } },
    }
    const { gate } = await gateTo(() => ({ body }))
    expect(await failure(gate.check())).toMatchObject({ name: 'UnsupportedCloudToolSchema', construct: 'dialect' })
  })
})

describe('a relay that answers with something else [broken-relay-stops-the-session]', () => {
  it.each<readonly [string, Reply, string]>([
    ['no JSON', { body: '<html>Log in</html>' }, 'malformed'],
    ['nothing', { body: '' }, 'malformed'],
    ['a list', { body: [] }, 'malformed'],
    [
      'a key that stands there twice',
      { body: '{"capabilities_version":"1.0.0","capabilities_version":"1.0.0"}' },
      'malformed',
    ],
    ['schemas without a version', { body: { tool_schemas: {} } }, 'malformed'],
    ['a version without schemas', { body: { capabilities_version: '1.0.0' } }, 'malformed'],
    ['a version that is none', { body: envelope({}, 1) }, 'malformed'],
    ['a tool that is none', { body: { capabilities_version: '1.0.0', tool_schemas: { refund: 7 } } }, 'malformed'],
    ['a tool without a schema', { body: { capabilities_version: '1.0.0', tool_schemas: { refund: {} } } }, 'malformed'],
    [
      'a tool called __proto__',
      { body: '{"capabilities_version":"1.0.0","tool_schemas":{"__proto__":{}}}' },
      'malformed',
    ],
    ['bytes that are not UTF-8', { headers: { 'x-bytes': 'bad' }, body: '\u00ff' }, 'malformed'],
    ['a newer major version', { body: envelope({ refund: refundInput }, '2.0.0') }, 'newer_version'],
    ['a refused credential', { status: 401 }, 'unauthorized'],
    ['a credential that may not', { status: 403 }, 'unauthorized'],
    ['a redirect', { status: 307, headers: { location: 'https://example.com/' } }, 'unexpected_status'],
    ['no content', { status: 204 }, 'unexpected_status'],
    ['a bad request', { status: 400 }, 'unexpected_status'],
  ])('stops the session: %s', async (_, reply, code) => {
    const { gate, warnings } = await gateTo((_seen, response) => {
      const { status = 200, headers = {}, body = '' } = reply
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      response.writeHead(status, headers).end(Buffer.from(text, headers['x-bytes'] === undefined ? 'utf8' : 'latin1'))
    })
    const error = await failure(gate.check())
    expect(error).toBeInstanceOf(CapabilitiesContractError)
    expect(error).toMatchObject({ code, message: expect.stringMatching(/Nothing was sent to a model\.$/) })
    expect(warnings).toEqual([])
  })

  it('is not kept: the next check asks again', async () => {
    let status = 401
    const { gate, server } = await gateTo(() => ({ status, body: envelope({ refund: refundInput }) }))
    expect(await failure(gate.check())).toBeInstanceOf(CapabilitiesContractError)
    status = 200
    expect(await gate.check()).toMatchObject({ checked: true })
    expect(server.seen).toHaveLength(2)
  })

  it('never shows the credential', async () => {
    const { gate } = await gateTo(() => ({ status: 403, body: 'secret-of-ada' }))
    expect(String(await failure(gate.check()))).not.toContain('secret-of-ada')
  })
})

describe('a relay that cannot be checked [unreachable-relay-is-warned-of-once]', () => {
  const degradations: readonly (readonly [string, Answer, string])[] = [
    ['older than the envelope', answering(() => ({ body: { documents: true } })), 'old_relay'],
    ['without the address', answering(() => ({ status: 404 })), 'old_relay'],
    ['down', answering(() => ({ status: 503 })), 'unreachable'],
    ['busy', answering(() => ({ status: 429 })), 'unreachable'],
    ['that hangs up', (_, response) => response.destroy(), 'unreachable'],
    ['that never answers', () => undefined, 'unreachable'],
    ['that stops in the middle', (_, response) => response.writeHead(200).write('{"capab'), 'unreachable'],
  ]
  it.each(degradations)('lets the session through with one warning: %s [DR-13, DR-14]', async (_, answer, why) => {
    const { gate, make, warnings } = await gateTo((seen, response, request) => void answer(seen, response, request), {
      timeoutMs: 300,
    })
    expect(await gate.check()).toEqual({ checked: false, why })
    expect(await gate.check()).toEqual({ checked: false, why })
    expect(await make().check()).toEqual({ checked: false, why })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).not.toContain('secret-of-ada')
  })

  it('lets it through where no server listens at all', async () => {
    const { gate, server, warnings } = await gateTo(() => ({}))
    await server[Symbol.asyncDispose]()
    expect(await gate.check()).toEqual({ checked: false, why: 'unreachable' })
    expect(warnings[0]).toContain('ECONNREFUSED')
  })

  it('is asked again after a while, without another warning, and checked as soon as it answers', async () => {
    let status = 503
    const { gate, server, warnings, clock } = await gateTo(() => ({ status, body: envelope({ refund: refundInput }) }))
    await gate.check()
    await gate.check()
    expect(server.seen).toHaveLength(1)
    clock.advance(15_000)
    await gate.check()
    expect([server.seen.length, warnings.length]).toEqual([2, 1])
    status = 200
    clock.advance(15_000)
    expect(await gate.check()).toMatchObject({ checked: true })
    status = 503
    clock.advance(300_000)
    await gate.check()
    expect(warnings).toHaveLength(2)
  })

  it('counts as unreachable when a fetch of its own does not listen to its signal', async () => {
    const { gate } = await gateTo(() => ({}), { fetch: () => new Promise(() => undefined), timeoutMs: 50 })
    expect(await gate.check()).toEqual({ checked: false, why: 'unreachable' })
  })
})

describe('many sessions [one-probe-for-many-sessions]', () => {
  it('make one request among a hundred that begin at once, each with a gate of its own [DR-03]', async () => {
    const { make, server } = await gateTo(() => ({ body: envelope({ refund: refundInput }) }))
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => make().check()))
    expect(outcomes.every(({ checked }) => checked)).toBe(true)
    expect(server.seen).toHaveLength(1)
  })

  it('all stop together where it drifts, and are warned once where it is down', async () => {
    let reply: Reply = { body: envelope({ refund: {} }) }
    const { make, server, warnings, clock } = await gateTo(() => reply)
    const errors = await Promise.all(Array.from({ length: 100 }, () => failure(make().check())))
    expect(errors.every((error) => error instanceof SchemaDriftError)).toBe(true)
    expect(server.seen).toHaveLength(1)
    clock.advance(300_000)
    reply = { body: envelope({ refund: refundInput }) }
    await make().check()
    clock.advance(300_000)
    reply = { status: 404 }
    await Promise.all(Array.from({ length: 100 }, () => make().check()))
    expect([server.seen.length, warnings.length]).toEqual([3, 1])
  })

  it('of different callers ask for themselves, and the same caller asks again after its time', async () => {
    const { make, server, clock } = await gateTo(() => ({
      headers: { etag: '"1"' },
      body: envelope({ refund: refundInput }),
    }))
    await make().check()
    await make({ credential: async () => 'secret-of-bob' }).check()
    await make().check()
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer secret-of-ada',
      'Bearer secret-of-bob',
    ])
    clock.advance(300_000)
    await make().check()
    expect(server.seen.at(-1)?.headers['if-none-match']).toBe('"1"')
  })

  it('refuse a credential that no header line can hold', async () => {
    const { make } = await gateTo(() => ({}))
    await expect(make({ credential: 'a\r\nb: c' }).check()).rejects.toThrow(/without spaces/)
    await expect(make({ credential: '' }).check()).rejects.toThrow(/without spaces/)
  })
})
