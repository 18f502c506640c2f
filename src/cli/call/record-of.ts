// Puts the record of one call together from what the ledger holds and what the caller was answered.
import type { WireAnswer } from '../../contract/wire.ts'
import { wireFact } from '../../contract/wire.ts'
import { toIso } from '../../json/clock.ts'
import { maskValue } from '../../json/mask.ts'
import { readJson } from '../../json/read.ts'
import type { JsonValue } from '../../json/value.ts'
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
  const facts = await proviso.calls.facts(id)
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
      arguments: shownArguments(record.argumentText, tool),
      started_at: toIso(record.startedAt),
      passes: record.passes,
    },
    facts: facts.map(wireFact),
    answer: masked(answer, tool?.binding.persistence.redact ?? []),
  }
}

/** Text that is not JSON may hold a secret anywhere, so none of it is kept. */
function shownArguments(text: string, tool: LoadedTool | undefined): JsonValue {
  const reading = readJson(text)
  return reading.ok ? maskValue(reading.value, tool?.binding.sensitive ?? []) : null
}

function masked(answer: WireAnswer, redact: readonly string[]): WireAnswer {
  if (answer.value === undefined || redact.length === 0) return answer
  return { ...answer, value: maskValue(answer.value, redact) }
}
