// A person's word on an operation: a held one is resolved once enough people say the same; for any other the word answers the open
// questions. It is always recorded on the call.
import { personOf } from '../../contract/approval/approval-pattern.ts'
import type { Fact } from '../../contract/call/fact.ts'
import type { SlotStatus } from '../../contract/call/slot.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { CallRecord } from '../ports/calls.ts'
import type { PassEntry, Resolution, ResolutionOutcome } from '../ports/operations.ts'
import { decide, type RuleTable } from './table.ts'

export type ResolutionCase = {
  /** The call's operation is held. */
  readonly held: boolean
  /** Enough different people say the same. */
  readonly agreed: boolean
  /** There are open questions about the call. */
  readonly asked: boolean
}

const yesOrNo = [true, false] as const

export const resolutionRule: RuleTable<ResolutionCase, ResolutionOutcome['kind']> = {
  name: 'resolution',
  over: { held: yesOrNo, agreed: yesOrNo, asked: yesOrNo },
  rows: [
    { id: 'enough_say_so', when: { held: true, agreed: true }, verdict: 'resolved' },
    { id: 'more_have_to_say_so', when: { held: true }, verdict: 'stated' },
    { id: 'only_asked', when: { asked: true }, verdict: 'answered' },
    { id: 'nothing_open', when: {}, verdict: 'not_held' },
  ],
}

/** Of a call without an operation: only questions about it can be answered. */
export const withoutOperation = { held: false, agreed: false } as const

export const judgeResolution = (given: ResolutionCase): ResolutionOutcome['kind'] => decide(resolutionRule, given)

/** What a held operation becomes by the word of people. Without an effect it may be tried again, and gives back its claims. */
export const resolvedStatus: Readonly<Record<Resolution['effect'], SlotStatus>> = {
  happened: 'COMPLETED',
  none: 'FAILED_RETRYABLE',
}

export interface Statement {
  readonly by: string
  readonly effect: 'happened' | 'none'
  readonly why: string
}

export interface JoinedStatements {
  readonly statements: readonly Statement[]
  /** The people who say the same as the last one. */
  readonly people: readonly string[]
  /** The same as text, for the record. */
  readonly by: string
  readonly why: string
}

/** A person's later word replaces the earlier one; each person counts once. */
export function joinStatements(before: readonly Statement[], added: Statement): JoinedStatements {
  const others = before.filter(({ by }) => personOf(by) !== personOf(added.by))
  const agreeing = [...others.filter(({ effect }) => effect === added.effect), added]
  return {
    statements: [...others, added],
    people: agreeing.map(({ by }) => by),
    by: agreeing.map(({ by }) => by).join(', '),
    why: agreeing.map(({ why }) => why).join('; '),
  }
}

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
  // An answered question does not change the result of the call.
  if (kind === 'answered') return { call, facts: [fact], findAgain: true, looksOn: true }
  const ended = call.status === 'RUNNING' ? 'UNKNOWN_ERROR' : call.status
  return {
    call: { ...call, effect, status: effect === 'happened' ? 'SUCCESS' : ended },
    facts: [fact],
    findAgain: true,
  }
}
