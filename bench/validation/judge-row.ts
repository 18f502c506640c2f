// Judges one published call: was it answered as its label demands, in the right class and at the right place?
// Invariant: what should have happened comes from labels and plain Ajv; what did happen comes from the answer alone.
import { fieldPath } from '../../src/json/pointer.ts'
import { readJson } from '../../src/json/read.ts'
import { defaultLimits } from '../../src/json/refusal.ts'
import { isObject } from '../../src/json/value.ts'
import { type ExpectedRefusal, expectRefusal } from './expected-refusal.ts'
import type { LabelledRow } from './labelled-rows.ts'
import type { Opinion } from './plain-ajv.ts'
import type { Trial } from './trial-ground.ts'

export interface NamedField {
  readonly pointer: string
  readonly keyword: string
  readonly kind: string
  readonly field: string
}

export interface JudgedRow {
  readonly file: string
  readonly line: number
  readonly id: string
  readonly expected: 'accept' | 'refuse'
  readonly verdict: 'accept' | 'refuse'
  /** False where the executor got something else than was sent. */
  readonly same_value: boolean
  readonly class: string
  readonly reason: string
  readonly fields: readonly NamedField[]
  /** Null where nothing had to be refused. */
  readonly right_class: boolean | null
  readonly right_path: boolean | null
  /** Whether every place that plain Ajv names outside unions was told. */
  readonly every_path: boolean | null
  readonly expected_class: string | null
  /** For a tool that was not offered: the offered one that the name must mean, if any, and those that the answer names. */
  readonly near: string | undefined
  readonly suggested: readonly string[]
  /** Plain Ajv, asked again, does not say what the label says. */
  readonly label_disputed: boolean
}

export interface JudgeInput {
  readonly row: LabelledRow
  readonly valid: boolean
  readonly trial: Trial
  readonly opinion: Opinion
}

const noFields: readonly string[] = []

export function judgeRow({ row, valid, trial, opinion }: JudgeInput): JudgedRow {
  const value = looselyParsed(row.text)
  const complaints = value === undefined ? [] : opinion.complaints(value)
  const labelSays = valid ? 'accept' : 'refuse'
  const ajvSays = value !== undefined && complaints.length === 0 ? 'accept' : 'refuse'
  const fields = trial.reachedWith === undefined ? namedFields(row.text, trial) : []
  const judged = {
    ...base(row, trial),
    expected: labelSays,
    verdict: trial.reachedWith === undefined ? 'refuse' : 'accept',
    same_value: trial.reachedWith === undefined || trial.reachedWith === JSON.stringify(value),
    fields,
    near: undefined,
    suggested: [],
    label_disputed: ajvSays !== labelSays,
  } as const
  if (valid) return { ...judged, right_class: null, right_path: null, every_path: null, expected_class: null }
  return { ...judged, ...comparison(trial, fields, value === undefined ? undefined : expectRefusal(complaints)) }
}

/** A tool that was not offered: resolve has to say so, and nothing may run. */
export function judgeUnknownTool(row: LabelledRow, trial: Trial): JudgedRow {
  const told = fieldsTold(trial).map((field) => ({ pointer: '', keyword: 'unknown_tool', kind: 'structure', field }))
  const judged = base(row, trial)
  const right = judged.class === 'STRUCTURAL_VIOLATION' && judged.reason === 'unknown_tool'
  return {
    ...judged,
    expected: 'refuse',
    verdict: trial.reachedWith === undefined ? 'refuse' : 'accept',
    same_value: true,
    fields: told,
    right_class: right,
    right_path: right && told.length > 0,
    every_path: right && told.length > 0,
    expected_class: 'STRUCTURAL_VIOLATION',
    near: nearName(row.tool, row.offered),
    suggested: row.offered.filter((name) =>
      trial.answer.feedback?.field_errors.some(({ message }) => message.includes(`\`${name}\``)),
    ),
    label_disputed: false,
  }
}

/** Equal but for case and separators, with or without what stands before the last dot. */
function nearName(wanted: string, offered: readonly string[]): string | undefined {
  const bare = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  const last = (name: string): string => bare(name.slice(name.lastIndexOf('.') + 1))
  if (bare(wanted) === '') return undefined
  return (
    offered.find((name) => bare(name) === bare(wanted)) ??
    offered.find((name) => last(name) === bare(wanted) || bare(name) === last(wanted))
  )
}

function base(row: LabelledRow, { answer }: Trial) {
  const { status, result_payload } = answer.observation
  return {
    file: row.file,
    line: row.line,
    id: row.id,
    class: status.taxonomy_class,
    reason: result_payload.errors[0]?.code ?? 'ok',
  }
}

/** Undefined expectation: the text is no JSON at all, and any one place may be told. */
function comparison(trial: Trial, fields: readonly NamedField[], expected: ExpectedRefusal | undefined) {
  const told = new Set(fieldsTold(trial))
  const places = new Set(fields.filter(({ field }) => told.has(field)).map(({ pointer }) => pointer))
  const actual = trial.answer.observation.status.taxonomy_class
  if (expected === undefined) {
    const right = actual === 'SYNTACTIC_PARSE_FAIL'
    return {
      right_class: right,
      right_path: places.size > 0,
      every_path: places.size > 0,
      expected_class: 'SYNTACTIC_PARSE_FAIL',
    }
  }
  return {
    right_class: expected.classes.has(actual),
    right_path: [...expected.deciding].some((pointer) => places.has(pointer)),
    every_path: [...expected.definite].every((pointer) => places.has(pointer)),
    expected_class: [...expected.classes].join(' or '),
  }
}

const fieldsTold = ({ answer }: Trial): readonly string[] =>
  answer.feedback?.field_errors.map(({ field }) => field) ?? noFields

/** The answer names fields for a model's eyes; the pointers behind them come from the same reader and explainer. */
function namedFields(text: string, { explain }: Trial): readonly NamedField[] {
  const reading = readJson(text, defaultLimits)
  if (!reading.ok) {
    const { pointer, code } = reading.refusal
    return [{ pointer, keyword: code, kind: 'syntax', field: fieldPath(pointer) }]
  }
  const { value } = reading
  if (!isObject(value)) return [{ pointer: '', keyword: 'type', kind: 'type', field: '$' }]
  return explain(value).map(({ pointer, keyword, kind, field }) => ({ pointer, keyword, kind, field }))
}

function looselyParsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
