// Keeps what is too large out of the model's context: the whole result is stored, and the observation refers to it.
import { toolOf } from '../context.ts'
import { type Act, pass } from '../phase.ts'

const previewLength = 1_000

export const persist: Act = {
  name: 'persist',
  does: 'Stores results too large for a context and refers to them.',
  stopsWith: [],
  act(call, { ledger }) {
    const { json, resultBytes } = call
    if (json === undefined || resultBytes === undefined) return pass
    if (resultBytes <= toolOf(call).binding.persistence.maxInlineBytes) return pass
    return Promise.resolve(ledger.saveResult(call.tenant, call.id, json)).then((ref) => ({
      kind: 'pass',
      gives: {
        data: { result_ref: ref, bytes: resultBytes, preview: JSON.stringify(json).slice(0, previewLength) },
        warnings: [...call.warnings, `result_too_large: ${resultBytes} bytes; the whole result is stored as ${ref}`],
      },
    }))
  },
}
