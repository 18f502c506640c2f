// A model that says what its script says, step by step: the AI SDK's own mock, with less to write.
import { MockLanguageModelV4 } from 'ai/test'

export interface ScriptedCall {
  readonly tool: string
  /** An object, or the very text that the model emits. */
  readonly input: object | string
  readonly id?: string
}

/** One step: what the model says, or the calls it makes. Once the script is over it says "Done." */
export type ScriptedStep = string | readonly ScriptedCall[]

type Result = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>

export function scriptedModel(...script: readonly ScriptedStep[]): MockLanguageModelV4 {
  let at = 0
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const step = at
      at += 1
      return resultOf(script[step] ?? 'Done.', step)
    },
  })
}

function resultOf(step: ScriptedStep, number: number): Result {
  const calls = typeof step === 'string' ? [] : step
  return {
    content:
      typeof step === 'string'
        ? [{ type: 'text', text: step }]
        : calls.map((call, index) => callPart(call, `call-${number}-${index}`)),
    finishReason: { unified: calls.length === 0 ? 'stop' : 'tool-calls', raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  }
}

function callPart({ tool, input, id }: ScriptedCall, fallback: string): Result['content'][number] {
  return {
    type: 'tool-call',
    toolCallId: id ?? fallback,
    toolName: tool,
    input: typeof input === 'string' ? input : JSON.stringify(input),
  }
}
