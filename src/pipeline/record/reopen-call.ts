// A call from its record, as it stood when it was admitted: the same arguments, the same principal, the same mutations. Whoever looks
// after it later, in whatever process, works on this.
import type { Call } from '../../contract/call/call.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { within } from '../../execute/within.ts'
import { readJson } from '../../json/read.ts'
import type { ReadLimits } from '../../json/refusal.ts'
import { isObject } from '../../json/value.ts'
import type { CallRecord } from '../../ledger/ports/calls.ts'
import { callInputOf } from '../call/call-input.ts'
import { shape } from '../call/draft.ts'
import { recordedInput } from '../call/undo-dialect.ts'

/** Undefined where its arguments can no longer be read or no longer pass the checks of its schema library. */
export async function reopenCall(call: CallRecord, tool: Tool, limits: ReadLimits): Promise<Call | undefined> {
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
  const base: Call = {
    ...shape,
    id: call.id,
    pass: call.passes + 1,
    startedAt: call.startedAt,
    tenant: call.key.tenant,
    tenantNamed: call.tenantNamed,
    tenantKnown: true,
    principal: call.principal,
    workflow: call.workflow,
    run: call.key.run,
    traceId: call.traceId,
    operationId: call.operationId,
    ...(call.saga === undefined ? {} : { saga: call.saga }),
    resumeOnDecision: false,
    proposal: {
      tool: call.key.tool,
      arguments: call.argumentText,
      ...(call.key.providerCallId === undefined ? {} : { callId: call.key.providerCallId }),
    },
    source: call.source,
    reading: { ok: true, value: reading.value, canonical: call.argumentText },
    ...(modelInput === reading.value ? {} : { undone: modelInput }),
    inputHash: call.key.inputHash,
    surface: { entries: new Map(), aliases: new Map() },
    signal: undefined,
    mutations: call.mutations,
    effect: 'unknown',
    warnings: [],
    tool,
    modelInput,
    observableInput: permissionInput,
    permissionInput,
    ...(call.callInput === undefined ? {} : { keptCallInput: call.callInput }),
    ...(call.hookOutputs === undefined ? {} : { hookOutputs: call.hookOutputs }),
  }
  const given = call.callInput === undefined ? output : ('kept' as const)
  return { ...base, ...callInputOf(base, permissionInput, given === undefined ? undefined : given) }
}
