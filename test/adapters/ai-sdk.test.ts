// Calls that come through AI SDK 7, made by the SDK's own mock model: what reaches a tool, and what the model is told.
import { dynamicTool, generateText, isStepCount, jsonSchema, tool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { scriptedModel } from '../../examples/scripted-model.ts'
import { currentExecution, isHalted, isRefusal, protect } from '../../src/adapters/ai-sdk.ts'
import { approveAs } from '../people.ts'
import { context, converse, good, input, open, refundTool } from './conversation.ts'

describe('a model that repeats itself', () => {
  it('ends the loop of the SDK where the host says so [repairs-are-bounded]', async () => {
    const { refund, execute } = refundTool()
    const tools = protect(await open(), { refund }, { refund: 'MEDIUM_RISK_WRITE' }, context)
    const wrong = [{ tool: 'refund', input: { chargeId: 'ch_1', amount: -1 } }]
    const model = scriptedModel(...Array(20).fill(wrong))
    const { steps } = await generateText({ model, tools, prompt: 'Go.', stopWhen: [isStepCount(20), isHalted] })
    const outputs = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output))
    expect(outputs).toMatchObject([{ error: 'OUT_OF_BOUNDS' }, { error: 'OUT_OF_BOUNDS', halt: true }])
    expect(outputs.every(isRefusal)).toBe(true)
    expect(execute).not.toHaveBeenCalled()
  })
})

describe('a call that is admitted', () => {
  it("returns the tool's own value, in a copy that no other code holds [library-value-unchanged]", async () => {
    const value = { orders: [1, 2], at: new Date(0) }
    const find = tool({ description: 'Finds.', inputSchema: z.object({}), execute: async () => value })
    const { outputs, told } = await converse(protect(await open(), { find }, { find: 'READ_ONLY' }), [
      { tool: 'find', input: {} },
    ])
    expect(outputs[0]).toEqual(value)
    expect(outputs[0]).not.toBe(value)
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

  it('loses nulls that a dialect made the model write, where its context names that dialect [null-for-optional-undone]', async () => {
    const execute = vi.fn(async () => 'ok')
    const inputSchema = z.strictObject({ id: z.string(), note: z.string().optional() })
    const plain = { mark: tool({ description: 'Marks an order.', inputSchema, execute }) }
    const said = { tool: 'mark', input: { id: 'o-1', note: null } }
    const effects = { mark: 'MEDIUM_RISK_WRITE' } as const
    const proviso = await open()
    const { outputs } = await converse(protect(proviso, plain, effects, context), [said])
    expect([isRefusal(outputs[0]), execute.mock.calls.length]).toEqual([true, 0])
    await converse(protect(proviso, plain, effects, { ...context, dialect: 'openai' }), [said])
    expect(execute.mock.calls).toEqual([[{ id: 'o-1' }, expect.anything()]])
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
  it('are answered field by field, reach no tool, and can be repaired in the next step [TC-095, TC-191, TC-417, DR-19, DR-20, DR-26, VD-02, VD-10, VD-11, EP-25]', async () => {
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

  it('are refused for a raw JSON Schema too, which the SDK alone would execute [TC-028, DR-21, VD-01]', async () => {
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
  it('executes once in one run, under any id with which the model repeats it [same-arguments-once-per-run]', async () => {
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
    expect(request?.packet).toMatchObject({ consequence: 'Refund 20 EUR.', requester: { user: 'ann' } })
    await approveAs(proviso, isRefusal(first) ? (first.approval_id ?? '') : '', 'bob')
    const done = await converse(tools, [call], [call])
    expect(done.outputs).toEqual([
      { refunded: 20, of: 'ch_1' },
      { refunded: 20, of: 'ch_1' },
    ])
    expect(execute).toHaveBeenCalledTimes(1)
  })

  it('runs the tool of the request that repeats it, also when an equal one was protected since, and asks anew for another contract', async () => {
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
      await approveAs(proviso, isRefusal(refusal) ? (refusal.approval_id ?? '') : '', 'carl')
    }
    protectFor('bob', 'request of bob')
    expect(await ask(first, 1)).toBe('first request of ann')
    const newer = await ask(protectFor('ann', 'third request of ann', 'Sends a mail.'), 2)
    expect(newer).toMatchObject({ error: 'CONFIRMATION_MISSING', effect: 'pending' })
    expect(await ask(protectFor('ann', 'second request of ann'), 2)).toBe('second request of ann')
  })
})
