// Keeps what is too large or too private out of the model's context: large results are stored and referred to, redacted fields masked.
import { asData } from '../../execute/result.ts'
import { maskValue } from '../../json/mask.ts'
import type { JsonValue } from '../../json/value.ts'
import { type Act, pass } from '../phase.ts'

const previewLength = 1_000

export const persist: Act = {
  name: 'persist',
  does: 'Stores results too large for a context and masks what must not be shown.',
  stopsWith: [],
  async act(call, { ledger }) {
    const { tool, json, data } = call
    if (tool === undefined || json === undefined || data === undefined) return pass
    const { maxInlineBytes, redact } = tool.binding.persistence
    const warnings = [...call.warnings]
    let shown: JsonValue = json
    if (redact.length > 0) {
      shown = maskValue(json, redact)
      warnings.push('result_redacted: some fields are masked')
    }
    if ((call.resultBytes ?? 0) > maxInlineBytes) {
      const ref = await ledger.saveResult(call.tenant, call.id, shown)
      warnings.push(`result_too_large: ${call.resultBytes} bytes; the whole result is stored as ${ref}`)
      const preview = JSON.stringify(shown).slice(0, previewLength)
      return { kind: 'pass', gives: { data: { result_ref: ref, bytes: call.resultBytes ?? 0, preview }, warnings } }
    }
    return redact.length === 0 ? pass : { kind: 'pass', gives: { data: asData(shown, false), warnings } }
  },
}
