// What the tests of the AI SDK's adapter share: a Proviso per test, a tool that refunds, and a scripted conversation.
import { generateText, isStepCount, type ToolSet, tool } from 'ai'
import { afterEach, vi } from 'vitest'
import { z } from 'zod'
import { type ScriptedStep, scriptedModel } from '../../examples/scripted-model.ts'
import { openProviso, type Proviso, type ProvisoOptions } from '../../src/index.ts'
import { people } from '../people.ts'

let opened: Proviso | undefined
export async function open(options?: ProvisoOptions): Promise<Proviso> {
  opened = await openProviso({ identity: people, ...options })
  return opened
}
afterEach(async () => {
  await opened?.close()
  opened = undefined
})

export const context = { user: 'ann', run: 'chat-1' }
export const input = z.object({ chargeId: z.string(), amount: z.number().positive() })
export const good = { chargeId: 'ch_1', amount: 20 }

export function refundTool() {
  const execute = vi.fn(async ({ chargeId, amount }: z.infer<typeof input>) => ({ refunded: amount, of: chargeId }))
  return { execute, refund: tool({ description: 'Refunds a charge.', inputSchema: input, execute }) }
}

/** Runs a script and gives, for every step, what the model was told about its calls. */
export async function converse<Tools extends ToolSet>(tools: Tools, ...script: readonly ScriptedStep[]) {
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
