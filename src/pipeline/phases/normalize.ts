// Maps the tool's result to observation data, once, and settles the slot at once: from here on a duplicate gets this answer.
import type { Tool } from '../../contract/tool.ts'
import { asData, normalizeResult } from '../../execute/result.ts'
import { maskValue } from '../../json/mask.ts'
import { type Act, pass, stop } from '../phase.ts'
import { settleFailure, settleSuccess } from '../settle.ts'

type Result = Extract<Awaited<ReturnType<typeof normalizeResult>>, { ok: true }>

export const normalize: Act = {
  name: 'normalize',
  does: 'Checks the result against the output schema and settles the slot.',
  stopsWith: [{ class: 'OBSERVATION_NORMALIZATION_FAIL', reasons: ['result_mapping_failed'] }],
  async act(call, deps) {
    const { tool, outcome } = call
    if (tool === undefined || outcome?.kind !== 'returned') return pass
    const result = await normalizeResult(outcome.value, tool)
    if (!result.ok) {
      const verdict = stop('OBSERVATION_NORMALIZATION_FAIL', 'result_mapping_failed', result.message)
      await settleFailure(call, tool, verdict, deps)
      return verdict
    }
    const gives = {
      ...mapped(result, outcome.value, tool.binding.persistence.redact),
      warnings: [...call.warnings, ...notes(result, tool)],
    }
    if (call.slotRef === undefined) return { kind: 'pass', gives }
    await settleSuccess({ ...call, ...gives }, tool, deps)
    return { kind: 'pass', gives: { ...gives, settled: { data: gives.data, warnings: gives.warnings } } }
  },
}

/** What must not be shown is masked before anything is settled, so that no copy of it is kept. */
function mapped({ json, data, bytes, empty }: Result, value: unknown, redact: readonly string[]) {
  if (redact.length === 0) return { json, data, value, resultBytes: bytes }
  const shown = maskValue(json, redact)
  return { json: shown, data: asData(shown, empty), value: shown, resultBytes: bytes }
}

function notes({ empty }: Result, tool: Tool): readonly string[] {
  return [
    ...(empty ? ['empty_result: the tool succeeded and returned nothing'] : []),
    ...(tool.binding.persistence.redact.length > 0 ? ['result_redacted: some fields are masked'] : []),
  ]
}
