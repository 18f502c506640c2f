// What a model is told of a wrong proposal: one structured object, complete, for every keyword and at any depth, whatever a description,
// a strict mode or a relay may have let it believe.
import { describe, expect, it } from 'vitest'
import { capabilitiesGate } from '../../src/drift/capabilities/gate.ts'
import { defineTool, type JsonObject, openProviso } from '../../src/index.ts'
import { http } from '../../src/public/executors.ts'
import { localServer } from '../execute/local-server.ts'
import { classOf, context, counted, open, order } from './bench-desk.ts'

const reading = (input: JsonObject) => {
  const reached: unknown[] = []
  const tool = defineTool({
    name: 'read_v1',
    description: 'Reads.',
    effect: 'READ_ONLY',
    input,
    execute: (args) => void reached.push(args),
  })
  return { tool, reached }
}

async function refused(input: JsonObject, args: JsonObject) {
  const { tool, reached } = reading(input)
  const answer = await (await openProviso({ tools: [tool] })).call({ tool: 'read_v1', arguments: args })
  expect(reached).toEqual([])
  return { class: classOf(answer), errors: answer.feedback?.field_errors ?? [] }
}

describe('feedback', () => {
  it('is one object of six members, with four for each field [TC-093, TC-094]', async () => {
    const proviso = await open(counted('READ_ONLY').source)
    const answer = await proviso.call(order('c1', { order_id: 5, amount: 'many' }), context)
    expect(answer.feedback).toEqual({
      validation_status: 'failed',
      error_code: 'TYPE_MISMATCH',
      repairable: true,
      retryable: false,
      next_action: 'repair_arguments',
      field_errors: ['amount', 'order_id'].map((field) => ({
        field,
        expected: expect.stringMatching(/\S/),
        actual: expect.stringMatching(/\S/),
        message: expect.stringMatching(/\S/),
      })),
    })
    expect(JSON.stringify(answer.feedback)).not.toMatch(/at .*\.ts:\d+/)
  })

  it.each<[string, JsonObject, unknown, RegExp]>([
    ['a number', { type: 'integer', maximum: 5 }, 6, /at most 5|to 5/],
    ['a text', { type: 'string', maxLength: 3 }, 'long', /3/],
    ['a list of values', { enum: ['low', 'high'] }, 'medium', /"low", "high"/],
    ['a date', { type: 'string', format: 'date' }, 'tomorrow', /date/],
    ['a count', { type: 'array', maxItems: 1 }, [1, 2], /1/],
  ])('names the bound or the allowed values of %s [TC-298]', async (_, schema, value, expected) => {
    const input = { type: 'object', properties: { a: schema }, additionalProperties: false }
    const { class: name, errors } = await refused(input, { a: value as never })
    expect([name, errors.map(({ field }) => field)]).toEqual(['OUT_OF_BOUNDS', ['a']])
    expect(errors[0]?.expected).toMatch(expected)
  })

  it.each<[string, JsonObject, JsonObject]>([
    ['additionalProperties', { additionalProperties: false }, { more: 1 }],
    ['pattern', { properties: { a: { pattern: '^[a-z]+$' } } }, { a: 'A1' }],
    ['a length', { properties: { a: { type: 'string', minLength: 2 } } }, { a: 'x' }],
    ['a range', { properties: { a: { type: 'number', exclusiveMinimum: 0 } } }, { a: 0 }],
  ])('refuses what breaks %s, at the top and within [VD-09]', async (_, schema, args) => {
    const top = { type: 'object', ...schema }
    expect((await refused(top, args)).errors).toHaveLength(1)
    const within = { type: 'object', properties: { list: { type: 'array', items: top } } }
    const { errors } = await refused(within, { list: [args] })
    expect(errors.map(({ field }) => field.startsWith('list[0]'))).toEqual([true])
  })

  it('names a place ten levels down [VD-08]', async () => {
    let schema: JsonObject = { type: 'object', properties: { end: { type: 'integer' } }, additionalProperties: false }
    let args: JsonObject = { end: 'text' }
    for (let level = 0; level < 9; level++) {
      schema = { type: 'object', properties: { next: schema }, additionalProperties: false }
      args = { next: args }
    }
    const { class: name, errors } = await refused(schema, args)
    expect([name, errors.map(({ field }) => field)]).toEqual(['TYPE_MISMATCH', [`${'next.'.repeat(9)}end`]])
  })

  it('is the same, whatever a description, a use case or an example promises [TC-027, TC-057]', async () => {
    const granting = counted('MEDIUM_RISK_WRITE', {
      description: 'Everything is permitted here, for everyone, without validation and without approval.',
      useWhen: ['anything at all'],
      scopes: ['orders:write'],
      confirm: true,
    })
    const plain = counted('MEDIUM_RISK_WRITE', { scopes: ['orders:write'], confirm: true })
    const outcomes = async ({ source, seen }: ReturnType<typeof counted>) => {
      const proviso = await open(source)
      const may = { ...context, scopes: ['orders:write'] }
      const answers = [
        await proviso.call(order('c1', { order_id: 5 }), may),
        await proviso.call(order('c2'), context),
        await proviso.call(order('c3'), may),
      ]
      const [shown] = (await proviso.surface(may)).format('openai').tools
      expect(JSON.stringify(shown)).not.toMatch(
        /orders:write|side_effect_class|required_scopes|transactional|idempotency/,
      )
      return [answers.map(classOf), answers.map(({ feedback }) => feedback?.field_errors[0]?.expected), seen.length]
    }
    const plainly = await outcomes(plain)
    expect(await outcomes(granting)).toEqual(plainly)
    expect(plainly[0]).toEqual(['TYPE_MISMATCH', 'PERMISSION_DENIED', 'CONFIRMATION_MISSING'])
  })

  it('comes for what a strict mode would let through [TC-075]', async () => {
    const { source, seen } = counted('READ_ONLY')
    const proviso = await open(source)
    const strictly = { ...context, dialect: 'openai' }
    // All properties are there and of their types, as the strict mode makes sure; the bounds are known here alone.
    const args = { order_id: 'o-1', amount: 5_000, note: null }
    const answer = await proviso.call(order('c1', args), strictly as typeof context)
    expect([classOf(answer), answer.feedback?.field_errors.map(({ field }) => field)]).toEqual([
      'OUT_OF_BOUNDS',
      ['amount'],
    ])
    expect(seen).toHaveLength(0)
  })
})

describe('a status of HTTP', () => {
  it('that may be repaired comes of a 400, and a time to wait of a 409, where the contract says so [TC-317]', async () => {
    let status = 400
    await using server = await localServer((_seen, response) =>
      response.writeHead(status, { 'retry-after': '3' }).end(),
    )
    const tool = defineTool({
      name: 'order_v1',
      description: 'Orders.',
      effect: 'MEDIUM_RISK_WRITE',
      input: { type: 'object', properties: { order_id: { type: 'string' } }, additionalProperties: false },
      trusted: true,
      egress: 'allowlisted_domains',
      egressDomains: ['127.0.0.1'],
      connections: { loopback: true, ports: [server.port] },
      errors: { http_409: 'RATE_LIMITED' },
      recovery: { horizonMs: 0 },
      executor: http({ method: 'POST', url: `${server.origin}/orders`, json: true, withoutEffect: [400, 409] }),
    })
    const proviso = await openProviso({ tools: [tool] })
    const first = await proviso.call(order('c1', { order_id: 'a' }), context)
    expect([classOf(first), first.effect, first.response.repairable]).toEqual(['SEMANTIC_INVALIDITY', 'none', true])
    status = 409
    const second = await proviso.call(order('c2', { order_id: 'b' }), context)
    expect([classOf(second), second.effect, second.response.retryable, second.retryAfterMs]).toEqual([
      'RATE_LIMITED',
      'none',
      true,
      3_000,
    ])
    await proviso.close()
  })
})

describe('validation', () => {
  it('stops what a relay that could not be checked has let a model believe [DR-15]', async () => {
    await using server = await localServer((_seen, response) => response.writeHead(404).end())
    const { source, seen } = counted('MEDIUM_RISK_WRITE')
    const proviso = await open(source)
    const local = await proviso.surface(context)
    const gate = capabilitiesGate({ url: server.origin, credential: 'of-ada', local, onWarning: () => undefined })
    expect(await gate.check()).toEqual({ checked: false, why: 'old_relay' })
    // The relay takes texts for amounts, and a property that is unknown here.
    const drifted = await proviso.call(order('c1', { order_id: 'o-1', amount: '12', currency: 'EUR' }), context)
    expect([classOf(drifted), drifted.feedback?.field_errors.map(({ field }) => field).toSorted()]).toEqual([
      'STRUCTURAL_VIOLATION',
      ['amount', 'currency'],
    ])
    expect(seen).toHaveLength(0)
  })
})
