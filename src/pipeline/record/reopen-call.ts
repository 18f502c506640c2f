// A call from its record, as it stood when it was admitted: the same arguments, the same principal, the same mutations. What
// looks after it later, in this process or another, works on this.
import type { Tool } from '../../contract/tool/tool.ts'
import { within } from '../../execute/within.ts'
import { readJson } from '../../json/read.ts'
import type { ReadLimits } from '../../json/refusal.ts'
import { isObject } from '../../json/value.ts'
import type { CallRecord } from '../../ledger/ports/calls.ts'
import { type Draft, shape } from '../call/draft.ts'
import { callInputOf, recordedInput } from '../call/inputs.ts'

/** Undefined where its arguments can no longer be read or no longer pass the checks of its schema library. */
export async function reopenCall(call: CallRecord, tool: Tool, limits: ReadLimits): Promise<Draft | undefined> {
  const reading = readJson(call.argumentText, limits)
  if (!reading.ok || !isObject(reading.value)) return undefined
  const modelInput = recordedInput(reading.value, call.mutations)
  const permissionInput = call.permissionInput ?? modelInput
  const library = tool.binding.inputCheck
  const output =
    library === undefined || call.callInput !== undefined
      ? undefined
      : await within(tool.contract.runtime.timeout_ms, library(structuredClone(permissionInput)))
  if (output?.ok === false) return undefined
  const { key, hookOutputs, callInput: keptCallInput, mutations } = call
  const libraryOutput = keptCallInput === undefined ? output : ('kept' as const)
  const inputs = callInputOf({ permissionInput, keptCallInput, mutations }, libraryOutput)
  return {
    ...shape,
    id: call.id,
    pass: call.passes + 1,
    startedAt: call.startedAt,
    judgedAt: call.startedAt,
    tenant: key.tenant,
    tenantNamed: call.tenantNamed,
    tenantKnown: true,
    principal: call.principal,
    workflow: call.workflow,
    run: key.run,
    traceId: call.traceId,
    operationId: call.operationId,
    saga: call.saga,
    resumeOnDecision: false,
    untrusted: false,
    proposal: {
      tool: key.tool,
      arguments: call.argumentText,
      ...(key.providerCallId === undefined ? {} : { callId: key.providerCallId }),
    },
    source: call.source,
    reading: { ok: true, value: reading.value, canonical: call.argumentText },
    undone: modelInput === reading.value ? undefined : modelInput,
    inputHash: key.inputHash,
    surface: { entries: new Map(), aliases: new Map() },
    mutations,
    effect: 'unknown',
    tool,
    modelInput,
    observableInput: permissionInput,
    permissionInput,
    keptCallInput,
    hookOutputs,
    ...inputs,
  }
}
