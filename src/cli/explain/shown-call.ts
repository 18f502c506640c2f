// A call as it may be shown to a person who asks why it ended as it did: with its arguments, but for those that its tool calls sensitive.
import type { Fact } from '../../contract/call/fact.ts'
import { toIso } from '../../json/clock.ts'
import { maskValue } from '../../json/mask.ts'
import { readJson } from '../../json/read.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { CallRecord } from '../../ledger/ports/calls.ts'

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

export function shownCall(call: CallRecord, facts: readonly Fact[], contract: JsonObject | undefined): ShownCall {
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

/** A stored call may be as large as a proposal was allowed to be, and more is not shown. */
function shownArguments({ argumentText, terms }: CallRecord, facts: readonly Fact[]): JsonValue {
  const reading = readJson(argumentText)
  // Text that is not JSON may hold a secret anywhere.
  if (!reading.ok) return null
  if (terms === undefined) return shapeOf(reading.value)
  if (terms.sensitive.length === 0) return reading.value
  const masked = maskValue(reading.value, terms.sensitive)
  // Sensitive values are known by their place, and only arguments that fit the schema have everything in its place.
  const fitted = facts.some(({ phase, verdict }) => phase === 'constraints' && verdict.kind === 'pass')
  return fitted ? masked : shapeOf(masked)
}

/** The keys and the nesting, without any value. */
function shapeOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]))
  return maskValue(value, [''])
}
