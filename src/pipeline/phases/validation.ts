// The arguments: read as strict JSON, then validated in one pass that is split by kind of error into structure, types and constraints. The
// first kind present names the class, and the feedback carries all errors. The compiled validator decides; only an invalid value is explained.
import type { ArgumentReading, ErrorDetail } from '../../contract/call/call.ts'
import type { OpenedCall, ResolvedCall } from '../../contract/call/stages.ts'
import type { TaxonomyClass } from '../../contract/taxonomy.ts'
import { fieldPath } from '../../json/pointer.ts'
import { isObject } from '../../json/value.ts'
import { errorKinds, type FieldError, worstKind } from '../../schema/field-error.ts'
import { type Gate, type Gives, pass, passWith, type Stop, stop } from '../phase.ts'

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

const refuse = (taxonomyClass: TaxonomyClass, errors: readonly FieldError[]): Stop =>
  stop(
    taxonomyClass,
    'schema_validation_failed',
    // Those that name the class come first.
    errorKinds
      .flatMap((kind) => errors.filter((error) => error.kind === kind))
      .map(({ field, expected, actual, message }) => ({ field, expected, actual, message })),
  )

const unexplained: FieldError = {
  field: '$',
  pointer: '',
  keyword: 'schema',
  kind: 'structure',
  expected: 'arguments that satisfy the input schema',
  actual: 'other arguments',
  message: 'The arguments do not satisfy the input schema.',
}

function errorsOf({ tool, permissionInput }: ResolvedCall): readonly FieldError[] {
  const { input, binding } = tool
  if (input.matches(permissionInput)) return []
  const errors = input.explain(permissionInput, binding.sensitive)
  // The validator's refusal stands even where no error could be named.
  return errors.length === 0 ? [unexplained] : errors
}

export const structure: Gate<ResolvedCall, Gives<ResolvedCall, never, 'fieldErrors'>> = {
  name: 'structure',
  does: 'Required, unknown and misplaced fields, at every depth.',
  stopsWith: [{ class: 'STRUCTURAL_VIOLATION', reasons: ['schema_validation_failed'] }],
  decide(call) {
    const errors = errorsOf(call)
    if (errors.length === 0) return pass
    return worstKind(errors) === 'structure'
      ? refuse('STRUCTURAL_VIOLATION', errors)
      : passWith({ fieldErrors: errors })
  },
}

export const types: Gate<ResolvedCall> = {
  name: 'types',
  does: 'JSON types, at every depth.',
  stopsWith: [{ class: 'TYPE_MISMATCH', reasons: ['schema_validation_failed'] }],
  decide: ({ fieldErrors }) =>
    fieldErrors !== undefined && worstKind(fieldErrors) === 'type' ? refuse('TYPE_MISMATCH', fieldErrors) : pass,
}

export const constraints: Gate<ResolvedCall> = {
  name: 'constraints',
  does: 'Ranges, lengths, enums, patterns, formats and counts.',
  stopsWith: [{ class: 'OUT_OF_BOUNDS', reasons: ['schema_validation_failed'] }],
  decide: ({ fieldErrors }) => (fieldErrors === undefined ? pass : refuse('OUT_OF_BOUNDS', fieldErrors)),
}
