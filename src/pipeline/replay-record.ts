// Replays a call from its record: every pass begins as it began then, and every gate decides again.
import type { Fact } from '../contract/fact.ts'
import type { Surface } from '../contract/surface.ts'
import type { Tool } from '../contract/tool.ts'
import type { ReadLimits } from '../json/refusal.ts'
import type { CallRecord } from '../ledger/ledger.ts'
import type { Deps } from './deps.ts'
import { findAgain, openCall, resumedContext } from './open-call.ts'
import { type Replay, replay } from './replay.ts'

interface ReplayInput {
  readonly deps: Deps
  readonly limits: ReadLimits
  readonly tenants: ReadonlySet<string> | undefined
  readonly byHash: ReadonlyMap<string, Tool>
}

export async function replayRecord(
  record: CallRecord,
  surface: Surface,
  facts: readonly Fact[],
  input: ReplayInput,
): Promise<readonly Replay[]> {
  const { proposal, context } = resumedContext(record)
  const first = openCall({ ...input, proposal, context, surface })
  const again = await findAgain(first, input)
  const kept = record.callInput === undefined ? {} : { keptCallInput: record.callInput }
  // Only later passes begin with what hooks said in the first one.
  const passes = Map.groupBy(facts, (fact) => fact.pass)
  return [...passes].map(([pass, own]) =>
    replay({ ...(pass === 1 ? first : again), ...kept, id: record.id, pass }, own),
  )
}
