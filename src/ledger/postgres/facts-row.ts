// A group of facts as bytes. What a group has in common is written once, and a fact that only passed is four values: a third of the
// bytes of the plain form, which every call writes, sends and hashes.
import type { Fact, PhaseName, VerdictRecord } from '../../contract/fact.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { Binds } from '../log/binds.ts'

type Row = [
  seq: number,
  phase: PhaseName,
  /** Since the first of the group. */
  afterMs: number,
  micros: number,
  /** Null for one that passed. */
  verdict?: VerdictRecord | null,
  evidence?: unknown,
  /** Where it is another than the group's. */
  pass?: number,
]

interface Group {
  /** First, to be read without the rest. */
  readonly binds?: Binds
  readonly pass: number
  readonly at: EpochMs
  readonly facts: readonly Row[]
}

/** What was written beside the facts is bound by its hashes: the log then vouches for that as well. */
export function factsText(facts: readonly Fact[], binds?: Binds): string {
  const { pass = 1, at = 0 as EpochMs } = facts[0] ?? {}
  const rows = facts.map((fact): Row => {
    const { seq, phase, micros, verdict, evidence } = fact
    const row: Row = [seq, phase, fact.at - at, micros]
    const passed = verdict.kind === 'pass' ? null : verdict
    if (fact.pass !== pass) row.push(passed, evidence ?? null, fact.pass)
    else if (evidence !== undefined) row.push(passed, evidence)
    else if (passed !== null) row.push(passed)
    return row
  })
  return JSON.stringify({ ...(binds && { binds }), pass, at, facts: rows } satisfies Group)
}

/** The group of the end stands first, with what it binds; that of the admission follows on a line of its own. */
export function factsOf(callId: string, bytes: Buffer): readonly Fact[] {
  const groups = bytes.toString().split('\n')
  return groups.reverse().flatMap((text) => factsIn(callId, JSON.parse(text) as Group))
}

function factsIn(callId: string, group: Group): readonly Fact[] {
  return group.facts.map(([seq, phase, afterMs, micros, verdict, evidence, pass]) => ({
    callId,
    pass: pass ?? group.pass,
    seq,
    phase,
    at: (group.at + afterMs) as EpochMs,
    micros,
    verdict: verdict ?? { kind: 'pass' },
    evidence: evidence ?? undefined,
  }))
}
