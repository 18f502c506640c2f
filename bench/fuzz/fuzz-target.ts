// What is fuzzed: every subject as a read-only tool and as one that writes, behind one Proviso on the memory ledger.
// Invariant: neither rate nor budget ever decides, and the target knows what its executors got.
import { type Answer, defineTool, openProviso, type ToolSource } from '../../src/index.ts'
import type { JsonObject } from '../../src/json/value.ts'
import { memory } from '../../src/ledger/index.ts'
import type { Plant } from './plants.ts'
import type { Subject } from './subjects.ts'

export interface Shot {
  readonly answer: Answer
  /** The arguments that reached the executor; undefined where none was reached. */
  readonly reached: { readonly args: unknown } | undefined
  readonly ms: number
}

export interface FuzzTarget {
  /** Throws what the call throws. `run` is undefined for a read. */
  call(tool: unknown, args: unknown, run: string | undefined): Promise<Shot>
  close(): Promise<void>
}

const limitless = 1_000_000_000

/** The tool that writes stands beside the one that reads. */
export const writerOf = (name: string): string => `${name}.write`

export async function openTarget(subjects: readonly Subject[], plant: Plant | undefined): Promise<FuzzTarget> {
  let reached: Shot['reached']
  let turns = 0
  const source = (name: string, effect: 'READ_ONLY' | 'MEDIUM_RISK_WRITE', schema: JsonObject): ToolSource =>
    defineTool({
      name,
      description: 'A tool that is fuzzed.',
      effect,
      input: plant?.register?.(schema) ?? schema,
      // Some subjects are open on purpose, which a strict binding would refuse.
      strict: false,
      trusted: true,
      rate: { windowSec: 1, maxRequests: limitless },
      execute: (args: unknown) => {
        reached = { args }
        return { done: true }
      },
    })
  const proviso = await openProviso({
    ledger: memory(),
    budgets: { read: limitless, write: limitless },
    tools: subjects.flatMap(({ name, schema }) => [
      source(name, 'READ_ONLY', schema),
      source(writerOf(name), 'MEDIUM_RISK_WRITE', schema),
    ]),
  })
  return {
    async call(tool, args, run) {
      reached = undefined
      // Of this thread's own time: what others take of a shared machine is no fault of a call.
      const started = process.threadCpuUsage()
      // The name was drawn: what TypeScript forbids, a model still sends.
      // Each in a turn of its own: what is drawn is no model that repeats itself.
      const turn = String(turns++)
      const context = run === undefined ? { turn } : { turn, run }
      const answer = await proviso.call({ tool: tool as string, arguments: args }, context)
      const planted = plant?.answer?.(answer) ?? answer
      const { user, system } = process.threadCpuUsage(started)
      return { answer: planted, reached, ms: (user + system) / 1_000 }
    },
    close: () => proviso.close(),
  }
}
