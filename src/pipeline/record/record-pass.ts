// Writes a pass down: what it decided, what its attempt came to, and which provider call ids have been answered from its slot. One
// entry is one commit; a pass that has to settle before it ends is written in two.
import type { Answer } from '../../contract/call/answer.ts'
import type { Fact } from '../../contract/call/fact.ts'
import type { AdmittedCall, Call, Conclusion, EndedCall, JudgedCall } from '../../contract/call/stages.ts'
import { effectRow } from '../../contract/effects.ts'
import { termsOf } from '../../execute/attempt/recovery.ts'
import type { CallRecord } from '../../ledger/ports/calls.ts'
import type { PassEntry, Settlement } from '../../ledger/ports/operations.ts'
import { isReadBack, verifyAgain, verifyWithSettle } from '../call/verification-body.ts'
import type { Deps } from '../deps.ts'
import { makeAnswer, recordAnswer } from './answers.ts'
import { isFindable } from './find-call.ts'
import { type LateEnd, settleRequest } from './settle.ts'

/** The parts of an entry that depend on how its pass ended; the call and its facts are in every entry. */
type Part = Exclude<keyof PassEntry, 'id' | 'call' | 'facts' | 'findAgain'>

/** How a pass stands when it is written, and what is written of it then; a part may have nothing to say. */
export const written = {
  /** Its attempt has an end that is not written yet. */
  settles: ['settle', 'verify', 'escalations'],
  /** Its attempt's end was written before; what followed belongs to the answer that duplicates get. */
  settled: ['amend', 'verify', 'verified', 'escalations', 'yields'],
  /** It was answered from the record of another. */
  replayed: ['seen', 'looksOn', 'yields'],
  /** It was told that another runs or is held. */
  under_way: ['seen', 'looksOn', 'yields'],
  /** The record of its operation was changed by another hand: what is known of it stays as it is. */
  contradicted: ['looksOn', 'yields', 'escalations'],
  /** It was refused, it waits, or it read something. */
  unsettled: ['trails', 'yields', 'escalations'],
} as const satisfies Readonly<Record<string, readonly Part[]>>

type Standing = keyof typeof written

function standingOf({ due, settled }: Call, conclusion: Conclusion): Standing {
  if (due !== undefined) return 'settles'
  if (settled !== undefined) return 'settled'
  if (conclusion.kind === 'end') return 'replayed'
  if (conclusion.kind === 'stop' && conclusion.reason === 'record_contradicted') return 'contradicted'
  const isUnderWay = conclusion.kind === 'stop' && (conclusion.reason === 'in_progress' || conclusion.reason === 'held')
  return isUnderWay ? 'under_way' : 'unsettled'
}

interface Source {
  /** The call as it is at its end. Parts of a row read only what calls of that row have: where one settles or has settled, it was admitted. */
  readonly call: EndedCall & AdmittedCall
  readonly answer: Answer
  readonly conclusion: Conclusion
}

/** What each part says, and undefined where it has nothing to say. */
const parts: { readonly [Name in Part]: (source: Source) => PassEntry[Name] | undefined } = {
  settle: ({ call, answer }) => call.due && settleRequest(call, call.due, recordAnswer(answer, call)),
  amend: ({ call, answer, conclusion }) =>
    call.slotRef !== undefined && isChangedSinceSettled(call, conclusion)
      ? { slotKey: call.slotRef.key, generation: call.generation, answer: recordAnswer(answer, call) }
      : undefined,
  verify: ({ call, conclusion }) =>
    call.due === undefined ? verifyAgain(call) : verifyWithSettle(call, isFailure(conclusion)),
  verified: ({ call }) => isReadBack(call) || undefined,
  escalations: ({ call }) => call.escalations,
  // From now on this provider call id belongs to that generation.
  seen: ({ call: { slotRef, slotRecord, proposal } }) =>
    slotRef === undefined || slotRecord === undefined || proposal.callId === undefined
      ? undefined
      : { slotKey: slotRef.key, generation: slotRecord.generation, providerCallId: proposal.callId },
  // A first pass has nothing to leave as it is. Where an effect is still to be read back, that reading has the last word on the call.
  looksOn: ({ call, conclusion }) =>
    (call.pass > 1 && (conclusion.kind === 'stop' || call.verifiedBefore?.state === 'PENDING')) || undefined,
  yields: ({ call }) => (call.pass > 1 && call.nonce === undefined) || undefined,
  trails: ({ call }) => mayTrail(call) || undefined,
}

function passEntry(call: Call, conclusion: Conclusion, answer: Answer): PassEntry {
  const entry: PassEntry = { call: recordOf(call, answer), facts: unwritten(call), findAgain: isFound(call) }
  const source = { call, answer, conclusion } as Source
  for (const name of written[standingOf(call, conclusion)]) {
    const part = parts[name](source)
    if (part !== undefined) (entry as { [Name in Part]?: unknown })[name] = part
  }
  return entry
}

/** What the gates have come to when the call is admitted. */
export function admissionEntry(call: JudgedCall): Pick<PassEntry, 'call' | 'facts' | 'findAgain'> {
  return { call: recordOf(call, undefined), facts: unwritten(call), findAgain: isFound(call) }
}

/** Settles before the pass ends, because what follows may take its time or never come back. */
export function settleEntry(call: AdmittedCall, conclusion: Conclusion, deps: Deps): PassEntry {
  return passEntry(call, conclusion, makeAnswer(call, conclusion, deps.clock.now()))
}

export async function recordPass(call: EndedCall, deps: Deps, id?: string): Promise<Answer> {
  const entry = passEntry(call, call.conclusion, call.answer)
  const recording = deps.ledger.operations.record(id === undefined ? entry : { ...entry, id })
  if (recording instanceof Promise) await recording
  return call.answer
}

/** Work that was done in part is no failure: what was done of it is read back. */
const isFailure = (conclusion: Conclusion) => conclusion.kind === 'stop' && conclusion.reason !== 'partial_effect'

/** Above the numbers of facts of a pass, which begin at 1. */
const lateSeq = 1_000

/** An executor that ends after its call was answered resolves its own held slot; the fact says that it came late. */
export async function recordLate(
  { call, conclusion }: LateEnd,
  effect: 'happened' | 'none',
  deps: Deps,
): Promise<Settlement> {
  const fact: Fact = {
    callId: call.id,
    pass: call.pass,
    seq: lateSeq,
    phase: 'execute',
    at: deps.clock.now(),
    micros: 0,
    verdict: { kind: 'late', effect },
    evidence: undefined,
  }
  return deps.ledger.operations.record({ ...settleEntry(call, conclusion, deps), facts: [fact] })
}

/** The facts of a read that needs no audit may be written after its answer. */
function mayTrail({ tool, approval }: Call): boolean {
  if (tool === undefined) return true
  const { transactional, observability } = tool.contract
  return !effectRow(transactional.side_effect_class).mutates && !observability.audit_required && approval === undefined
}

const isFound = ({ tool, reading }: Call) => tool !== undefined && reading.ok && isFindable(tool)

const unwritten = ({ trail, recorded }: Call): readonly Fact[] => trail.slice(recorded)

function isChangedSinceSettled({ settled, data, warnings }: AdmittedCall, conclusion: Conclusion): boolean {
  return settled?.data !== data || settled?.warnings !== warnings || conclusion.kind === 'stop'
}

/** Of arguments that could not be read, enough is kept to see what they were. */
const keptRawLength = 4_096

function recordOf(call: Call, answer: Answer | undefined): CallRecord {
  const { proposal, tool } = call
  return {
    id: call.id,
    key: {
      tenant: call.tenant,
      run: call.run,
      providerCallId: proposal.callId,
      tool: tool?.contract.identity.name ?? answer?.observation.tool_identity.name ?? '',
      inputHash: call.inputHash,
    },
    workflow: call.workflow,
    traceId: call.traceId,
    principal: call.principal,
    operationId: call.operationId,
    ...(call.saga === undefined ? {} : { saga: call.saga }),
    version: tool?.contract.identity.version ?? '',
    contractHash: tool?.contractHash ?? '',
    ...(tool === undefined ? {} : { terms: termsOf(tool) }),
    argumentText: argumentText(call),
    source: call.source,
    startedAt: call.startedAt,
    passes: call.pass,
    status: answer?.observation.status.taxonomy_class ?? 'RUNNING',
    effect: answer?.effect ?? 'unknown',
    latencyMs: answer?.observation.execution_metadata.latency_ms ?? 0,
    hookOutputs: call.hookOutputs,
    permissionInput: call.hookOutputs === undefined ? undefined : call.permissionInput,
    callInput: call.keptCallInput,
    mutations: call.mutations,
    tenantNamed: call.tenantNamed,
    refusal: call.reading.ok ? undefined : call.reading.refusal,
    surfaceEntry: surfaceEntry(call),
    told: answer === undefined ? undefined : noticesOf(answer),
    ...verificationOn(call),
  }
}

function verificationOn({ verification, verifiedBefore, nonce }: Call): Pick<CallRecord, 'verification'> {
  const known = verification ?? (nonce === undefined ? verifiedBefore : undefined)
  return known === undefined ? {} : { verification: known }
}

function surfaceEntry({ tool, surface }: Call): CallRecord['surfaceEntry'] {
  const entry = tool === undefined ? undefined : surface.entries.get(tool.contract.identity.name)
  if (entry === undefined || entry.status === 'loaded' || entry.status === 'excluded') return undefined
  return { status: entry.status, reason: entry.reason, note: entry.note }
}

function argumentText({ reading, proposal }: Call): string {
  if (reading.ok) return reading.canonical
  return typeof proposal.arguments === 'string' ? proposal.arguments.slice(0, keptRawLength) : ''
}

/** Most answers have none: then nothing is written. */
export function noticesOf({ observation }: Pick<Answer, 'observation'>): CallRecord['told'] {
  const { errors, warnings } = observation.result_payload
  return errors.length === 0 && warnings.length === 0 ? undefined : { errors, warnings }
}
