// Names every error of a value that the compiled validator refused, in words a model can act on.
// Invariant: empty exactly when the validator accepts; never more than `limit` entries; no sensitive value in any of them.
import type { JsonValue } from '../json/value.ts'
import { cut } from './explain/bounded-text.ts'
import { findErrors } from './explain/find-errors.ts'
import type { Finding } from './explain/finding.ts'
import { type PlaceNumbers, rootPlace, sensitivityOf, showPlace } from './explain/place.ts'
import { noteText, sentences } from './explain/sentences.ts'
import { createTeller, type Teller } from './explain/teller.ts'
import type { FieldError } from './field-error.ts'
import type { Preprocessed } from './normal.ts'

export interface ExplainOptions {
  /** JSON Pointers into the value whose content must never be shown; the token `*` matches any key or index. */
  readonly sensitive?: readonly string[]
  /** The greatest number of errors; the last one then says that more follow. */
  readonly limit?: number
}

const messageBound = 600

export function explain(schema: Preprocessed, value: JsonValue, options: ExplainOptions = {}): readonly FieldError[] {
  const limit = Math.max(1, options.limit ?? 1000)
  const marked = sensitivityOf(options.sensitive ?? [])
  const { walk, findings, numberOf } = findErrors(schema, rootPlace(value), limit)
  const teller = createTeller(walk, marked)
  const told = withoutEchoes(findings.all, numberOf).slice(0, limit)
  return told.map((finding, index) => {
    const last = findings.isFull() && index === told.length - 1
    return tell(finding, teller, last ? ` More errors follow: these are the first ${told.length}.` : '')
  })
}

/** Of a value of the wrong type only that is told: no second type error, and no constraint that cannot apply. */
function withoutEchoes(findings: readonly Finding[], numberOf: PlaceNumbers): readonly Finding[] {
  const mistyped = new Map<number, Finding>()
  for (const finding of findings) {
    const number = numberOf(finding.place)
    if (finding.keyword === 'type' && !mistyped.has(number)) mistyped.set(number, finding)
  }
  if (mistyped.size === 0) return findings
  return findings.filter((finding) => {
    const wrong = mistyped.get(numberOf(finding.place))
    return wrong === undefined || wrong === finding || finding.kind === 'structure'
  })
}

function tell(finding: Finding, teller: Teller, more: string): FieldError {
  const { expected, actual, message } = sentences[finding.keyword](finding, teller)
  const { field, pointer } = showPlace(finding.place, teller.marked)
  const text = cut(`${message}${noteText(finding, teller)}`, messageBound)
  return { field, pointer, keyword: finding.keyword, kind: finding.kind, expected, actual, message: `${text}${more}` }
}
