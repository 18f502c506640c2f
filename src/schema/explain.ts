// Names every error of a value that the compiled validator refused, in words a model can act on.
// Invariant: empty exactly when the validator accepts, unless the work exceeds its bound; then the errors found until then.
// Never more than `limit` entries; no sensitive value in any of them.
import type { JsonValue } from '../json/value.ts'
import { cut } from './explain/bounded-text.ts'
import { type FoundErrors, findErrors } from './explain/find-errors.ts'
import type { Finding } from './explain/finding.ts'
import { type PlaceNumbers, rootPlace, sensitivityOf, showPlace } from './explain/place.ts'
import { createSentenceContext, type SentenceContext } from './explain/sentence-context.ts'
import { noteText, sentences } from './explain/sentences.ts'
import type { FieldError } from './field-error.ts'
import { createEffort, type Effort } from './judge/effort.ts'
import type { Preprocessed } from './normal.ts'

export interface ExplainOptions {
  /** JSON Pointers into the value whose content must never be shown; the token `*` matches any key or index. */
  readonly sensitive?: readonly string[]
  /** The greatest number of errors, 100 unless given; the last one then says that more follow. */
  readonly limit?: number
  /** The work of this one explanation, for tests and measurements that look at it afterwards. */
  readonly effort?: Effort
}

const messageBound = 600

/** Steps of work for finding errors and for describing them: together some 40 ms at worst. */
export const stepsToFind = 150_000
const stepsToFindFew = 40_000
const stepsToDescribe = 50_000

/** How many errors are looked for where finding all is too much work. */
const few = 5

export function explain(schema: Preprocessed, value: JsonValue, options: ExplainOptions = {}): readonly FieldError[] {
  const limit = Math.max(1, options.limit ?? 100)
  const marked = sensitivityOf(options.sensitive ?? [])
  const { effort = createEffort(stepsToFind) } = options
  const all = findErrors(schema, rootPlace(value), limit, effort)
  const incomplete = effort.isSpent()
  const { walk, findings, numberOf } =
    incomplete && all.findings.all.length === 0 ? findFew(schema, value, effort) : all
  const more = incomplete ? 'More errors may follow' : findings.isFull() ? 'More errors follow' : undefined
  effort.renew(stepsToDescribe)
  const context = createSentenceContext(walk, marked)
  const kept = withoutEchoes(findings.all, numberOf).slice(0, limit)
  return kept.map((finding, index) => {
    const last = more !== undefined && index === kept.length - 1
    return fieldErrorOf(finding, context, last ? ` ${more}: these are the first ${kept.length}.` : '')
  })
}

/** Unions in unions pass every error up through all levels: where that was too much, a few errors may still be found. */
function findFew(schema: Preprocessed, value: JsonValue, effort: Effort): FoundErrors {
  effort.renew(stepsToFindFew)
  return findErrors(schema, rootPlace(value), few, effort)
}

/** A value of the wrong type gets that one error: no second type error, and no constraint that cannot apply to it. */
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

function fieldErrorOf(finding: Finding, context: SentenceContext, more: string): FieldError {
  const { expected, actual, message } = sentences[finding.keyword](finding, context)
  const { field, pointer } = showPlace(finding.place, context.marked)
  const text = cut(`${message}${noteText(finding, context)}`, messageBound)
  return { field, pointer, keyword: finding.keyword, kind: finding.kind, expected, actual, message: `${text}${more}` }
}
