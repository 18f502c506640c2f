// Arguments that differ only by a declared default, given or left out, are one operation. What the executor gets stays what the model sent.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool, type JsonObject } from '../../src/index.ts'
import { approveAs } from '../people.ts'
import { classOf, context, open, warningsOf } from './bench-desk.ts'

const input = {
  type: 'object',
  properties: {
    charge: { type: 'string', maxLength: 40 },
    notify: { type: 'boolean', default: true },
    unit: { $ref: '#/$defs/unit' },
    options: {
      type: 'object',
      default: {},
      properties: { speed: { enum: ['slow', 'fast'], default: 'slow' }, note: { type: 'string' } },
      additionalProperties: false,
    },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: { sku: { type: 'string' }, count: { type: 'integer', default: 1 } },
        required: ['sku'],
        additionalProperties: false,
      },
    },
  },
  $defs: { unit: { enum: ['EUR', 'USD'], default: 'EUR' } },
  required: ['charge'],
  additionalProperties: false,
} as const

async function desk(extras: object = {}) {
  const seen: JsonObject[] = []
  const tool = defineTool({
    name: 'refund',
    description: 'Refunds a charge.',
    effect: 'MEDIUM_RISK_WRITE',
    input,
    trusted: true,
    ...extras,
    execute(args) {
      seen.push(args as JsonObject)
      return { done: true }
    },
  })
  const proviso = await open(tool)
  let number = 0
  const call = (args: JsonObject, more: object = {}) =>
    proviso.call({ tool: 'refund', arguments: args, callId: `c${++number}` }, { ...context, ...more })
  return { proviso, seen, call }
}

const whole = {
  charge: 'ch_1',
  notify: true,
  unit: 'EUR',
  options: { speed: 'slow' },
  lines: [{ sku: 'a', count: 1 }],
}
const spellings: readonly JsonObject[] = [
  { charge: 'ch_1', lines: [{ sku: 'a' }] },
  whole,
  { ...whole, options: {} },
  { lines: [{ count: 1, sku: 'a' }], unit: 'EUR', charge: 'ch_1' },
  { charge: 'ch_1', notify: true, lines: [{ sku: 'a' }] },
]

describe('a default that is given and one that is left out', () => {
  it('are one operation, at any depth, and the executor gets what the model sent [defaults-are-one-operation]', async () => {
    for (const first of spellings) {
      const { seen, call } = await desk()
      expect(classOf(await call(first))).toBe('SUCCESS')
      for (const args of spellings) expect(warningsOf(await call(args))).toEqual(['deduplicated'])
      expect(seen).toEqual([first])
    }
  })

  it('are one request under a name of the caller and under pointers [defaults-are-one-operation]', async () => {
    const named = await desk()
    for (const args of spellings) expect(classOf(await named.call(args, { operationId: 'op' }))).toBe('SUCCESS')
    expect(classOf(await named.call({ ...whole, notify: false }, { operationId: 'op' }))).toBe('SIGNATURE_MISMATCH')
    expect(named.seen).toHaveLength(1)
    const pointed = await desk({ operation: ['/charge', '/unit'] })
    for (const args of spellings) expect(classOf(await pointed.call(args))).toBe('SUCCESS')
    expect(pointed.seen).toHaveLength(1)
  })

  it('differ from every other value [defaults-are-one-operation]', async () => {
    const { seen, call } = await desk()
    const others: readonly JsonObject[] = [
      { charge: 'ch_1', lines: [{ sku: 'a' }], notify: false },
      { ...whole, unit: 'USD' },
      { ...whole, options: { speed: 'fast' } },
      { ...whole, options: { speed: 'slow', note: '' } },
      { ...whole, lines: [{ sku: 'a', count: 2 }] },
      { charge: 'ch_1' },
      { charge: 'ch_1', lines: [] },
    ]
    for (const args of [whole, ...others]) expect(warningsOf(await call(args))).toEqual([])
    expect(seen).toHaveLength(others.length + 1)
  })

  it('are told apart by a default that only a library fills in [defaults-are-one-operation]', async () => {
    let made = 0
    const seen: unknown[] = []
    const tool = defineTool({
      name: 'refund',
      description: 'Refunds a charge.',
      effect: 'MEDIUM_RISK_WRITE',
      input: z.strictObject({ charge: z.string(), ticket: z.string().default(() => `t${++made}`) }),
      trusted: true,
      execute(args) {
        seen.push(args)
        return {}
      },
    })
    const proviso = await open(tool)
    const call = (args: JsonObject, callId: string) =>
      proviso.call({ tool: 'refund', arguments: args, callId }, context)
    await call({ charge: 'ch_1' }, 'c1')
    expect(warningsOf(await call({ charge: 'ch_1' }, 'c2'))).toEqual(['deduplicated'])
    // Whatever the library once printed as its default.
    for (let n = 1; n <= 4; n++)
      expect(warningsOf(await call({ charge: 'ch_1', ticket: `t${n}` }, `d${n}`))).toEqual([])
    expect(seen).toHaveLength(5)
  })

  it('are one waiting call, which the decision itself runs [defaults-are-one-operation]', async () => {
    const { proviso, seen, call } = await desk({ confirm: true })
    const asked = await call({ charge: 'ch_1' }, { resumeOnDecision: true })
    expect(asked.effect).toBe('pending')
    await approveAs(proviso, asked.approval?.id ?? '', 'bob')
    expect(seen).toEqual([{ charge: 'ch_1' }])
    expect(warningsOf(await call({ charge: 'ch_1', notify: true }))).toEqual(['deduplicated'])
    expect(seen).toHaveLength(1)
  })

  it('are two operations where it is not certain which default applies [defaults-are-one-operation]', async () => {
    const object = (properties: JsonObject): JsonObject => ({ type: 'object', additionalProperties: false, properties })
    const currency = (code: string) => object({ cur: { type: 'string', default: code } })
    const embedded = {
      $id: 'https://e.example/inner',
      ...object({ o: { $ref: '#/$defs/x' } }),
      $defs: { x: currency('EUR') },
    }
    const cases: readonly (readonly [JsonObject, JsonObject, JsonObject])[] = [
      [
        { ...object({ w: { $ref: '#/$defs/inner' } }), $defs: { x: currency('USD'), inner: embedded } },
        { w: { o: {} } },
        { w: { o: { cur: 'USD' } } },
      ],
      [
        {
          type: 'object',
          unevaluatedProperties: false,
          allOf: ['USD', 'EUR'].map((code) => ({ properties: { cur: { type: 'string', default: code } } })),
        },
        {},
        { cur: 'USD' },
      ],
      [
        {
          $schema: 'http://json-schema.org/draft-07/schema#',
          ...object({ o: { $ref: '#/definitions/x', properties: { cur: { default: 'USD' } } } }),
          definitions: { x: object({ cur: { type: 'string' } }) },
        },
        { o: {} },
        { o: { cur: 'USD' } },
      ],
      [object({ o: { anyOf: [currency('EUR'), { type: 'null' }] } }), { o: {} }, { o: { cur: 'EUR' } }],
    ]
    for (const [schema, left, given] of cases) {
      const { seen, call } = await desk({ input: schema })
      for (const args of [left, given]) expect(warningsOf(await call(args))).toEqual([])
      expect(seen).toEqual([left, given])
    }
  })

  it('are taken as given where filling them in would be endless or too much [defaults-are-one-operation]', async () => {
    const object = (properties: JsonObject): JsonObject => ({ type: 'object', additionalProperties: false, properties })
    const $defs: Record<string, JsonObject> = {
      node: object({ child: { $ref: '#/$defs/node', default: {} } }),
      n24: object({}),
    }
    for (let n = 0; n < 24; n++) {
      const next = { $ref: `#/$defs/n${n + 1}`, default: {} }
      $defs[`n${n}`] = object({ a: next, b: next })
    }
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`p${n}`, { default: 'x' }]))
    const cases: readonly (readonly [JsonObject, JsonObject])[] = [
      [{ ...object({ tree: { $ref: '#/$defs/node' } }), $defs }, { tree: {} }],
      [{ ...object({ tree: { $ref: '#/$defs/n0' } }), $defs }, { tree: {} }],
      [
        object({ list: { type: 'array', items: object(fields) } }),
        { list: Array.from({ length: 19_000 }, () => ({})) },
      ],
    ]
    for (const [schema, args] of cases) {
      const { seen, call } = await desk({ input: schema })
      expect(classOf(await call(args))).toBe('SUCCESS')
      expect(warningsOf(await call(args))).toEqual(['deduplicated'])
      expect(seen).toEqual([args])
    }
  })
})
