// Writes one pass down, and notes on its slot which provider call ids have been answered from it.
import type { Answer } from '../contract/answer.ts'
import type { CallRecord } from '../ledger/ledger.ts'
import { recordAnswer } from './answers.ts'
import type { Deps } from './deps.ts'
import { isFindable } from './find-call.ts'
import type { Pass } from './run.ts'

/** Of arguments that could not be read, enough is kept to see what they were. */
const keptRawLength = 4_096

export async function recordPass(pass: Pass, deps: Deps): Promise<Answer> {
  const { call, facts, answer } = pass
  const findAgain = call.tool !== undefined && call.inputHash !== undefined && isFindable(call.tool)
  await deps.ledger.record({ call: recordOf(pass, findAgain), facts, findAgain })
  if (call.slotRef !== undefined && changedSinceSettled(call)) {
    await deps.ledger.amend(call.tenant, call.slotRef.key, call.generation ?? 1, recordAnswer(answer, call))
  }
  const { slotRef, slotRecord, proposal } = call
  if (slotRef !== undefined && slotRecord !== undefined && proposal.callId !== undefined && wasToldOf(call)) {
    await deps.ledger.seeSlot(call.tenant, slotRef.key, slotRecord.generation, proposal.callId)
  }
  return answer
}

/** Answered from a generation, or told that it runs or is held: from now on this provider call id belongs to that generation. */
function wasToldOf({ conclusion }: Pass['call']): boolean {
  if (conclusion?.kind === 'end') return true
  return conclusion?.kind === 'stop' && (conclusion.reason === 'in_progress' || conclusion.reason === 'held')
}

/** Persist and verify come after the settle; what they add belongs to the answer that duplicates get. */
function changedSinceSettled({ settled, data, warnings, conclusion }: Pass['call']): boolean {
  if (settled === undefined) return false
  return settled.data !== data || settled.warnings !== warnings || conclusion?.kind === 'stop'
}

function recordOf({ call, answer }: Pass, findAgain: boolean): CallRecord {
  const { proposal, tool } = call
  return {
    id: call.id,
    key: {
      tenant: call.tenant,
      run: call.run,
      providerCallId: proposal.callId,
      tool: tool?.contract.identity.name ?? answer.observation.tool_identity.name,
      inputHash: call.inputHash ?? '',
    },
    workflow: call.workflow,
    traceId: call.traceId,
    principal: call.principal,
    operationId: call.operationId,
    version: tool?.contract.identity.version ?? '',
    contractHash: tool?.contractHash ?? '',
    argumentText: argumentText(call),
    source: call.source,
    startedAt: call.startedAt,
    passes: call.pass,
    status: answer.observation.status.taxonomy_class,
    effect: answer.effect,
    latencyMs: answer.observation.execution_metadata.latency_ms,
    hookOutputs: call.hookOutputs,
    permissionInput: call.hookOutputs === undefined ? undefined : call.permissionInput,
    callInput: call.keptCallInput,
    mutations: call.mutations,
    tenantNamed: call.tenantNamed,
    refusal: call.reading.ok ? undefined : call.reading.refusal,
    surfaceEntry: surfaceEntry(call),
    answer: findAgain ? recordAnswer(answer, call) : undefined,
  }
}

function surfaceEntry({ tool, surface }: Pass['call']): CallRecord['surfaceEntry'] {
  const entry = tool === undefined ? undefined : surface.entries.get(tool.contract.identity.name)
  if (entry === undefined || entry.status === 'loaded' || entry.status === 'excluded') return undefined
  return { status: entry.status, reason: entry.reason, note: entry.note }
}

function argumentText({ reading, proposal }: Pass['call']): string {
  if (reading.ok) return reading.canonical
  return typeof proposal.arguments === 'string' ? proposal.arguments.slice(0, keptRawLength) : ''
}
