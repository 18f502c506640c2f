// The fact by which a person's word on a held operation is kept: recorded, never silent.
import type { Fact } from '../contract/fact.ts'
import type { EpochMs } from '../json/clock.ts'
import type { CallRecord, Resolution } from './ledger.ts'

/** Beyond any pass of the pipeline, whose facts are numbered from 1, and beyond late ends and recoveries. */
const seq = 3_000

export function resolutionFact(
  call: Pick<CallRecord, 'id' | 'passes'>,
  { effect, by, why }: Pick<Resolution, 'effect' | 'by' | 'why'>,
  at: EpochMs,
): Fact {
  const verdict = { kind: 'resolved', effect, by, why } as const
  return { callId: call.id, pass: call.passes, seq, phase: 'verify', at, micros: 0, verdict, evidence: undefined }
}
