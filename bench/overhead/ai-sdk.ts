// The tool loop of the AI SDK with a scripted model: it parses, does not validate a plain JSON Schema, executes, records nothing.
// `steps`: one call per model turn, as an agent makes them. `parallel`: all calls in one turn, the least the loop can cost.
import { generateText, isStepCount, jsonSchema, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import type { Contender } from './contender.ts'
import { countItems, type Order, orderSchema } from './order-payload.ts'

/** Setting up one generateText is shared by so many tool calls. */
export const callsPerLoop = 10

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

export function aiSdk(shape: 'steps' | 'parallel'): Contender {
  let executed = 0
  const tools = {
    count_items: tool({
      description: 'Counts the items of an order.',
      inputSchema: jsonSchema<Order>(orderSchema),
      execute: (order) => {
        executed++
        return countItems(order)
      },
    }),
  }
  const perTurn = shape === 'steps' ? 1 : callsPerLoop

  const loop = async (texts: readonly string[]): Promise<void> => {
    let next = 0
    const model = new MockLanguageModelV4({
      doGenerate: async () => {
        const turn = texts.slice(next, next + perTurn)
        const first = next
        next += turn.length
        if (turn.length === 0) {
          return {
            content: [{ type: 'text', text: 'done' }],
            finishReason: { unified: 'stop', raw: undefined },
            usage,
            warnings: [],
          }
        }
        return {
          content: turn.map((input, index) => ({
            type: 'tool-call' as const,
            toolCallId: `call_${first + index}`,
            toolName: 'count_items',
            input,
          })),
          finishReason: { unified: 'tool-calls', raw: undefined },
          usage,
          warnings: [],
        }
      },
    })
    await generateText({ model, tools, prompt: 'Count.', stopWhen: isStepCount(texts.length + 1) })
  }

  return {
    name: shape === 'steps' ? 'ai_sdk' : 'ai_sdk_parallel',
    async run(texts) {
      executed = 0
      for (let at = 0; at < texts.length; at += callsPerLoop) await loop(texts.slice(at, at + callsPerLoop))
      if (executed !== texts.length) throw new Error(`The loop ran ${executed} of ${texts.length} calls`)
    },
  }
}
