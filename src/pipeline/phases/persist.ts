// Keeps what is too large out of the model's context: the whole result is stored, and the observation refers to it. Hooks may have a last
// word on what is kept: the moment result_persistence.
import type { Call } from '../../contract/call.ts'
import type { JsonValue } from '../../json/value.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { toolOf } from '../context.ts'
import { type Act, pass, type Verdict } from '../phase.ts'
import { askHooks, isHooked, outputsOf, shownOutputs } from '../run-hooks.ts'
import { resultAfter } from './after.ts'

const previewLength = 1_000

export const persist: Act = {
  name: 'persist',
  does: 'Stores results too large for a context and refers to them; hooks may replace or withhold what is kept.',
  stopsWith: [],
  act(call, deps) {
    const { json, resultBytes } = call
    if (json === undefined || resultBytes === undefined) return pass
    if (!isHooked(deps.hooks, 'result_persistence')) return stored(call, deps.ledger)
    const told = { bytes: resultBytes, stored: isTooLarge(call), data: call.data ?? null }
    return askHooks(call, 'result_persistence', told, deps).then(async (outputs): Promise<Verdict> => {
      const gives = resultAfter(call, outputs)
      const verdict = await stored({ ...call, ...gives }, deps.ledger)
      return { kind: 'pass', gives: { ...gives, ...('gives' in verdict ? verdict.gives : {}) } }
    })
  },
  keep(call) {
    const outputs = outputsOf(call, 'result_persistence')
    return outputs.length === 0 ? undefined : (shownOutputs(outputs, []) as unknown as JsonValue)
  },
}

const isTooLarge = (call: Call) => (call.resultBytes ?? 0) > toolOf(call).binding.persistence.maxInlineBytes

function stored(call: Call, ledger: Ledger): Verdict | Promise<Verdict> {
  const { json, resultBytes } = call
  if (json === undefined || resultBytes === undefined || !isTooLarge(call)) return pass
  return Promise.resolve(ledger.saveResult(call.tenant, call.id, json)).then((ref) => ({
    kind: 'pass',
    gives: {
      data: { result_ref: ref, bytes: resultBytes, preview: JSON.stringify(json).slice(0, previewLength) },
      warnings: [...call.warnings, `result_too_large: ${resultBytes} bytes; the whole result is stored as ${ref}`],
    },
  }))
}
