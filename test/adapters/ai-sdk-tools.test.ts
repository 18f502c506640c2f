// Tools of AI SDK 7 before and after they are protected: what the model is shown, and what else they say of themselves.
import { execFileSync } from 'node:child_process'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import {
  asSchema,
  generateText,
  type InferUITools,
  jsonSchema,
  simulateReadableStream,
  streamText,
  type ToolSet,
  tool,
  type UIMessage,
  validateUIMessages,
  zodSchema,
} from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { type } from 'arktype'
import { Schema } from 'effect'
import * as v from 'valibot'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { scriptedModel } from '../../examples/scripted-model.ts'
import { isRefusal, protect } from '../../src/adapters/ai-sdk.ts'
import type { Fault, Proviso } from '../../src/index.ts'
import { context, converse, open, refundTool } from './conversation.ts'

describe('what the model is shown', () => {
  const schemas: Readonly<Record<string, ToolSet[string]['inputSchema']>> = {
    zod: z
      .object({
        to: z.email().describe('Who gets it'),
        cents: z.coerce.number().int().min(1),
        tags: z.array(z.enum(['a', 'b'])).default([]),
      })
      .describe('A mail'),
    valibot: toStandardJsonSchema(v.object({ to: v.pipe(v.string(), v.minLength(3)), note: v.optional(v.string()) })),
    arktype: type({ to: 'string > 2', 'note?': 'string' }),
    effect: Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Schema.Struct({ to: Schema.String }))),
    'JSON Schema': jsonSchema({
      type: 'object',
      properties: { to: { type: 'string' } },
      required: ['to'],
      additionalProperties: false,
    }),
    zodSchema: zodSchema(z.object({ to: z.string() }).strict()),
    'a function that makes it': () => zodSchema(z.object({ to: z.string() })),
  }

  it.each(Object.entries(schemas))('is the same JSON Schema and description with %s', async (_, inputSchema) => {
    const plain = { send: tool({ description: 'Sends it.', strict: true, inputSchema, execute: () => 'sent' }) }
    const tools = protect(await open(), plain, { send: 'READ_ONLY' })
    const [first, second] = [scriptedModel(), scriptedModel()]
    await generateText({ model: first, tools: plain, prompt: 'Go.' })
    await generateText({ model: second, tools, prompt: 'Go.' })
    expect(second.doGenerateCalls[0]?.tools).toEqual(first.doGenerateCalls[0]?.tools)
    expect(first.doGenerateCalls[0]?.tools).toMatchObject([{ name: 'send', inputSchema: { type: 'object' } }])
  })

  it('comes about without loading the SDK', () => {
    const script = `
      import { registerHooks } from 'node:module'
      registerHooks({ resolve(name, context, next) {
        if (/^(ai|@ai-sdk|zod)(\\/|$)/.test(name)) throw new Error('loads ' + name)
        return next(name, context)
      } })
      const { protect } = await import('./src/adapters/ai-sdk.ts')
      console.log(typeof protect)`
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    expect(printed.trim()).toBe('function')
  })
})

describe('a tool that streams', () => {
  const count = tool({
    description: 'Counts.',
    inputSchema: z.object({ to: z.number().max(5) }),
    async *execute({ to }) {
      for (let n = 1; n <= to; n++) yield n
    },
  })

  it('has its preliminary results handed on, as the SDK does', async () => {
    const stream = async (tools: { count: typeof count } | ReturnType<typeof guard>, to: number) => {
      const model = new MockLanguageModelV4({
        doStream: async () => ({
          stream: simulateReadableStream({
            chunks: [
              { type: 'tool-call', toolCallId: 'c', toolName: 'count', input: JSON.stringify({ to }) },
              {
                type: 'finish',
                finishReason: { unified: 'tool-calls', raw: undefined },
                usage: {
                  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
                  outputTokens: { total: 1, text: 1, reasoning: 0 },
                },
              },
            ],
          }),
        }),
      })
      const parts: unknown[] = []
      for await (const part of streamText({ model, tools: tools as { count: typeof count }, prompt: 'Go.' }).stream) {
        if (part.type === 'tool-result') parts.push([part.preliminary ?? false, part.output])
      }
      return parts
    }
    const proviso = await open()
    const guard = () => protect(proviso, { count }, { count: 'READ_ONLY' })
    const plain = await stream({ count }, 3)
    expect(plain).toEqual([
      [true, 1],
      [true, 2],
      [true, 3],
      [false, 3],
    ])
    expect(await stream(guard(), 3)).toEqual(plain)
    expect(await stream(guard(), 9)).toMatchObject([
      [true, { error: 'OUT_OF_BOUNDS' }],
      [false, { error: 'OUT_OF_BOUNDS' }],
    ])
  })

  it('gives its last value where the stream comes from a plain function, and on a replay', async () => {
    const execute = vi.fn(({ to }: { to: number }) =>
      count.execute({ to }, { toolCallId: '', messages: [], context: {} }),
    )
    const wrapped = tool({ description: 'Counts.', inputSchema: z.object({ to: z.number() }), execute })
    const call = { tool: 'wrapped', input: { to: 2 } }
    const { outputs } = await converse(
      protect(await open(), { wrapped }, { wrapped: 'MEDIUM_RISK_WRITE' }, context),
      [call],
      [call],
    )
    expect(outputs).toEqual([2, 2])
    expect(execute).toHaveBeenCalledTimes(1)
  })
})

describe('what a tool says of itself', () => {
  it('keeps its own way of showing a result, and refusals pass its output schema', async () => {
    const find = tool({
      description: 'Finds.',
      inputSchema: z.object({ text: z.string().transform((text) => text.toUpperCase()) }),
      outputSchema: z.object({ hits: z.number() }),
      execute: async () => ({ hits: 2 }),
      toModelOutput: ({ input: { text }, output }) => ({ type: 'text', value: `${text}: ${output.hits}` }),
    })
    const tools = protect(await open(), { find }, { find: 'READ_ONLY' })
    const { told, outputs } = await converse(
      tools,
      [{ tool: 'find', input: { text: 'a' } }],
      [{ tool: 'find', input: {} }],
    )
    expect(told).toMatchObject([{ type: 'text', value: 'A: 2' }, { type: 'error-json' }])
    const part = (output: unknown) => ({
      type: 'tool-find',
      toolCallId: 'c',
      state: 'output-available',
      input: {},
      output,
    })
    const stored = (output: unknown) =>
      validateUIMessages<UIMessage<unknown, never, InferUITools<typeof tools>>>({
        messages: [{ id: '1', role: 'assistant', parts: [part(output)] }],
        tools,
      })
    await expect(stored(JSON.parse(JSON.stringify(outputs[1])))).resolves.toHaveLength(1)
    await expect(stored({ hits: 'many' })).rejects.toThrow()
    expect(await asSchema(tools.find.outputSchema).jsonSchema).toEqual(await asSchema(find.outputSchema).jsonSchema)
  })

  it('is held to: a result outside its output schema happened, and is not repeated', async () => {
    const execute = vi.fn(async () => ({ hits: 'many' as unknown as number }))
    const find = tool({
      description: 'Finds.',
      inputSchema: z.object({}),
      outputSchema: z.object({ hits: z.number() }),
      execute,
    })
    const call = { tool: 'find', input: {} }
    const { outputs } = await converse(
      protect(await open(), { find }, { find: 'MEDIUM_RISK_WRITE' }, context),
      [call],
      [call],
    )
    expect(outputs).toMatchObject([
      { error: 'OBSERVATION_NORMALIZATION_FAIL', effect: 'happened', next_action: 'accept_effect' },
      { error: 'OBSERVATION_NORMALIZATION_FAIL', effect: 'happened' },
    ])
    expect(execute).toHaveBeenCalledTimes(1)
  })

  it('is masked before the model sees it where fields are to be redacted', async () => {
    const customer = tool({
      description: 'Reads.',
      inputSchema: z.object({}),
      execute: async () => ({ name: 'Ann', iban: 'DE02' }),
    })
    const tools = protect(await open(), { customer }, { customer: { effect: 'READ_ONLY', redact: ['/iban'] } })
    const { outputs, told } = await converse(tools, [{ tool: 'customer', input: {} }])
    expect(outputs).toMatchObject([{ name: 'Ann' }])
    expect(JSON.stringify([outputs, told])).not.toContain('DE02')
  })
})

describe('a result that looks like a refusal', () => {
  const alike = { error: 'TIMEOUT', effect: 'none', next_action: 'retry_after_delay' }

  it("is shown as the tool's own: its effect happened", async () => {
    const pay = tool({ description: 'Pays.', inputSchema: z.object({}), execute: async () => alike })
    const tools = protect(await open(), { pay }, { pay: 'MEDIUM_RISK_WRITE' }, context)
    const { told, outputs } = await converse(tools, [{ tool: 'pay', input: {} }])
    expect(told).toEqual([{ type: 'json', value: alike }])
    expect(outputs.map(isRefusal)).toEqual([false])
  })

  it("is the tool's own even where it hands on the refusal of another", async () => {
    const proviso = await open()
    const { refund } = protect(proviso, { refund: refundTool().refund }, { refund: 'MEDIUM_RISK_WRITE' }, context)
    const outer = tool({
      description: 'Refunds wrongly.',
      inputSchema: z.object({}),
      execute: async (_, options) => refund.execute({ chargeId: 'ch_1', amount: -1 }, { ...options, context: {} }),
    })
    const tools = protect(proviso, { outer }, { outer: 'MEDIUM_RISK_WRITE' }, context)
    const { told, outputs } = await converse(tools, [{ tool: 'outer', input: {} }])
    expect(told).toMatchObject([{ type: 'json', value: { error: 'OUT_OF_BOUNDS' } }])
    expect(outputs.map(isRefusal)).toEqual([false])
  })
})

describe('what is changed in place', () => {
  const asked = { tool: 'find', input: { text: 'a' } }
  const outputOf = async (tools: ToolSet) => (await converse(tools, [asked])).outputs[0]
  const findTool = () => ({
    description: 'Finds.',
    inputSchema: z.object({ text: z.string() }) as z.ZodType<unknown>,
    execute: async (): Promise<string> => 'found',
  })

  it('counts from the next protect on: settings, nested ones as well', async () => {
    const proviso = await open()
    const find = findTool()
    const settings = { effect: 'READ_ONLY' as const, scopes: [] as string[], rate: { windowSec: 60, maxRequests: 9 } }
    const protectNow = () => protect(proviso, { find }, { find: settings })
    expect(await outputOf(protectNow())).toBe('found')
    settings.scopes.push('orders:read')
    expect(await outputOf(protectNow())).toMatchObject({ error: 'PERMISSION_DENIED' })
    settings.scopes = []
    expect(await outputOf(protectNow())).toBe('found')
  })

  it('counts from the next protect on: the schema, and the execute beside it', async () => {
    const proviso = await open()
    const find = findTool()
    const before = protect(proviso, { find }, { find: 'READ_ONLY' })
    find.inputSchema = z.object({ text: z.string().min(2) })
    find.execute = async () => 'found by the new one'
    expect(await outputOf(before)).toBe('found')
    expect(await outputOf(protect(proviso, { find }, { find: 'READ_ONLY' }))).toMatchObject({ error: 'OUT_OF_BOUNDS' })
  })
})

describe('what protect refuses at once', () => {
  const { refund } = refundTool()
  const client = tool({ description: 'Asks.', inputSchema: z.object({}), outputSchema: z.string() })
  const fault = async (work: (proviso: Proviso) => unknown): Promise<Partial<Fault>> => {
    const proviso = await open()
    try {
      work(proviso)
    } catch (error) {
      return error as Fault
    }
    return {}
  }

  it('is a tool without an effect [TC-114, EP-40]', async () => {
    const named = { toString: refund }
    expect(await fault((proviso) => protect(proviso, { refund }, {} as { refund: 'READ_ONLY' }))).toMatchObject({
      code: 'bad_options',
      message: expect.stringContaining('say READ_ONLY'),
    })
    expect(await fault((proviso) => protect(proviso, named, {} as { toString: 'READ_ONLY' }))).toMatchObject({
      code: 'bad_options',
    })
    expect(
      await fault((proviso) => protect(proviso, { refund }, { refund: 'unprotected' as 'READ_ONLY' })),
    ).toMatchObject({ code: 'bad_options' })
  })

  it('is a tool that does not run here, unless it is said to be unprotected', async () => {
    expect(await fault((proviso) => protect(proviso, { client }, { client: 'READ_ONLY' }))).toMatchObject({
      code: 'bad_options',
      message: expect.stringContaining('unprotected'),
    })
    expect(protect(await open(), { client }, { client: 'unprotected' }).client).toBe(client)
  })

  it('is a tool that changes something in no run', async () => {
    expect(await fault((proviso) => protect(proviso, { refund }, { refund: 'LOW_RISK_INTERNAL' }))).toMatchObject({
      message: expect.stringContaining('run'),
    })
  })

  it('is all that registration refuses', async () => {
    expect(
      await fault((proviso) => protect(proviso, { refund }, { refund: 'CRITICAL_MUTATION' }, context)),
    ).toMatchObject({
      code: 'registration_refused',
      message: expect.stringContaining('critical-on-ephemeral-ledger'),
    })
  })
})
