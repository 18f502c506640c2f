// What a person's word on a held operation leaves on its call: recorded, never silent.
import type { Fact } from '../../contract/fact.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { CallRecord } from '../ports/calls.ts'
import type { PassEntry, Resolution } from '../ports/operations.ts'

/** Beyond any pass of the pipeline, whose facts are numbered from 1, and beyond late ends and recoveries. */
const seq = 3_000

export function resolutionEntry(
  call: CallRecord,
  { effect, by, why }: Pick<Resolution, 'effect' | 'by' | 'why'>,
  at: EpochMs,
  kind: 'resolved' | 'answered' = 'resolved',
): PassEntry {
  const verdict = { kind: 'resolved', effect, by, why } as const
  const fact: Fact = {
    callId: call.id,
    pass: call.passes,
    seq,
    phase: 'verify',
    at,
    micros: 0,
    verdict,
    evidence: undefined,
  }
  // An answered question changes nothing about what the call came to.
  if (kind === 'answered') return { call, facts: [fact], findAgain: true, looksOn: true }
  const ended = call.status === 'RUNNING' ? 'UNKNOWN_ERROR' : call.status
  return {
    call: { ...call, effect, status: effect === 'happened' ? 'SUCCESS' : ended },
    facts: [fact],
    findAgain: true,
  }
}
