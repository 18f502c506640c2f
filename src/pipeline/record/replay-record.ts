// Replays a call from its record: every pass begins as it began then, and every gate decides again.
import type { Call } from '../../contract/call/call.ts'
import type { Fact } from '../../contract/call/fact.ts'
import { Fault } from '../../contract/fault.ts'
import type { Surface } from '../../contract/tool/surface.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import type { ReadLimits } from '../../json/refusal.ts'
import { isObject } from '../../json/value.ts'
import type { CallRecord } from '../../ledger/ports/calls.ts'
import { openCall } from '../call/open-call.ts'
import { outputsOf } from '../call/run-hooks.ts'
import { undoRecorded } from '../call/undo-dialect.ts'
import type { Deps } from '../deps.ts'
import { resumedContext } from './find-call.ts'
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
  refuseOtherNarrowing(record, surface, facts)
  const { proposal, context } = resumedContext(record)
  const opened = openCall({ ...input, proposal, context, saga: record.saga, surface: withEntry(surface, record) })
  const first: Call = { ...undoRecorded(opened, record.mutations), ...refused(record), ...kept(record), id: record.id }
  const again = { ...first, ...hooked(record) }
  const passes = Map.groupBy(facts, (fact) => fact.pass)
  const hookedIn = facts.find((fact) => fact.phase === 'before' && hasSpoken(fact))?.pass ?? 1
  return [...passes].map(([pass, own]) => {
    // Only later passes begin with what hooks said in the one that asked them.
    const initial = pass <= hookedIn ? first : again
    return replay(
      { ...initial, pass },
      own.map((fact) => withHookOutputs(fact, record)),
    )
  })
}

/** What its tenant was held to then is not kept; where that has changed, nothing can be said of the verdicts. */
function refuseOtherNarrowing({ key }: CallRecord, surface: Surface, facts: readonly Fact[]): void {
  const now = surface.entries.get(key.tool)?.tool.narrowed?.hash
  const differs = facts.some(
    ({ phase, evidence }) => phase === 'resolve' && isObject(evidence) && evidence.narrowed !== now,
  )
  if (differs)
    throw new Fault('unknown_call', 'The schema that this call was held to for its tenant is another one now.')
}

const kept = ({ callInput }: CallRecord) => (callInput === undefined ? {} : { keptCallInput: callInput })

const hooked = ({ hookOutputs, permissionInput }: CallRecord) =>
  hookOutputs === undefined ? {} : { hookOutputs, permissionInput }

/** Arguments that could not be read are not kept whole; why they could not is. */
const refused = ({ refusal }: CallRecord) => (refusal === undefined ? {} : { reading: { ok: false as const, refusal } })

/** How the tool stood on the surface then. */
function withEntry(surface: Surface, { surfaceEntry, key }: CallRecord): Surface {
  const entry = surface.entries.get(key.tool)
  if (surfaceEntry === undefined || entry === undefined) return surface
  return { ...surface, entries: new Map([[key.tool, { ...surfaceEntry, tool: entry.tool }]]) }
}

const hasSpoken = ({ evidence }: Fact) => Array.isArray(evidence) && evidence.length > 0

/** A fact masks what a hook made of sensitive arguments; the call's record, which people do not read, has it whole. */
function withHookOutputs(fact: Fact, { hookOutputs }: CallRecord): Fact {
  if (fact.phase !== 'before' || hookOutputs === undefined || !hasSpoken(fact)) return fact
  return { ...fact, evidence: outputsOf({ hookOutputs }, 'pre_tool_use') }
}
