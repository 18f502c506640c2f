// A surface in each provider's shape: what is written, what is proven of it, and that a call by the name that was shown finds its tool.
import { describe, expect, it } from 'vitest'
import { defineTool, type JsonObject, type ToolSource } from '../../src/index.ts'
import { providers } from '../../src/surface/dialects/dialect-table.ts'
import { dialectTables } from '../../src/surface/dialects/dialect-tables.ts'
import { classOf, context, counted, open } from '../pipeline/bench-desk.ts'

const read = (name: string, input: JsonObject): ToolSource =>
  defineTool({ name, description: `Reads ${name}.`, effect: 'READ_ONLY', input, execute: (args) => args })

const found = {
  type: 'object',
  properties: {
    id: { type: 'string', minLength: 3, description: 'Which one.' },
    limit: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
    sort: { enum: ['asc', 'desc'] },
  },
  required: ['id'],
  additionalProperties: false,
} as const satisfies JsonObject

describe('a formatted surface', () => {
  it('is in the shape and the subset of OpenAI, with nulls for what may be absent [formats-fit-the-provider] [TC-027]', async () => {
    const proviso = await open(read('find_v1', found))
    const surface = await proviso.surface(context)
    const { tools, report, table } = surface.format('openai')
    const parameters = {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'Which one. At least 3 characters.' },
        limit: { type: ['integer', 'null'], minimum: 1, maximum: 50, description: 'Default: 10.' },
        sort: { type: ['string', 'null'], enum: ['asc', 'desc', null] },
      },
      required: ['id', 'limit', 'sort'],
      additionalProperties: false,
    }
    const fn = { name: 'find_v1', description: 'Reads find_v1.', parameters, strict: true }
    expect(tools).toEqual([{ type: 'function', function: fn }])
    expect(surface.format('openai', { api: 'responses' }).tools).toEqual([{ type: 'function', ...fn }])
    expect(report).toMatchObject([
      {
        tool: 'find_v1',
        offered: 'strict',
        verdict: 'listed',
        onlyLocal: [{ pointer: '/properties/id/minLength', constraint: 'minLength' }],
      },
    ])
    expect(table).toBe(dialectTables.openai.date)
  })

  it('leaves what may be absent to be absent for Anthropic and Gemini [formats-fit-the-provider]', async () => {
    const surface = await (await open(read('find_v1', found))).surface(context)
    expect(surface.format('anthropic').tools).toEqual([
      {
        name: 'find_v1',
        description: 'Reads find_v1.',
        input_schema: {
          type: 'object',
          properties: {
            id: { type: 'string', description: 'Which one. At least 3 characters.' },
            limit: { type: 'integer', description: 'At least 1. At most 50. Default: 10.' },
            sort: { type: 'string', enum: ['asc', 'desc'] },
          },
          required: ['id'],
          additionalProperties: false,
        },
        strict: true,
      },
    ])
    expect(surface.format('gemini').tools).toEqual([
      {
        functionDeclarations: [
          {
            name: 'find_v1',
            description: 'Reads find_v1.',
            parametersJsonSchema: {
              type: 'object',
              properties: {
                id: { type: 'string', description: 'Which one. At least 3 characters.' },
                limit: { type: 'integer', minimum: 1, maximum: 50, description: 'Default: 10.' },
                sort: { type: 'string', enum: ['asc', 'desc'] },
              },
              required: ['id'],
              additionalProperties: false,
              propertyOrdering: ['id', 'limit', 'sort'],
            },
          },
        ],
      },
    ])
  })

  it('says of a tool over MCP what its contract says, not what a server claims [annotations-from-the-contract] [EP-38, EP-41]', async () => {
    const tools = [counted('MEDIUM_RISK_WRITE').source, read('find_v1', found)]
    const surface = await (await open(tools)).surface(context)
    const { tools: listed, report } = surface.format('mcp')
    expect(listed[0]).toMatchObject({
      name: 'order_v1',
      annotations: { readOnlyHint: false, destructiveHint: true },
    })
    expect(listed[1]).toMatchObject({
      name: 'find_v1',
      inputSchema: found,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    })
    expect(report.map(({ verdict }) => verdict)).toEqual(['proven', 'proven'])
  })

  it('names tools as the provider wants them, stable and without collisions, and calls by that name find them [provider-names-resolve]', async () => {
    const long = `crm.contacts.${'very_'.repeat(15)}long_v1`
    const sources = [read('crm.find_v1', found), read(long, found), read('9lives', found), read('plain_v1', found)]
    const proviso = await open(sources)
    const surface = await proviso.surface(context)
    for (const provider of providers) {
      const { report } = surface.format(provider)
      const names = report.map(({ name }) => name)
      expect(new Set(names).size).toBe(sources.length)
      expect(names).toContain('plain_v1')
      for (const { name, tool } of report) {
        expect(name).toMatch(dialectTables[provider].names.pattern)
        const answer = await proviso.call({ tool: name, arguments: { id: 'abc' } }, { ...context, dialect: provider })
        expect([classOf(answer), answer.observation.tool_identity.name]).toEqual(['SUCCESS', tool])
      }
      const again = (await (await open(sources)).surface(context)).format(provider).report.map(({ name }) => name)
      expect(again).toEqual(names)
    }
    const [first] = surface.format('openai').report
    const squatter = await open([...sources, read(first?.name ?? '', found)])
    const squatted = (await squatter.surface(context)).format('openai').report
    expect(new Set(squatted.map(({ name }) => name)).size).toBe(sources.length + 1)
    expect(squatted.find(({ tool }) => tool === 'crm.find_v1')?.name).not.toBe(first?.name)
  })

  it('offers a tool that the strict mode refuses without it, or not at all, and says why [refused-projections-say-why]', async () => {
    const refused: readonly (readonly [string, JsonObject, string, string?])[] = [
      ['headers', { type: 'object', additionalProperties: { type: 'string' } }, 'free_form_object'],
      ['anything', {}, 'untyped'],
      ['cleared', { type: ['string', 'null'] }, 'null_is_a_value'],
      [
        'either',
        {
          anyOf: [
            { type: 'object', properties: { a: { type: 'string' } } },
            { type: 'object', properties: { b: { type: 'string' } } },
          ],
        },
        'optional_in_union',
        'a may be absent and stands in a union: a null there could not be told from a value.',
      ],
      [
        'code',
        { type: 'string', enum: Array.from({ length: 1_001 }, (_, index) => `v${index}`) },
        'too_many_enum_values',
      ],
    ]
    for (const [name, schema, code, message] of refused) {
      const input = { type: 'object', properties: { [name]: schema }, additionalProperties: false }
      const surface = await (await open(read('find_v1', input))).surface(context)
      const { tools, report } = surface.format('openai')
      expect([name, report[0]?.offered, report[0]?.verdict]).toEqual([name, 'loose', 'refused'])
      expect(report[0]?.reasons.map((reason) => reason.code)).toContain(code)
      if (message !== undefined) expect(report[0]?.reasons.map((reason) => reason.message)).toContain(message)
      expect(tools).toMatchObject([{ function: { strict: false, parameters: input } }])
      expect(surface.format('openai', { refused: 'omit' })).toMatchObject({
        tools: [],
        report: [{ offered: 'omitted' }],
      })
    }
    const tree = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/node' } },
      required: ['tree'],
      additionalProperties: false,
      $defs: {
        node: {
          type: 'object',
          properties: { name: { type: 'string' }, below: { type: 'array', items: { $ref: '#/$defs/node' } } },
          required: ['name', 'below'],
          additionalProperties: false,
        },
      },
    }
    const surface = await (await open(read('tree_v1', tree))).surface(context)
    expect(surface.format('anthropic').report[0]?.reasons[0]?.code).toBe('recursion')
    expect(surface.format('gemini').report[0]?.reasons[0]?.code).toBe('recursion')
    expect(surface.format('openai').report[0]).toMatchObject({ offered: 'strict', verdict: 'proven' })
  })

  it('keeps to what one request may hold, and says which tools came too late [request-limits-are-told]', async () => {
    const many = Array.from({ length: 25 }, (_, index) =>
      read(`tool_${index}`, {
        type: 'object',
        properties: { a: { type: 'string' } },
        required: ['a'],
        additionalProperties: false,
      }),
    )
    const { report } = (await (await open(many)).surface(context)).format('anthropic')
    expect(report.filter(({ offered }) => offered === 'strict')).toHaveLength(20)
    expect(report[20]).toMatchObject({ offered: 'loose', verdict: 'proven', reasons: [{ code: 'request_limit' }] })
    const optional = (count: number, name: string) =>
      read(name, {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string' }])),
        additionalProperties: false,
      })
    const wide = await (await open([optional(20, 'a'), optional(5, 'b'), optional(4, 'c'), optional(25, 'd')])).surface(
      context,
    )
    const told = wide.format('anthropic').report
    expect(told.map(({ offered }) => offered)).toEqual(['strict', 'loose', 'strict', 'loose'])
    expect(told[3]?.reasons[0]?.code).toBe('too_many_optional')
    expect(wide.format('openai').report.every(({ offered }) => offered === 'strict')).toBe(true)
  })

  it('shows loaded tools only, and says how deferred ones are found', async () => {
    const proviso = await open(counted('READ_ONLY', { deferred: true, searchHint: 'orders and parcels' }).source)
    const early = (await proviso.surface(context)).format('openai')
    expect([early.tools, early.deferred[0]?.name]).toEqual([[], 'order_v1'])
    expect(early.deferred[0]?.hint).toContain('orders and parcels')
    await proviso.discover('parcels', context)
    expect((await proviso.surface(context)).format('openai').tools).toHaveLength(1)
  })

  it('repeats no value of a sensitive argument in a description [formats-fit-the-provider]', async () => {
    const input = {
      type: 'object',
      properties: { pin: { const: { secret: 'hunter2' }, default: { secret: 'hunter2' } } },
      additionalProperties: false,
    } as const
    const tool = defineTool({
      name: 'pin_v1',
      description: 'Takes a pin.',
      effect: 'READ_ONLY',
      input,
      sensitive: ['/pin'],
      execute: () => ({}),
    })
    const surface = await (await open(tool)).surface(context)
    expect(JSON.stringify(surface.format('gemini').tools)).not.toContain('hunter2')
  })
})
