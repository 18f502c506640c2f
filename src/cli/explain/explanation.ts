// From a record to what a person wants to know of it: what was decided, by which phase, whether it happened, what was promised, what to
// do next. Pure; `--json` prints it as it is.
import { phaseNames, type VerdictRecord } from '../../contract/fact.ts'
import type { WireFact } from '../../contract/wire.ts'
import { isObject } from '../../json/value.ts'
import type { CallFile, RecordedCall } from '../call-record.ts'
import { nextSteps } from '../next-steps.ts'
import { evidenceText } from './evidence-text.ts'
import { promiseOf } from './promises.ts'

export interface Step {
  readonly pass: number
  readonly seq: number
  readonly number: number
  readonly phase: string
  readonly at: string
  readonly micros: number
  readonly verdict: string
  readonly decided: boolean
  readonly evidence: string
}

export interface Explanation {
  readonly call: RecordedCall
  readonly class: string
  readonly effect: string
  /** The phase whose verdict ended the last pass; null where every phase passed. */
  readonly decided_by: { readonly number: number; readonly phase: string; readonly verdict: string } | null
  readonly messages: readonly string[]
  readonly warnings: readonly string[]
  readonly promised: readonly string[]
  readonly next_action: string
  readonly next_step: string
  readonly timeline: readonly Step[]
}

export function explanationOf({ call, facts, answer }: CallFile): Explanation {
  const { status, result_payload } = answer.observation
  const timeline = facts.map(stepOf)
  const last = timeline.filter(({ pass }) => pass === timeline.at(-1)?.pass)
  const deciding = last.find(({ decided }) => decided)
  const action = answer.response.next_action
  return {
    call,
    class: status.taxonomy_class,
    effect: answer.effect,
    decided_by:
      deciding === undefined ? null : { number: deciding.number, phase: deciding.phase, verdict: deciding.verdict },
    messages: result_payload.errors.map(({ field, message }) => (field === null ? message : `${field}: ${message}`)),
    warnings: result_payload.warnings,
    promised: promiseOf({ effectClass: call.effect_class, ledger: call.ledger, slotKind: slotKindOf(facts) }),
    next_action: action,
    next_step: Object.hasOwn(nextSteps, action) ? nextSteps[action] : '',
    timeline,
  }
}

function stepOf({ pass, seq, phase, at, micros, verdict, evidence }: WireFact): Step {
  const decided = verdict.kind === 'stop' || verdict.kind === 'wait' || verdict.kind === 'end'
  const number = phaseNames.indexOf(phase) + 1
  return {
    pass,
    seq,
    number,
    phase,
    at,
    micros,
    verdict: verdictText(verdict),
    decided,
    evidence: evidenceText(phase, evidence),
  }
}

function verdictText(verdict: VerdictRecord): string {
  switch (verdict.kind) {
    case 'pass':
      return 'pass'
    case 'stop':
      return `stop ${verdict.class} · ${verdict.reason}`
    case 'wait':
      return `wait · ${verdict.reason}`
    case 'end':
      return 'end · answered from the record'
    case 'again':
      return `again from ${verdict.from}`
    case 'late':
      return `late · effect ${verdict.effect}`
    case 'recovered':
      return `recovered by ${verdict.how} · effect ${verdict.effect}`
    case 'resolved':
      return `resolved by ${verdict.by} · effect ${verdict.effect} · ${verdict.why}`
  }
}

function slotKindOf(facts: readonly WireFact[]): string | undefined {
  const { evidence } = facts.findLast(({ phase }) => phase === 'permission') ?? {}
  const ref = isObject(evidence) ? evidence.ref : undefined
  return isObject(ref) && typeof ref.kind === 'string' ? ref.kind : undefined
}
