// AI SDK 7, run with the SDK's own mock model: what the model is shown, what reaches a tool, and what comes back.
import { execFileSync } from 'node:child_process'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import {
  asSchema,
  dynamicTool,
  generateText,
  type InferUITools,
  isStepCount,
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
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type ScriptedStep, scriptedModel } from '../../examples/scripted-model.ts'
import { currentExecution, isRefusal, protect } from '../../src/adapters/ai-sdk.ts'
import { type Fault, openProviso, type Proviso, type ProvisoOptions } from '../../src/index.ts'

let opened: Proviso | undefined
async function open(options?: ProvisoOptions): Promise<Proviso> {
  opened = await openProviso(options)
  return opened
}
afterEach(async () => {
  await opened?.close()
  opened = undefined
})

const context = { user: 'ann', run: 'chat-1' }
const input = z.object({ chargeId: z.string(), amount: z.number().positive() })
const good = { chargeId: 'ch_1', amount: 20 }

function refundTool() {
  const execute = vi.fn(async ({ chargeId, amount }: z.infer<typeof input>) => ({ refunded: amount, of: chargeId }))
  return { execute, refund: tool({ description: 'Refunds a charge.', inputSchema: input, execute }) }
}

/** Runs a script and gives, for every step, what the model was told about its calls. */
async function converse<Tools extends ToolSet>(tools: Tools, ...script: readonly ScriptedStep[]) {
  const model = scriptedModel(...script)
  const result = await generateText({
    model,
    tools,
    prompt: 'Go.',
    stopWhen: isStepCount(script.length + 1),
  } as Parameters<typeof generateText<Tools>>[0])
  const told = (model.doGenerateCalls.at(-1)?.prompt ?? []).flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
      : [],
  )
  const outputs: unknown[] = result.steps.flatMap((step) => step.toolResults.map((part) => part.output))
  return { model, result, told, outputs }
}

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

describe('a call that is admitted', () => {
  it("returns the tool's own value, the very same object [library-value-unchanged]", async () => {
    const value = { orders: [1, 2], at: new Date(0) }
    const find = tool({ description: 'Finds.', inputSchema: z.object({}), execute: async () => value })
    const { outputs, told } = await converse(protect(await open(), { find }, { find: 'READ_ONLY' }), [
      { tool: 'find', input: {} },
    ])
    expect(outputs[0]).toBe(value)
    expect(told).toEqual([{ type: 'json', value: { orders: [1, 2], at: '1970-01-01T00:00:00.000Z' } }])
  })

  it('shows the model texts, nothing and other values as the SDK shows them', async () => {
    const values: unknown[] = ['text', undefined, null, [1], 7]
    const make = () => {
      let at = 0
      return {
        next: tool({
          description: 'Next.',
          inputSchema: z.object({ n: z.number() }),
          execute: async () => values[at++],
        }),
      }
    }
    const script = values.map((_, n) => [{ tool: 'next', input: { n } }])
    const plain = await converse(make(), ...script)
    const guarded = await converse(protect(await open(), make(), { next: 'READ_ONLY' }), ...script)
    expect(guarded.told).toEqual(plain.told)
  })

  it('reaches execute with what the schema library made of the arguments', async () => {
    const execute = vi.fn(async () => 'ok')
    const book = tool({
      description: 'Books.',
      inputSchema: z.object({ day: z.iso.date().transform((text) => new Date(text)), seats: z.number().default(1) }),
      execute,
    })
    await converse(protect(await open(), { book }, { book: 'MEDIUM_RISK_WRITE' }, context), [
      { tool: 'book', input: { day: '2026-11-15' } },
    ])
    expect(execute.mock.calls).toEqual([[{ day: new Date('2026-11-15'), seats: 1 }, expect.anything()]])
  })

  it("gets the SDK's options as they are, but for a signal that ends with either side", async () => {
    const seen: unknown[] = []
    const sandboxed = tool({
      description: 'Looks.',
      inputSchema: z.object({}),
      contextSchema: z.object({ shard: z.number() }),
      execute: async (_, options) => {
        seen.push(options)
        return options.context.shard
      },
    })
    const tools = protect(await open(), { sandboxed }, { sandboxed: 'READ_ONLY' })
    const result = await generateText({
      model: scriptedModel([{ tool: 'sandboxed', input: {}, id: 'c-9' }]),
      tools,
      prompt: 'Go.',
      toolsContext: { sandboxed: { shard: 3 } },
    })
    expect(result.toolResults[0]?.output).toBe(3)
    expect(seen).toEqual([
      expect.objectContaining({
        toolCallId: 'c-9',
        context: { shard: 3 },
        messages: [expect.objectContaining({ role: 'user' })],
        abortSignal: expect.any(AbortSignal),
      }),
    ])
  })

  it('keeps the options of calls that run side by side apart', async () => {
    const ids: string[] = []
    let release: () => void = () => undefined
    const both = new Promise<void>((resolve) => {
      release = resolve
    })
    const look = tool({
      description: 'Looks.',
      inputSchema: z.object({ n: z.number() }),
      execute: async ({ n }, { toolCallId }) => {
        ids.push(`${n} ${toolCallId}`)
        if (ids.length === 2) release()
        await both
        return `${n} ${toolCallId}`
      },
    })
    const { outputs } = await converse(protect(await open(), { look }, { look: 'READ_ONLY' }), [
      { tool: 'look', input: { n: 1 }, id: 'a' },
      { tool: 'look', input: { n: 2 }, id: 'b' },
    ])
    expect(outputs).toEqual(['1 a', '2 b'])
  })

  it('runs as a method of its own tool, and can hand its idempotency key to a provider', async () => {
    const keys: unknown[] = []
    const pay = {
      description: 'Pays.',
      inputSchema: input,
      account: 'main',
      async execute() {
        await Promise.resolve()
        keys.push(currentExecution()?.idempotencyKey)
        return this.account
      },
    }
    const { outputs } = await converse(protect(await open(), { pay }, { pay: 'MEDIUM_RISK_WRITE' }, context), [
      { tool: 'pay', input: good },
    ])
    expect(outputs).toEqual(['main'])
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
    expect(currentExecution()).toBeUndefined()
  })

  it('ends when the caller goes away, and says that the effect is unknown', async () => {
    const caller = new AbortController()
    const signals: (AbortSignal | undefined)[] = []
    const slow = tool({
      description: 'Takes its time.',
      inputSchema: input,
      execute: (_, { abortSignal }) => {
        signals.push(abortSignal)
        caller.abort()
        return new Promise<string>(() => undefined)
      },
    })
    const { slow: guarded } = protect(await open(), { slow }, { slow: 'MEDIUM_RISK_WRITE' }, context)
    const output = await guarded.execute(good, {
      toolCallId: 'c',
      messages: [],
      context: {},
      abortSignal: caller.signal,
    })
    expect(output).toMatchObject({ error: 'UNKNOWN_ERROR', effect: 'unknown', next_action: 'await_resolution' })
    expect(signals[0]?.aborted).toBe(true)
  })
})

describe('arguments that are wrong', () => {
  it('are answered field by field, reach no tool, and can be repaired in the next step', async () => {
    const { refund, execute } = refundTool()
    const { told, outputs } = await converse(
      protect(await open(), { refund }, { refund: 'MEDIUM_RISK_WRITE' }, context),
      [{ tool: 'refund', input: { chargeId: 'ch_1', amount: '20' } }],
      [{ tool: 'refund', input: good }],
    )
    expect(told).toEqual([
      {
        type: 'error-json',
        value: {
          error: 'TYPE_MISMATCH',
          effect: 'none',
          next_action: 'repair_arguments',
          field_errors: [{ field: 'amount', message: expect.stringContaining('without quotes') }],
        },
      },
      { type: 'json', value: { refunded: 20, of: 'ch_1' } },
    ])
    expect(outputs.map(isRefusal)).toEqual([true, false])
    expect(execute).toHaveBeenCalledTimes(1)
  })

  it('are refused for a raw JSON Schema too, which the SDK alone would execute', async () => {
    const execute = vi.fn(async () => 'ok')
    const inputSchema = jsonSchema<{ n: number }>({
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
      additionalProperties: false,
    })
    const raw = dynamicTool({ description: 'Raw.', inputSchema, execute })
    const { outputs } = await converse(protect(await open(), { raw }, { raw: 'READ_ONLY' }), [
      { tool: 'raw', input: { n: 1.5, x: 1 } },
    ])
    expect(outputs).toMatchObject([{ error: 'STRUCTURAL_VIOLATION' }])
    expect(execute).not.toHaveBeenCalled()
  })

  it('include an object that was written as a text', async () => {
    const { refund, execute } = refundTool()
    const { outputs } = await converse(protect(await open(), { refund }, { refund: 'MEDIUM_RISK_WRITE' }, context), [
      { tool: 'refund', input: JSON.stringify(JSON.stringify(good)) },
    ])
    expect(outputs).toMatchObject([{ error: 'TYPE_MISMATCH', effect: 'none' }])
    expect(execute).not.toHaveBeenCalled()
  })

  it('that are no JSON at all are answered by the SDK, and nothing runs', async () => {
    const { refund, execute } = refundTool()
    const proviso = await open()
    const { told } = await converse(protect(proviso, { refund }, { refund: 'MEDIUM_RISK_WRITE' }, context), [
      { tool: 'refund', input: '{"chargeId": "ch_1", "amount": 20' },
    ])
    expect(told).toEqual([{ type: 'error-text', value: expect.stringContaining('JSON parsing failed') }])
    expect(execute).not.toHaveBeenCalled()
    expect(await proviso.calls.list()).toEqual([])
  })

  it('are not put before a person by a tool that asks for approval', async () => {
    const asked = vi.fn(() => true)
    const announced = vi.fn()
    const { execute } = refundTool()
    const refund = tool({
      description: 'Refunds.',
      inputSchema: input.extend({ note: z.string().default('-') }),
      needsApproval: asked,
      onInputAvailable: ({ input: read }) => announced(read),
      execute,
    })
    const tools = protect(await open(), { refund }, { refund: 'MEDIUM_RISK_WRITE' }, context)
    const { result, outputs } = await converse(
      tools,
      [{ tool: 'refund', input: { chargeId: 1 } }],
      [{ tool: 'refund', input: good }],
    )
    expect(outputs).toMatchObject([{ error: 'STRUCTURAL_VIOLATION' }])
    expect(result.content.map((part) => part.type)).toContain('tool-approval-request')
    expect(asked.mock.calls).toEqual([[{ ...good, note: '-' }, expect.anything()]])
    expect(announced.mock.calls).toEqual([[{ ...good, note: '-' }]])
  })
})

describe('the same call again', () => {
  it('executes once in one run, under whatever id the model repeats it [same-arguments-once-per-run]', async () => {
    const { refund, execute } = refundTool()
    const call = { tool: 'refund', input: good }
    const tools = protect(await open(), { refund }, { refund: 'MEDIUM_RISK_WRITE' }, context)
    const { told } = await converse(tools, [call], [call], [call])
    expect(execute).toHaveBeenCalledTimes(1)
    expect(told).toEqual(Array(3).fill({ type: 'json', value: { refunded: 20, of: 'ch_1' } }))
  })

  it('executes once when it is made twice in one step [concurrent-duplicates-once]', async () => {
    const { refund, execute } = refundTool()
    const call = { tool: 'refund', input: good }
    const { outputs } = await converse(protect(await open(), { refund }, { refund: 'MEDIUM_RISK_WRITE' }, context), [
      call,
      call,
    ])
    expect(execute).toHaveBeenCalledTimes(1)
    expect(outputs).toEqual([
      { refunded: 20, of: 'ch_1' },
      { refunded: 20, of: 'ch_1' },
    ])
  })

  it('is answered from the record when a request protects its tools anew', async () => {
    const proviso = await open()
    const { execute } = refundTool()
    const call = { tool: 'refund', input: good, id: 'call-7' }
    for (let request = 0; request < 2; request++) {
      const refund = tool({ description: 'Refunds a charge.', inputSchema: input, execute })
      const tools = protect(
        proviso,
        { refund },
        { refund: { effect: 'LOW_RISK_INTERNAL', resource: '/chargeId' } },
        context,
      )
      expect((await converse(tools, [call])).outputs).toEqual([{ refunded: 20, of: 'ch_1' }])
    }
    expect(execute).toHaveBeenCalledTimes(1)
  })
})

describe('a call that needs a person', () => {
  it('waits, tells the model so, and executes once after the approval [approval-executes-once]', async () => {
    const proviso = await open()
    const { refund, execute } = refundTool()
    const tools = protect(
      proviso,
      { refund },
      {
        refund: {
          effect: 'HIGH_RISK_EXTERNAL',
          consequence: ({ amount }) => `Refund ${amount} EUR.`,
          verify: () => ({ status: 'verified' }),
        },
      },
      context,
    )
    const call = { tool: 'refund', input: good }
    const waiting = await converse(tools, [call], [call])
    const [first, second] = waiting.outputs
    expect(first).toEqual({
      error: 'CONFIRMATION_MISSING',
      effect: 'pending',
      next_action: 'await_approval',
      message: expect.stringMatching(/Nothing was done.*tell the user and stop\.$/),
      approval_id: expect.stringMatching(/^appr_/),
    })
    expect(second).toEqual(first)
    expect(waiting.told[0]).toEqual({ type: 'error-json', value: first })

    const [request] = await proviso.approvals.list({ status: 'pending' })
    expect(request?.packet).toMatchObject({ consequence: 'Refund 20 EUR.', arguments: good })
    await proviso.approvals.approve(isRefusal(first) ? (first.approval_id ?? '') : '', { by: 'bob' })
    const done = await converse(tools, [call], [call])
    expect(done.outputs).toEqual([
      { refunded: 20, of: 'ch_1' },
      { refunded: 20, of: 'ch_1' },
    ])
    expect(execute).toHaveBeenCalledTimes(1)
  })

  it('runs the tool of the request that repeats it, whoever protected an equal or a newer one since', async () => {
    const proviso = await open()
    const settings = { effect: 'HIGH_RISK_EXTERNAL', verify: () => ({ status: 'verified' as const }) } as const
    const protectFor = (user: string, request: string, description = 'Sends.') => {
      const mail = tool({ description, inputSchema: input, execute: async () => request })
      return protect(proviso, { mail }, { mail: settings }, { user, run: `chat of ${user}` })
    }
    const ask = async (tools: ReturnType<typeof protectFor>, amount: number) =>
      (await converse(tools, [{ tool: 'mail', input: { ...good, amount } }])).outputs[0]
    const first = protectFor('ann', 'first request of ann')
    const waiting = [await ask(first, 1), await ask(first, 2)]
    for (const refusal of waiting) {
      await proviso.approvals.approve(isRefusal(refusal) ? (refusal.approval_id ?? '') : '', { by: 'carl' })
    }
    protectFor('bob', 'request of bob')
    expect(await ask(first, 1)).toBe('first request of ann')
    expect(await ask(protectFor('ann', 'second request of ann', 'Sends a mail.'), 2)).toBe('second request of ann')
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

  it('is a tool without an effect', async () => {
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

  it('is whatever registration refuses', async () => {
    expect(
      await fault((proviso) => protect(proviso, { refund }, { refund: 'CRITICAL_MUTATION' }, context)),
    ).toMatchObject({
      code: 'registration_refused',
      message: expect.stringContaining('critical-on-ephemeral-ledger'),
    })
  })
})
