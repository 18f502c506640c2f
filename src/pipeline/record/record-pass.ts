// Writes a pass down: what it decided, what its attempt came to, and which provider call ids have been answered from its slot. One
// entry is one commit; a pass that has to settle before it ends is written in two.
import type { Answer } from '../../contract/call/answer.ts'
import type { Call } from '../../contract/call/call.ts'
import type { Fact } from '../../contract/call/fact.ts'
import { effectRow } from '../../contract/effects.ts'
import { termsOf } from '../../execute/recovery/promise.ts'
import type { CallRecord } from '../../ledger/ports/calls.ts'
import type { PassEntry, Settlement } from '../../ledger/ports/operations.ts'
import { verifyEntry } from '../call/verification-body.ts'
import type { Deps } from '../deps.ts'
import type { Pass } from '../run.ts'
import { makeAnswer, recordAnswer } from './answers.ts'
import { isFindable } from './find-call.ts'
import { partialStop } from './partial.ts'
import { settleRequest } from './settle.ts'

/** Of arguments that could not be read, enough is kept to see what they were. */
const keptRawLength = 4_096

const none: readonly never[] = Object.freeze([])

/** What the gates have come to when the call is admitted. */
export function admissionEntry(call: Call): Pick<PassEntry, 'call' | 'facts' | 'findAgain'> {
  const findAgain = isFound(call)
  return { call: recordOf(call, undefined), facts: unwritten(call), findAgain }
}

/** Settles before the pass ends, because what follows may take its time or never come back. */
export function settleEntry(call: Call, deps: Deps): PassEntry {
  const answer = makeAnswer(call, call.conclusion ?? partialStop(call) ?? { kind: 'success' }, deps.clock.now())
  return { ...endEntry(call, answer), facts: unwritten(call) }
}

export async function recordPass({ call, answer }: Pass, deps: Deps, id?: string): Promise<Answer> {
  const entry = endEntry(call, answer)
  const recording = deps.ledger.operations.record(id === undefined ? entry : { ...entry, id })
  if (recording instanceof Promise) await recording
  return answer
}

/** Beyond any pass of the pipeline, whose facts are numbered from 1. */
const lateSeq = 1_000

/** An executor that ends after its call was answered resolves its own held slot; the fact says that it came late. */
export async function recordLate(call: Call, effect: 'happened' | 'none', deps: Deps): Promise<Settlement> {
  const at = deps.clock.now()
  const fact: Fact = {
    callId: call.id,
    pass: call.pass,
    seq: lateSeq,
    phase: 'execute',
    at,
    micros: 0,
    verdict: { kind: 'late', effect },
    evidence: undefined,
  }
  return deps.ledger.operations.record({ ...settleEntry(call, deps), facts: [fact] })
}

function endEntry(call: Call, answer: Answer): PassEntry {
  const { slotRef, slotRecord, proposal, due, escalations } = call
  const findAgain = isFound(call)
  const seen = slotRef !== undefined && slotRecord !== undefined && wasToldOf(call) ? proposal.callId : undefined
  return {
    call: recordOf(call, answer),
    facts: unwritten(call),
    findAgain,
    ...(mayTrail(call) ? { trails: true } : {}),
    ...(call.pass > 1 && due === undefined && (looksOn(call) || awaitsReading(call)) ? { looksOn: true } : {}),
    ...(call.pass > 1 && due === undefined && call.attempt === undefined ? { yields: true } : {}),
    ...(due === undefined ? {} : { settle: settleRequest(call, due, recordAnswer(answer, call)) }),
    ...(escalations === undefined ? {} : { escalations }),
    ...verifyEntry(call),
    ...(slotRef !== undefined && changedSinceSettled(call)
      ? {
          amend: { slotKey: slotRef.key, generation: call.generation ?? 1, answer: recordAnswer(answer, call) },
        }
      : {}),
    ...(seen === undefined || slotRef === undefined || slotRecord === undefined
      ? {}
      : { seen: { slotKey: slotRef.key, generation: slotRecord.generation, providerCallId: seen } }),
  }
}

/** The facts of a read that nobody demands an audit of may be written after its answer. */
function mayTrail({ tool, approval }: Call): boolean {
  if (tool === undefined) return true
  const { transactional, observability } = tool.contract
  return !effectRow(transactional.side_effect_class).mutates && !observability.audit_required && approval === undefined
}

const isFound = ({ tool, inputHash }: Call) => tool !== undefined && inputHash !== undefined && isFindable(tool)

function unwritten({ trail, recorded }: Call): readonly Fact[] {
  if (trail === undefined) return none
  return trail.slice(recorded ?? 0)
}

/** Answered from a generation, or told that it runs or is held: from now on this provider call id belongs to that generation. */
function wasToldOf({ conclusion }: Call): boolean {
  return conclusion?.kind === 'end' || (conclusion !== undefined && looksOn({ conclusion }))
}

/** Told that another pass runs or is held. */
const looksOn = ({ conclusion }: Pick<Call, 'conclusion'>) =>
  conclusion?.kind === 'stop' && (conclusion.reason === 'in_progress' || conclusion.reason === 'held')

/** Answered from the record while its effect is still to be read back: whoever reads it has the last word on the call. */
const awaitsReading = ({ conclusion, verifiedBefore }: Call) =>
  conclusion?.kind === 'end' && verifiedBefore?.state === 'PENDING'

/** Persist and verify come after the settle; what they add belongs to the answer that duplicates get. */
function changedSinceSettled({ settled, data, warnings, conclusion }: Call): boolean {
  if (settled === undefined) return false
  return settled.data !== data || settled.warnings !== warnings || conclusion?.kind === 'stop'
}

function recordOf(call: Call, answer: Answer | undefined): CallRecord {
  const { proposal, tool } = call
  return {
    id: call.id,
    key: {
      tenant: call.tenant,
      run: call.run,
      providerCallId: proposal.callId,
      tool: tool?.contract.identity.name ?? answer?.observation.tool_identity.name ?? '',
      inputHash: call.inputHash ?? '',
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
    told: answer === undefined ? undefined : toldOf(answer),
    ...verificationOn(call),
  }
}

function verificationOn({ verification, verifiedBefore, attempt }: Call): Pick<CallRecord, 'verification'> {
  const known = verification ?? (attempt === undefined ? verifiedBefore : undefined)
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

/** Nothing of most answers: then nothing is written. */
export function toldOf({ observation }: Pick<Answer, 'observation'>): CallRecord['told'] {
  const { errors, warnings } = observation.result_payload
  return errors.length === 0 && warnings.length === 0 ? undefined : { errors, warnings }
}
