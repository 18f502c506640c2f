// The operation that a call is: which slot of the ledger it belongs to, and what its key and its approval are made of. Derived from its tool,
// its context and what the model sent, and from nothing else.
import type { ApprovalSubject } from '../../contract/approval/approval.ts'
import type { KeyFields, SlotKind, SlotRef } from '../../contract/call/slot.ts'
import type { JudgedCall, OpenedCall } from '../../contract/call/stages.ts'
import { effectRow } from '../../contract/effects.ts'
import { type SagaMark, sagaOperation } from '../../contract/saga/saga.ts'
import { fillDefaultsOf } from '../../contract/tool/declared-defaults.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { hashFields, hashJson } from '../../json/hash.ts'
import { readPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'

/** Undefined for reads: nothing they do could happen twice. `input` is what pointers read: call_input, once it is known. */
export function slotOf(call: OpenedCall, tool: Tool, modelInput: JsonObject, input: JsonObject): SlotRef | undefined {
  const { identity, transactional } = tool.contract
  const row = effectRow(transactional.side_effect_class)
  if (!row.mutates) return undefined
  const { kind, operation, scope } =
    namedOperation(call, tool, modelInput) ?? unnamedOperation(call, tool, row.sameArgumentsAreOneOperation)
  const { resource } = tool.binding
  const target = resource === undefined ? undefined : readPointer(withDefaults(input, tool), resource)
  return {
    tenant: call.tenant,
    key: slotKey(kind, [call.tenant, identity.name, scope, operation]),
    kind,
    operation,
    requestHash: call.inputHash,
    providerCallId: call.proposal.callId,
    run: call.run ?? '',
    resource: target === undefined ? undefined : hashJson([resource ?? '', target]),
  }
}

type KeyParts = readonly [tenant: string, tool: string, scope: string | null, operation: string]

const slotKey = (kind: SlotKind, parts: KeyParts) => hashFields(`proviso.slot.v1.${kind}`, parts)

/** Steps of sagas are named apart from what callers name. */
const sagaScope = 'saga'

export const sagaSlotKey = (tenant: string, tool: string, mark: SagaMark): string =>
  slotKey('caller', [tenant, tool, sagaScope, sagaOperation(mark)])

/**
 * A default that a schema library fills in is a transform of the library: it may be made anew each time, such as an id or a date, and another
 * process would print another one into its schema. None of those counts.
 */
const withDefaults = (input: JsonObject, { contract, binding }: Tool): JsonObject =>
  binding.inputCheck !== undefined
    ? input
    : (fillDefaultsOf(contract.affordance.input_schema, binding.dialect)?.(input) ?? input)

/**
 * By which equal arguments are known, once the dialect is undone: with the declared defaults of those that were left out, so that a default
 * that is given and one that is left out are one operation.
 */
export function requestHash({ reading, undone, inputHash }: OpenedCall, tool: Tool | undefined): string {
  const input = undone ?? (reading.ok ? reading.value : undefined)
  if (tool === undefined || !isObject(input)) return inputHash
  const whole = withDefaults(input, tool)
  return whole === input ? inputHash : hashJson(whole)
}

interface OperationName {
  readonly kind: SlotKind
  readonly operation: string
  /** What the operation's name is unique within, besides tenant and tool. */
  readonly scope: string | null
}

function namedOperation(
  { saga, operationId }: OpenedCall,
  tool: Tool,
  modelInput: JsonObject,
): OperationName | undefined {
  if (saga !== undefined) return { kind: 'caller', operation: sagaOperation(saga), scope: sagaScope }
  if (operationId !== undefined) return { kind: 'caller', operation: operationId, scope: null }
  const pointers = tool.binding.operation
  if (pointers === undefined || pointers === 'call') return undefined
  const input = withDefaults(modelInput, tool)
  const values = pointers.map((pointer): JsonValue => readPointer(input, pointer) ?? null)
  // An operation without any of its values would make strangers one operation.
  if (values.every((value) => value === null)) return undefined
  return { kind: 'pointer', operation: hashJson(values), scope: null }
}

function unnamedOperation(call: OpenedCall, { binding }: Tool, sameArgumentsAreOne: boolean): OperationName {
  const { inputHash, proposal, run } = call
  const scope = run ?? null
  if (sameArgumentsAreOne && binding.operation !== 'call') return { kind: 'implicit', operation: inputHash, scope }
  // The provider's id survives a repeated delivery of the same call; without one every call is its own operation.
  const identity = proposal.callId === undefined ? ['call', call.id] : ['provider', proposal.callId]
  return { kind: 'call', operation: hashFields('proviso.operation.v1', [...identity, inputHash]), scope }
}

/** The fields of the specification's key; the generation comes from the slot. */
export function keyFields(call: JudgedCall): KeyFields {
  const { identity } = call.tool.contract
  return {
    workflow: call.workflow ?? '',
    run: call.run ?? '',
    tenant: call.tenant,
    user: call.principal.user ?? '',
    tool: identity.name,
    version: identity.version,
    operation: call.slotRef?.operation ?? '',
    payloadHash: call.inputHash,
  }
}

/** What is asked for is one operation with one payload; a read has no slot, so its tool, run, user and arguments stand in. */
export function approvalSubject(call: JudgedCall, payloadHash: string): ApprovalSubject {
  const { tenant, slotRef, tool, run, principal, inputHash, generation } = call
  const readKey = () =>
    hashFields('proviso.read.v1', [tool.contract.identity.name, run ?? null, principal.user ?? null, inputHash])
  return { tenant, slotKey: slotRef?.key ?? readKey(), generation, payloadHash }
}
