// What the pipeline tests work on: tools that count what they do, and short ways to call them.

import type { ProvisoOptions } from '../../src/index.ts'
import {
  type Answer,
  type CallContext,
  defineTool,
  type EffectClass,
  openProviso,
  type ToolDefinition,
  type ToolSource,
} from '../../src/index.ts'

const orderInput = {
  type: 'object',
  properties: {
    order_id: { type: 'string', maxLength: 40 },
    amount: { type: 'integer', minimum: 1, maximum: 1000 },
    note: { type: 'string' },
  },
  required: ['order_id'],
  additionalProperties: false,
} as const

type Extras = Partial<ToolDefinition<typeof orderInput, Record<string, never>>>

export interface CountedTool {
  readonly source: ToolSource
  readonly seen: { readonly args: unknown; readonly key: string | undefined }[]
}

/** A tool that remembers every execution; `extras` override any part of its definition. */
export function counted(effect: EffectClass, extras: Extras = {}): CountedTool {
  const seen: { args: unknown; key: string | undefined }[] = []
  const { execute, ...rest } = extras
  const source = defineTool({
    name: 'order_v1',
    description: 'Handles one order.',
    effect,
    input: orderInput,
    ...rest,
    execute: (args, context) => {
      seen.push({ args, key: context.idempotencyKey })
      return execute === undefined ? { done: args.order_id } : execute(args, context)
    },
  })
  return { source, seen }
}

export const context: CallContext = { tenant: 'acme', user: 'ann', run: 'run-1' }

export async function open(source: ToolSource | readonly ToolSource[], options: Omit<ProvisoOptions, 'tools'> = {}) {
  return openProviso({ tools: 'contract' in source ? [source] : source, ...options })
}

export const classOf = (answer: Answer) => answer.observation.status.taxonomy_class
export const reasonOf = (answer: Answer) => answer.observation.result_payload.errors[0]?.code
export const warningsOf = (answer: Answer) =>
  answer.observation.result_payload.warnings.map((warning) => warning.split(':')[0])
export const isReplay = (answer: Answer) => answer.observation.execution_metadata.idempotency_hit
export const order = (callId: string | undefined, args: unknown = { order_id: 'o-1' }) => ({
  tool: 'order_v1',
  arguments: args,
  ...(callId === undefined ? {} : { callId }),
})
