// Checked by the compiler: what protect asks for, and what the SDK still infers from the tools that come back.
import {
  dynamicTool,
  generateText,
  type InferUITools,
  jsonSchema,
  type LanguageModel,
  streamText,
  type ToolSet,
  tool,
} from 'ai'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { Proviso } from '../index.ts'
import { type CallRefusal, type EffectSettings, isRefusal, protect } from './ai-sdk.ts'

declare const proviso: Proviso
declare const model: LanguageModel

const searchOrders = tool({
  description: 'Finds orders.',
  inputSchema: z.object({ text: z.string(), limit: z.number().default(10) }),
  execute: async ({ text, limit }) => ({ orders: [{ id: text, rank: limit }] }),
})
const refund = tool({
  description: 'Refunds a charge.',
  inputSchema: z.object({ chargeId: z.string(), amount: z.number() }),
  execute: async ({ chargeId }) => `refunded ${chargeId}`,
})
const askUser = tool({
  description: 'Asks the user, in the browser.',
  inputSchema: z.object({ question: z.string() }),
  outputSchema: z.string(),
})
const lookUp = tool({
  description: 'Looks something up for a tenant.',
  inputSchema: z.object({ id: z.string() }),
  contextSchema: z.object({ shard: z.number() }),
  execute: async ({ id }, { context }) => ({ id, shard: context.shard }),
})

test('Settings see the input type of their own tool', () => {
  protect(
    proviso,
    { searchOrders, refund },
    {
      searchOrders: 'READ_ONLY',
      refund: {
        effect: 'CRITICAL_MUTATION',
        operation: ['/chargeId'],
        consequence: (args) => {
          expectTypeOf(args).toEqualTypeOf<{ chargeId: string; amount: number }>()
          return `Refund ${args.amount} EUR`
        },
        rules: [
          {
            id: 'small',
            message: 'At most 500 EUR.',
            check: (args, { tenant }) => {
              expectTypeOf(args.amount).toEqualTypeOf<number>()
              expectTypeOf(tenant).toEqualTypeOf<string>()
              return args.amount <= 500
            },
          },
        ],
        verify: async (args) => {
          expectTypeOf(args.chargeId).toEqualTypeOf<string>()
          return { status: 'verified' }
        },
      },
    },
    { tenant: 'acme', user: 'ann', run: 'chat-1' },
  )
})

test('Every tool needs an effect, and only an effect that exists', () => {
  // @ts-expect-error: refund has none
  protect(proviso, { searchOrders, refund }, { searchOrders: 'READ_ONLY' })
  // @ts-expect-error: there is no such class
  protect(proviso, { refund }, { refund: 'WRITE' })
  // @ts-expect-error: settings without an effect
  protect(proviso, { refund }, { refund: { operation: ['/chargeId'] } })
  // @ts-expect-error: there is no such tool
  protect(proviso, { refund }, { refund: 'READ_ONLY', refnd: 'READ_ONLY' })
  // @ts-expect-error: the name comes from the tool set
  protect(proviso, { refund }, { refund: { effect: 'READ_ONLY', name: 'other' } })
})

test('Only a tool that does not run here may stay unprotected', () => {
  protect(proviso, { askUser }, { askUser: 'unprotected' })
  // @ts-expect-error: refund runs here
  protect(proviso, { refund }, { refund: 'unprotected' })
})

test('The context cannot carry what belongs to one call', () => {
  // @ts-expect-error: one operation for all calls would make them one call
  protect(proviso, { refund }, { refund: 'MEDIUM_RISK_WRITE' }, { run: 'chat-1', operationId: 'x' })
})

test('generateText takes the protected tools and infers inputs and outputs from them', async () => {
  const tools = protect(
    proviso,
    { searchOrders, refund, askUser },
    { searchOrders: 'READ_ONLY', refund: 'MEDIUM_RISK_WRITE', askUser: 'unprotected' },
    { run: 'chat-1' },
  )
  expectTypeOf(tools.askUser).toEqualTypeOf(askUser)
  const { toolCalls, toolResults } = await generateText({ model, tools, prompt: 'hello' })
  for (const call of toolCalls) {
    if (!call.dynamic && call.toolName === 'refund') {
      expectTypeOf(call.input).toEqualTypeOf<{ chargeId: string; amount: number }>()
    }
  }
  for (const result of toolResults) {
    if (result.dynamic) continue
    if (result.toolName === 'searchOrders') {
      expectTypeOf(result.output).toEqualTypeOf<{ orders: { id: string; rank: number }[] } | CallRefusal>()
      if (!isRefusal(result.output)) expectTypeOf(result.output.orders[0]?.rank).toEqualTypeOf<number | undefined>()
    }
    if (result.toolName === 'refund') {
      expectTypeOf(result.output).toEqualTypeOf<string | CallRefusal>()
      if (isRefusal(result.output)) expectTypeOf(result.output.effect).toEqualTypeOf<CallRefusal['effect']>()
      else expectTypeOf(result.output).toEqualTypeOf<string>()
    }
  }
  streamText({ model, tools, prompt: 'hello', activeTools: ['refund'], toolApproval: { refund: 'user-approval' } })
  type Shown = InferUITools<typeof tools>
  expectTypeOf<Shown['refund']['input']>().toEqualTypeOf<{ chargeId: string; amount: number }>()
  expectTypeOf<Shown['refund']['output']>().toEqualTypeOf<string | CallRefusal>()
})

test('A context schema is still demanded of the code that generates', async () => {
  const tools = protect(proviso, { lookUp }, { lookUp: 'READ_ONLY' })
  await generateText({ model, tools, prompt: 'hello', toolsContext: { lookUp: { shard: 3 } } })
  // @ts-expect-error: the shard is a number
  await generateText({ model, tools, prompt: 'hello', toolsContext: { lookUp: { shard: 'three' } } })
})

test('Tools known only at run time are taken as they are', async () => {
  const found: ToolSet = {}
  const effects: Record<string, EffectSettings | 'READ_ONLY' | 'unprotected'> = {}
  const tools = protect(proviso, found, effects)
  await generateText({ model, tools, prompt: 'hello' })
  const raw = dynamicTool({
    description: 'From a server.',
    inputSchema: jsonSchema({ type: 'object', properties: {}, additionalProperties: false }),
    execute: async () => ({}),
  })
  const one = protect(
    proviso,
    { raw },
    { raw: { effect: 'READ_ONLY', rules: [{ id: 'r', message: 'x', check: (args) => typeof args === 'object' }] } },
  )
  await generateText({ model, tools: one, prompt: 'hello' })
})
