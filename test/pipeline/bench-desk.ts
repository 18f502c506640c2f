// What the pipeline tests work on: tools that count what they do, and short ways to call them.
import { expect } from 'vitest'
import { observationSchema } from '../../src/contract/call/observation.ts'
import { compileSchema } from '../../src/contract/tool/compile-tool.ts'
import {
  type Answer,
  type CallContext,
  defineTool,
  type EffectClass,
  openProviso,
  type Proposal,
  type Proviso,
  type ProvisoOptions,
  type ToolDefinition,
  type ToolSource,
} from '../../src/index.ts'
import { phases } from '../../src/pipeline/phases/phase-summary.ts'
import { approveAs, people } from '../people.ts'

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

type Extras = Partial<Extract<ToolDefinition<typeof orderInput, Record<string, never>>, { execute: unknown }>>

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
    // It returns what it was given; tests of labels say otherwise.
    trusted: true,
    ...rest,
    execute: (args, context) => {
      seen.push({ args, key: context.idempotencyKey })
      return execute === undefined ? { done: args.order_id } : execute(args, context)
    },
  })
  return { source, seen }
}

export const context: CallContext = { tenant: 'acme', user: 'ann', run: 'run-1' }

/** Opens a Proviso whose every call is held to what is promised of all: a closed observation, declared reasons, a faithful replay. */
export async function open(
  source: ToolSource | readonly ToolSource[],
  options: Omit<ProvisoOptions, 'tools'> = {},
): Promise<Proviso> {
  const proviso = await openProviso({ tools: 'contract' in source ? [source] : source, identity: people, ...options })
  const held = async (answer: Answer): Promise<Answer> => {
    expect(observations.explain(JSON.parse(JSON.stringify(answer.observation)), [])).toEqual([])
    await checkRecord(proviso, answer)
    return answer
  }
  return {
    ...proviso,
    call: async (proposal, where) => held(await proviso.call(proposal, where)),
    async callAll(proposals, where, how) {
      const answers = await proviso.callAll(proposals, where, how)
      for (const answer of answers) await held(answer)
      return answers
    },
  }
}

const compiled = compileSchema(observationSchema, '')
if (!compiled.ok) throw new Error('The observation schema is broken')
const observations = compiled.schema

async function checkRecord(proviso: Proviso, answer: Answer): Promise<void> {
  const { call_id } = answer.observation.tool_identity
  const record = await proviso.calls.get(call_id)
  // A call that the ledger lost, or whose other passes are under way, has no record to compare with yet.
  if (record === undefined) return
  for (const { phase, verdict } of await proviso.calls.facts(call_id)) {
    if (verdict.kind !== 'stop' || verdict.reason === 'internal_error') continue
    const row = phases.find((entry) => entry.name === phase)
    const declared = row?.stops_with.filter((entry) => entry.class === verdict.class).flatMap((entry) => entry.reasons)
    expect([phase, verdict.class, declared]).toEqual([phase, verdict.class, expect.arrayContaining([verdict.reason])])
  }
  expect((await proviso.calls.replay(call_id)).flatMap((replay) => replay.divergences)).toEqual([])
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

/** A proposal for a tool of any name; its id is its order, unless told otherwise. */
export const named = (tool: string, id: string, args: object = { order_id: id }): Proposal => ({
  tool,
  arguments: args,
  callId: id,
})

export const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Asks, has a person agree, and asks again. */
export async function approved(proviso: Proviso, proposal: Proposal): Promise<Answer> {
  const asked = await proviso.call(proposal, context)
  await approveAs(proviso, asked.approval?.id ?? '', 'boss')
  return proviso.call(proposal, context)
}
