// Judges the strict reading of the arguments, which are one JSON object.
import type { ArgumentReading, ErrorDetail } from '../../contract/call/call.ts'
import type { OpenedCall, ResolvedCall } from '../../contract/call/stages.ts'
import { fieldPath } from '../../json/pointer.ts'
import { isObject } from '../../json/value.ts'
import { type Gate, type Gives, passWith, stop } from '../phase.ts'

export const parse: Gate<OpenedCall, Gives<ResolvedCall, 'modelInput' | 'permissionInput'>> = {
  name: 'parse',
  does: 'Reads the arguments as strict JSON, or says where they are not.',
  stopsWith: [
    { class: 'SYNTACTIC_PARSE_FAIL', reasons: ['unreadable_arguments'] },
    { class: 'TYPE_MISMATCH', reasons: ['schema_validation_failed'] },
  ],
  decide({ reading, undone, permissionInput }) {
    if (!reading.ok) return stop('SYNTACTIC_PARSE_FAIL', 'unreadable_arguments', [refusalDetail(reading.refusal)])
    const value = undone ?? reading.value
    if (isObject(value)) return passWith({ modelInput: value, permissionInput: permissionInput ?? value })
    const actual = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
    const message = 'Arguments are one JSON object; send the object itself, or {} where there are none.'
    return stop('TYPE_MISMATCH', 'schema_validation_failed', [{ field: '$', expected: 'object', actual, message }])
  },
}

function refusalDetail(refusal: Extract<ArgumentReading, { ok: false }>['refusal']): ErrorDetail {
  const where = 'line' in refusal ? ` (line ${refusal.line}, column ${refusal.column})` : ''
  return {
    field: fieldPath(refusal.pointer),
    expected: 'strict JSON',
    actual: refusal.code,
    message: `${refusal.message}${where}`,
  }
}
