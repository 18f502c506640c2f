// Maps the tool's result to observation data, once, and settles the slot at once: from here on a duplicate gets this answer.
import { normalizeResult } from '../../execute/result.ts'
import { type Act, pass, stop } from '../phase.ts'
import { settleFailure, settleSuccess } from '../settle.ts'

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
    const warnings = result.empty ? [...call.warnings, 'empty_result: the tool succeeded and returned nothing'] : call.warnings
    const gives = { data: result.data, json: result.json, value: outcome.value, warnings, resultBytes: result.bytes }
    if (call.slotRef !== undefined) await settleSuccess({ ...call, ...gives }, tool, deps)
    return { kind: 'pass', gives }
  },
}
