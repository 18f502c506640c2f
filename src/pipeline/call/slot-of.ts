// Which slot a call belongs to: derived from its tool, its context and what the model sent, and from nothing else.
import type { Call } from '../../contract/call/call.ts'
import type { SlotKind, SlotRef } from '../../contract/call/slot.ts'
import { effectRow } from '../../contract/effects.ts'
import { type SagaMark, sagaOperation } from '../../contract/saga/saga.ts'
import { hashFields, hashJson } from '../../json/hash.ts'
import { readPointer } from '../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'

/** Undefined for reads: nothing they do could happen twice. */
export function slotOf(call: Call): SlotRef | undefined {
  const { tool, modelInput, inputHash } = call
  if (tool === undefined || modelInput === undefined || inputHash === undefined) return undefined
  const { identity, transactional } = tool.contract
  const row = effectRow(transactional.side_effect_class)
  if (!row.mutates) return undefined
  const named = operationOf(call, modelInput)
  const run = call.run ?? ''
  const { kind, operation, scope } = named ?? unnamed(call, row.sameArgumentsAreOneOperation, inputHash)
  const { resource } = tool.binding
  const target = resource === undefined ? undefined : readPointer(call.callJson ?? modelInput, resource)
  return {
    tenant: call.tenant,
    key: slotKey(kind, [call.tenant, identity.name, scope, operation]),
    kind,
    operation,
    requestHash: inputHash,
    providerCallId: call.proposal.callId,
    run,
    resource: target === undefined ? undefined : hashJson([resource ?? '', target]),
  }
}

type KeyParts = readonly [tenant: string, tool: string, scope: string | null, operation: string]

const slotKey = (kind: SlotKind, parts: KeyParts) => hashFields(`proviso.slot.v1.${kind}`, parts)

/** Steps of sagas are named apart from whatever callers name. */
const sagaScope = 'saga'

export const sagaSlotKey = (tenant: string, tool: string, mark: SagaMark): string =>
  slotKey('caller', [tenant, tool, sagaScope, sagaOperation(mark)])

interface Named {
  readonly kind: SlotKind
  readonly operation: string
  /** What the operation's name is unique within, besides tenant and tool. */
  readonly scope: string | null
}

function operationOf(call: Call, input: JsonObject): Named | undefined {
  if (call.saga !== undefined) return { kind: 'caller', operation: sagaOperation(call.saga), scope: sagaScope }
  if (call.operationId !== undefined) return { kind: 'caller', operation: call.operationId, scope: null }
  const pointers = call.tool?.binding.operation
  if (pointers === undefined || pointers === 'call') return undefined
  const values = pointers.map((pointer): JsonValue => readPointer(input, pointer) ?? null)
  // An operation without any of its values would make strangers one operation.
  if (values.every((value) => value === null)) return undefined
  return { kind: 'pointer', operation: hashJson(values), scope: null }
}

function unnamed(call: Call, sameArgumentsAreOne: boolean, inputHash: string): Named {
  const scope = call.run ?? null
  if (sameArgumentsAreOne && call.tool?.binding.operation !== 'call') {
    return { kind: 'implicit', operation: inputHash, scope }
  }
  // The provider's id survives a repeated delivery of the same call; without one every call is its own operation.
  const identity = call.proposal.callId === undefined ? ['call', call.id] : ['provider', call.proposal.callId]
  return { kind: 'call', operation: hashFields('proviso.operation.v1', [...identity, inputHash]), scope }
}
