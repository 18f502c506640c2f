// Replays a call from its record: every pass begins as it began then, and every gate decides again on the evidence on record and must reach
// the verdict on record. Acts are not run.
import type { Fact } from '../../contract/call/fact.ts'
import { Fault } from '../../contract/fault.ts'
import type { Surface } from '../../contract/tool/surface.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { canonicalize } from '../../json/canonical.ts'
import { copyParsed } from '../../json/copy.ts'
import type { ReadLimits } from '../../json/refusal.ts'
import { isObject } from '../../json/value.ts'
import type { CallRecord } from '../../ledger/ports/calls.ts'
import type { Draft } from '../call/draft.ts'
import { undoRecorded } from '../call/inputs.ts'
import { openCall } from '../call/open-call.ts'
import { outputsOf } from '../call/run-hooks.ts'
import type { Deps } from '../deps.ts'
import { pipeline } from '../pipeline.ts'
import { verdictRecord } from '../run.ts'
import { resumedContext } from './find-call.ts'

export interface Divergence {
  readonly pass: number
  readonly seq: number
  readonly phase: string
  readonly recorded: string
  readonly replayed: string
}

export interface Replay {
  readonly gates: number
  readonly divergences: readonly Divergence[]
}

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
  const first = {
    ...opened,
    ...undoRecorded(opened, { mutations: record.mutations, inputHash: record.key.inputHash }),
    // With the defaults that its contract declared then.
    inputHash: record.key.inputHash,
    ...unread(record),
    keptCallInput: record.callInput,
    id: record.id,
  }
  const { hookOutputs } = record
  const again = hookOutputs === undefined ? first : { ...first, hookOutputs, permissionInput: record.permissionInput }
  const passes = Map.groupBy(facts, (fact) => fact.pass)
  const hookedIn = facts.find((fact) => fact.phase === 'before' && hasSpoken(fact))?.pass ?? 1
  return [...passes].map(([pass, own]) => {
    // Only later passes begin with what hooks said in the one that asked them.
    const initial = pass <= hookedIn ? first : again
    return replayPass(
      { ...initial, pass } as Draft,
      own.map((fact) => withHookOutputs(fact, record)),
    )
  })
}

/** The schema of its tenant at that time is not kept. Where it has changed since, the verdicts cannot be replayed. */
function refuseOtherNarrowing({ key }: CallRecord, surface: Surface, facts: readonly Fact[]): void {
  const now = surface.entries.get(key.tool)?.tool.narrowed?.hash
  const differs = facts.some(
    ({ phase, evidence }) => phase === 'resolve' && isObject(evidence) && evidence.narrowed !== now,
  )
  if (differs)
    throw new Fault('unknown_call', 'The schema that this call was held to for its tenant is another one now.')
}

/** Arguments that could not be read are not kept whole; why they could not is. */
const unread = ({ refusal }: CallRecord) => (refusal === undefined ? {} : { reading: { ok: false as const, refusal } })

/** The entry that the tool had on the surface then. */
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

/** `call` is as its pass began; `facts` are those of one pass. */
function replayPass(call: Draft, facts: readonly Fact[]): Replay {
  const divergences: Divergence[] = []
  let gates = 0
  for (const fact of facts) {
    const phase = pipeline.find((candidate) => candidate.name === fact.phase)
    if (phase === undefined || 'act' in phase || isAfterwards(fact)) continue
    gates++
    const verdict = phase.decide(call, fact.evidence)
    if (verdict.kind === 'known') continue
    const recorded = verdictText(fact.verdict)
    const replayed = verdictText(verdictRecord(verdict))
    if (recorded !== replayed) {
      divergences.push({ pass: fact.pass, seq: fact.seq, phase: fact.phase, recorded, replayed })
    }
    if ('gives' in verdict && verdict.kind !== 'end') Object.assign(call, verdict.gives)
  }
  return { gates, divergences }
}

function verdictText(verdict: unknown): string {
  const copy = copyParsed(verdict, { maxValues: 100_000 })
  return copy.ok ? canonicalize(copy.value) : 'unreadable'
}

/** Written about a call after its passes: nothing was decided by a gate. */
const afterwards: ReadonlySet<string> = new Set(['late', 'recovered', 'verified', 'resolved'])
const isAfterwards = ({ verdict: { kind } }: Fact) => afterwards.has(kind)
