// From a call on record to what a person wants to know of it: what was decided, by which phase, whether it happened, what is promised,
// what to do next. Pure; `--json` prints it as it is.
import type { Escalation } from '../../contract/approval/approval.ts'
import type { Reason } from '../../contract/call/answer.ts'
import { type Fact, phaseNames, type VerdictRecord } from '../../contract/call/fact.ts'
import { respond } from '../../contract/call/respond.ts'
import type { NextAction } from '../../contract/taxonomy.ts'
import type { Contract } from '../../contract/tool/envelope.ts'
import { type WireVerification, wireFact, wireVerification } from '../../contract/wire.ts'
import { toIso } from '../../json/clock.ts'
import { maskValue } from '../../json/mask.ts'
import { readJson } from '../../json/read.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { CallRecord } from '../../ledger/ports/calls.ts'
import { nextSteps } from '../outcome-words.ts'
import { type DecidingVoice, decidingVoices, evidenceText } from './evidence-text.ts'
import { promiseSentences } from './promises.ts'

export interface TimelineStep {
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
  readonly call: ShownCall
  /** The class it ended in; RUNNING while it has not. */
  readonly class: string
  readonly effect: string
  /** The phase whose verdict ended the last pass; null where every phase passed. */
  readonly decided_by: {
    readonly number: number
    readonly phase: string
    readonly verdict: string
    /** The rules, policies and hooks behind it. */
    readonly by: readonly DecidingVoice[]
  } | null
  readonly messages: readonly string[]
  readonly warnings: readonly string[]
  /** What reading the effect back has come to; null where the tool is not to be read back. */
  readonly verification: WireVerification | null
  /** What people are still asked about it. */
  readonly questions: readonly { readonly kind: string; readonly message: string; readonly at: string }[]
  /** The kind of promise; null where the tool changes nothing, and where no tool was found. */
  readonly promise: string | null
  readonly promised: readonly string[]
  readonly next_action: string
  readonly next_step: string
  readonly timeline: readonly TimelineStep[]
}

/** What the ledger has on a call. */
export interface RecordedCall {
  readonly call: CallRecord
  readonly facts: readonly Fact[]
  /** Undefined where no tool was found. */
  readonly contract: JsonObject | undefined
  readonly questions: readonly Escalation[]
}

export function explanationOf({ call, facts, contract, questions }: RecordedCall): Explanation {
  const timeline = facts.map(stepOf)
  const lastPass = facts.at(-1)?.pass
  const at = facts.findIndex(({ pass, verdict }) => pass === lastPass && decides(verdict))
  const [deciding, verdict] = [timeline[at], facts[at]?.verdict]
  const shown = shownCall(call, facts, contract)
  const action = nextAction(call, verdict, contract, questions)
  const promise = call.terms?.promise
  return {
    call: shown,
    class: call.status,
    effect: call.effect,
    decided_by:
      deciding === undefined
        ? null
        : {
            number: deciding.number,
            phase: deciding.phase,
            verdict: deciding.verdict,
            by: decidingVoices(
              facts.filter(({ pass }) => pass === lastPass),
              facts[at],
            ),
          },
    messages: messagesOf(call, verdict),
    warnings: call.told?.warnings ?? [],
    verification: call.verification === undefined ? null : wireVerification(call.verification),
    questions: questions.map(({ kind, message, at: since }) => ({ kind, message, at: toIso(since) })),
    promise: promise?.kind ?? null,
    promised: promiseSentences({ effectClass: shown.effect_class, promise, slotKind: slotKindOf(facts) }),
    next_action: action,
    next_step: isHeld(questions)
      ? `Find out whether the effect is there, then: proviso calls resolve ${call.id} --effect happened|none --why TEXT`
      : nextSteps[action],
    timeline,
  }
}

const isHeld = (questions: readonly Escalation[]) => questions.some(({ kind }) => kind === 'unknown_effect')

/** As the caller was told, or would be told now: recovery and people may have found out more since. */
function nextAction(
  { status, effect }: CallRecord,
  verdict: VerdictRecord | undefined,
  contract: JsonObject | undefined,
  questions: readonly Escalation[],
): NextAction {
  if (isHeld(questions)) return 'await_resolution'
  if (status === 'RUNNING') return effect === 'happened' ? 'accept_effect' : 'retry_after_delay'
  const reason: Reason = verdict?.kind === 'stop' || verdict?.kind === 'wait' ? verdict.reason : 'ok'
  // Only registered tools are on record, so this is a contract.
  const errorContract = (contract as unknown as Contract | undefined)?.error_contract
  return respond({ class: status, reason, effect, errorContract }).next_action
}

function messagesOf({ told }: CallRecord, verdict: VerdictRecord | undefined): readonly string[] {
  const kept = told?.errors.map(({ field, message }) => ({ field: field ?? '$', message }))
  const errors = verdict?.kind === 'stop' ? verdict.errors : (kept ?? [])
  return errors.map(({ field, message }) => (field === '$' ? message : `${field}: ${message}`))
}

const decides = ({ kind }: VerdictRecord) => kind === 'stop' || kind === 'wait' || kind === 'end'

function stepOf(fact: Fact): TimelineStep {
  const { pass, seq, phase, at, micros, verdict, evidence } = wireFact(fact)
  return {
    pass,
    seq,
    number: phaseNames.indexOf(phase) + 1,
    phase,
    at,
    micros,
    verdict: verdictText(verdict),
    decided: decides(verdict),
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
    case 'verified':
      return `read back later · ${verdict.state}${verdict.discrepancy === null ? '' : ` · ${verdict.discrepancy}`}`
    case 'resolved':
      return `resolved by ${verdict.by} · effect ${verdict.effect} · ${verdict.why}`
  }
}

function slotKindOf(facts: readonly Fact[]): string | undefined {
  const { evidence } = facts.findLast(({ phase }) => phase === 'permission') ?? {}
  const ref = isObject(evidence) ? evidence.ref : undefined
  return isObject(ref) && typeof ref.kind === 'string' ? ref.kind : undefined
}

/** A call as it may be shown: with its arguments, but for those that its tool calls sensitive. */
export interface ShownCall {
  readonly id: string
  readonly tool: string
  readonly version: string
  readonly effect_class: string | null
  readonly tenant: string
  readonly user: string | null
  readonly run: string | null
  readonly operation_id: string | null
  readonly provider_call_id: string | null
  /** Null where they could not be read. */
  readonly arguments: JsonValue
  readonly started_at: string
  readonly passes: number
}

function shownCall(call: CallRecord, facts: readonly Fact[], contract: JsonObject | undefined): ShownCall {
  const { key, principal } = call
  return {
    id: call.id,
    tool: key.tool,
    version: call.version,
    effect_class: effectClassOf(contract),
    tenant: key.tenant,
    user: principal.user ?? null,
    run: key.run ?? null,
    operation_id: call.operationId ?? null,
    provider_call_id: key.providerCallId ?? null,
    arguments: shownArguments(call, facts),
    started_at: toIso(call.startedAt),
    passes: call.passes,
  }
}

function effectClassOf(contract: JsonObject | undefined): string | null {
  const transactional = contract?.transactional
  const name = isObject(transactional) ? transactional.side_effect_class : undefined
  return typeof name === 'string' ? name : null
}

/** Null where the text is larger than a proposal may be by default. */
function shownArguments({ argumentText, terms }: CallRecord, facts: readonly Fact[]): JsonValue {
  const reading = readJson(argumentText)
  // Text that is not JSON may hold a secret anywhere.
  if (!reading.ok) return null
  if (terms === undefined) return shapeOf(reading.value)
  if (terms.sensitive.length === 0) return reading.value
  const masked = maskValue(reading.value, terms.sensitive)
  // Sensitive values are known by their pointers. In arguments that do not fit the schema they may stand elsewhere: all values are masked.
  const fitted = facts.some(({ phase, verdict }) => phase === 'constraints' && verdict.kind === 'pass')
  return fitted ? masked : shapeOf(masked)
}

/** The keys and the nesting, without any value. */
function shapeOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]))
  return maskValue(value, [''])
}
