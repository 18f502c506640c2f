// Maps the tool's result to observation data, once, and settles the slot at once: from here on a duplicate gets this answer.
import type { AdmittedCall } from '../../contract/call/stages.ts'
import { type Act, pass } from '../phase.ts'
import { type ResultGives, settleReturned } from '../record/settle.ts'

export const normalize: Act<AdmittedCall, ResultGives> = {
  name: 'normalize',
  does: 'Cleans the result, checks it against the output schema, flags what looks like an injection, and settles the slot.',
  stopsWith: [
    { class: 'OBSERVATION_NORMALIZATION_FAIL', reasons: ['result_mapping_failed'] },
    // Said once the phases after it had their say on what is shown.
    { class: 'PARTIAL_SUCCESS', reasons: ['partial_effect'] },
  ],
  act(call, deps) {
    const { outcome } = call
    return outcome?.kind === 'returned' ? settleReturned(call, outcome.value, deps) : pass
  },
  keep({ found, parts }) {
    if (found === undefined && parts === undefined) return undefined
    return {
      ...(found?.cleaned === undefined ? {} : { cleaned: found.cleaned }),
      ...(found === undefined || found.suspected.length === 0 ? {} : { suspected: found.suspected }),
      ...(parts === undefined
        ? {}
        : { completed: parts.completed.map(({ name }) => name), failed: parts.failed.map(({ name }) => name) }),
    }
  },
}
