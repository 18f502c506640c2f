// Maps the tool's result to observation data, once, and settles the slot at once: from here on a duplicate gets this answer.
import { type Act, pass } from '../phase.ts'
import { settleReturned } from '../settle.ts'

export const normalize: Act = {
  name: 'normalize',
  does: 'Checks the result against the output schema and settles the slot.',
  stopsWith: [{ class: 'OBSERVATION_NORMALIZATION_FAIL', reasons: ['result_mapping_failed'] }],
  act(call, deps) {
    const { outcome } = call
    return outcome?.kind === 'returned' ? settleReturned(call, outcome.value, deps) : pass
  },
}
