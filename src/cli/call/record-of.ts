// Puts the record of one call together from what the ledger holds and what the caller was answered.
import { type WireAnswer, type WireFact, wireFact } from '../../contract/wire.ts'
import { toIso } from '../../json/clock.ts'
import { maskValue } from '../../json/mask.ts'
import { readJson } from '../../json/read.ts'
import { isObject, type JsonValue } from '../../json/value.ts'
import type { LoadedTool } from '../../load-contracts.ts'
import type { Proviso } from '../../runtime.ts'
import type { CallFile } from '../call-record.ts'

/** Undefined where the ledger does not know the call, which a fresh ledger in memory always does. */
export async function recordOf(
  proviso: Proviso,
  answer: WireAnswer,
  tool: LoadedTool | undefined,
): Promise<CallFile | undefined> {
  const id = answer.observation.tool_identity.call_id
  const record = await proviso.calls.get(id)
  if (record === undefined) return undefined
  const facts = (await proviso.calls.facts(id)).map(wireFact)
  // Sensitive values are known by their place, and only arguments that fit the schema have everything in its place.
  const fitted =
    tool !== undefined && facts.some(({ phase, verdict }) => phase === 'constraints' && verdict.kind === 'pass')
  return {
    call: {
      id,
      tool: record.key.tool,
      version: record.version,
      effect_class: tool?.contract.transactional.side_effect_class ?? null,
      ledger: 'ephemeral',
      tenant: record.key.tenant,
      user: record.principal.user ?? null,
      run: record.key.run ?? null,
      operation_id: record.operationId ?? null,
      provider_call_id: record.key.providerCallId ?? null,
      arguments: shownArguments(record.argumentText, tool?.binding.sensitive ?? [], fitted),
      started_at: toIso(record.startedAt),
      passes: record.passes,
    },
    facts: fitted ? facts : facts.map(unquotedFact),
    answer: masked(fitted ? answer : unquotedAnswer(answer), tool?.binding.persistence.redact ?? []),
  }
}

/** Text that is not JSON may hold a secret anywhere, so none of it is kept. */
function shownArguments(text: string, sensitive: readonly string[], fitted: boolean): JsonValue {
  const reading = readJson(text)
  if (!reading.ok) return null
  const known = maskValue(reading.value, sensitive)
  return fitted ? known : shapeOf(known)
}

/** The keys and the nesting, without any value. */
function shapeOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]))
  return maskValue(value, [''])
}

/** What was given may be quoted in `actual`, and nowhere else. */
const unquoted = <T extends { readonly actual: string }>(errors: readonly T[]): readonly T[] =>
  errors.map((error) => ({ ...error, actual: '[masked]' }))

function unquotedFact(fact: WireFact): WireFact {
  const { verdict } = fact
  return verdict.kind === 'stop' ? { ...fact, verdict: { ...verdict, errors: unquoted(verdict.errors) } } : fact
}

function unquotedAnswer(answer: WireAnswer): WireAnswer {
  const { feedback } = answer
  if (feedback === undefined) return answer
  return { ...answer, feedback: { ...feedback, field_errors: unquoted(feedback.field_errors) } }
}

function masked(answer: WireAnswer, redact: readonly string[]): WireAnswer {
  if (answer.value === undefined || redact.length === 0) return answer
  return { ...answer, value: maskValue(answer.value, redact) }
}
