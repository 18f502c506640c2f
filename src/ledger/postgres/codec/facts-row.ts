// A group of facts as bytes. What a group has in common is written once, and a fact that only passed is four values: a third of the
// bytes of the plain form, which every call writes, sends and hashes.
import type { Fact, PhaseName, VerdictRecord } from '../../../contract/call/fact.ts'
import type { EpochMs } from '../../../json/clock.ts'

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
  readonly pass: number
  readonly at: EpochMs
  readonly facts: readonly Row[]
}

export function factsText(facts: readonly Fact[]): string {
  const { pass = 1, at = 0 as EpochMs } = facts[0] ?? {}
  const rows: string[] = []
  for (const fact of facts) rows.push(rowText(fact, pass, at))
  // Joined, it is one flat text; added up, it would be a tree of its pieces, five times as large, for as long as the call runs.
  return `{"pass":${pass},"at":${at},"facts":[${rows.join(',')}]}`
}

/** Put together here: most are four values that need no escaping, and an array for each costs more than its text. */
function rowText(
  { seq, phase, at, micros, verdict, evidence, pass }: Fact,
  groupPass: number,
  groupAt: EpochMs,
): string {
  const row = `[${seq},"${phase}",${at - groupAt},${micros}`
  const passed = verdict.kind === 'pass' ? 'null' : JSON.stringify(verdict)
  if (pass !== groupPass) return `${row},${passed},${jsonText(evidence)},${pass}]`
  if (evidence !== undefined) return `${row},${passed},${jsonText(evidence)}]`
  return passed === 'null' ? `${row}]` : `${row},${passed}]`
}

/** As within an array: what JSON does not know is null there. */
const jsonText = (value: unknown): string => JSON.stringify(value ?? null) ?? 'null'

/** The group of the admission stands first; that of the end follows on a line of its own. */
export function storedFacts(callId: string, bytes: Buffer): readonly Fact[] {
  const groups = bytes.toString().split('\n')
  return groups.flatMap((text) => factsIn(callId, JSON.parse(text) as Group))
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
