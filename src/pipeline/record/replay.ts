// Replays a recorded call: every gate decides again on the evidence on record and must reach the verdict on record. Acts are not run.
import type { Call } from '../../contract/call/call.ts'
import type { Fact } from '../../contract/call/fact.ts'
import { canonicalize } from '../../json/canonical.ts'
import { copyParsed } from '../../json/copy.ts'
import { pipeline } from '../pipeline.ts'
import { verdictRecord } from '../run.ts'

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

/** `initial` is the call as its pass began; `facts` are those of one pass. */
export function replay(initial: Call, facts: readonly Fact[]): Replay {
  const call: { -readonly [K in keyof Call]: Call[K] } = { ...initial }
  const divergences: Divergence[] = []
  let gates = 0
  for (const fact of facts) {
    const phase = pipeline.find((candidate) => candidate.name === fact.phase)
    if (phase === undefined || 'act' in phase || isAfterwards(fact)) continue
    gates++
    const verdict = phase.decide(call, fact.evidence)
    const recorded = text(fact.verdict)
    const replayed = text(verdictRecord(verdict))
    if (recorded !== replayed) {
      divergences.push({ pass: fact.pass, seq: fact.seq, phase: fact.phase, recorded, replayed })
    }
    if (verdict.kind !== 'end' && verdict.kind !== 'wait') Object.assign(call, verdict.gives)
  }
  return { gates, divergences }
}

function text(verdict: unknown): string {
  const copy = copyParsed(verdict, { maxValues: 100_000 })
  return copy.ok ? canonicalize(copy.value) : 'unreadable'
}

/** Written about a call after its passes: nothing was decided by a gate. */
const afterwards: ReadonlySet<string> = new Set(['late', 'recovered', 'verified', 'resolved'])
const isAfterwards = ({ verdict: { kind } }: Fact) => afterwards.has(kind)
