// What is served now against what a person approved. Any difference of what was published counts; the rules only say how bad it is and
// show it. Invariant: the author of the list cannot keep this process from its other work, nor busy without end.
import type { JsonObject } from '../../json/value.ts'
import type { Pin } from '../../ledger/ports/pins.ts'
import { type DriftFinding, type DriftLevel, worstLevel } from '../finding.ts'
import type { SourceSnapshot } from '../snapshot.ts'
import { findDrift } from './find-drift.ts'
import { malformedHash, pinnedPart, pinnedSource, servedHash } from './pinned-source.ts'

export interface ToolDrift {
  readonly tool: string
  readonly change: 'added' | 'removed' | 'changed' | 'malformed'
  readonly level: DriftLevel
  readonly findings: readonly DriftFinding[]
}

export interface PinReport {
  readonly source: string
  readonly capabilities: JsonObject
  /** False: no person has approved anything of it yet. */
  readonly pinned: boolean
  /** Identifies what was served: an approval repeats it. */
  readonly servedHash: string
  readonly unchanged: number
  /** Each of these is quarantined until a person approves it. */
  readonly drifts: readonly ToolDrift[]
}

/** Steps of the prover for all that is served: some ten seconds. What is left then is reported as undecided, and held like the rest. */
const totalSteps = 3_000_000

export async function judgePin(
  key: Pick<Pin, 'source' | 'capabilities'>,
  pin: Pin | undefined,
  served: SourceSnapshot,
  steps: number = totalSteps,
): Promise<PinReport> {
  const changes = changesOf(pin, served)
  const base = { source: key.source, capabilities: key.capabilities, pinned: pin !== undefined }
  const report = {
    ...base,
    servedHash: servedHash(served),
    unchanged: served.tools.length - served.tools.filter(({ name }) => changes.has(name)).length,
  }
  if (changes.size === 0) return { ...report, drifts: [] }
  const before = pin === undefined ? { kind: served.kind, tools: [], malformed: [] } : pinnedSource(pin)
  const findings = await findDrift(before, served, steps)
  const drifts = [...changes].map(([tool, change]): ToolDrift => {
    const own = findings.get(tool) ?? []
    return { tool, change, level: worstLevel(own) ?? 'info', findings: own }
  })
  return { ...report, drifts }
}

/** By name; a name that is in the list twice belongs to no tool. */
function changesOf(pin: Pin | undefined, served: SourceSnapshot): ReadonlyMap<string, ToolDrift['change']> {
  const changes = new Map<string, ToolDrift['change']>()
  const approved = new Map(pin?.tools.map(({ name, hash }) => [name, hash]))
  const gone = new Set(approved.keys())
  for (const tool of served.tools) {
    const hash = approved.get(tool.name)
    gone.delete(tool.name)
    if (hash === undefined) changes.set(tool.name, 'added')
    else if (hash !== pinnedPart(tool, served.kind).hash) changes.set(tool.name, 'changed')
  }
  for (const name of gone) changes.set(name, 'removed')
  const known = new Set(pin?.malformed.map(({ hash }) => hash))
  for (const { name, raw } of served.malformed) if (!known.has(malformedHash(raw))) changes.set(name, 'malformed')
  return changes
}
