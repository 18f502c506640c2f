// Derives the result record from an observation alone, so that a duplicate's record is the same without a byte more being kept.

import { type TaxonomyClass, taxonomy } from '../taxonomy.ts'
import type { Observation } from './observation.ts'
import type { Redaction, ResultRecord, ResultStatus } from './result.ts'

/** Of a call that ended; undefined where a person is asked, which is no result yet. */
const statusOf: Readonly<Record<TaxonomyClass, ResultStatus | undefined>> = {
  SUCCESS: 'succeeded',
  PARTIAL_SUCCESS: 'partial_succeeded',
  SYNTACTIC_PARSE_FAIL: 'rejected',
  STRUCTURAL_VIOLATION: 'rejected',
  TYPE_MISMATCH: 'rejected',
  OUT_OF_BOUNDS: 'rejected',
  SEMANTIC_INVALIDITY: 'rejected',
  PERMISSION_DENIED: 'denied',
  POLICY_VIOLATION: 'denied',
  STALE_STATE: 'rejected',
  CONFIRMATION_MISSING: undefined,
  BUDGET_EXHAUSTED: 'denied',
  RATE_LIMITED: 'denied',
  TIMEOUT: 'timed_out',
  IDEMPOTENCY_CONFLICT: 'rejected',
  SIGNATURE_MISMATCH: 'rejected',
  DEPENDENCY_UNAVAILABLE: 'failed',
  OBSERVATION_NORMALIZATION_FAIL: 'failed',
  COMPENSATION_REQUIRED: 'failed',
  COMPENSATION_FAILED: 'failed',
  UNKNOWN_ERROR: 'failed',
}

/** Reasons that say more precisely than their class what became of it. */
const byReason: ReadonlyMap<string, ResultStatus> = new Map<string, ResultStatus>([
  ['execution_failed', 'failed'],
  ['canceled', 'canceled'],
  ['sibling_canceled', 'synthetic_error'],
  ['internal_error', 'synthetic_error'],
  ['not_recorded', 'synthetic_error'],
  ['approval_rejected', 'rejected'],
  ['approval_invalid', 'denied'],
])

/** What warnings of ours say of a result that succeeded; the first that is there counts. */
const byWarning: readonly (readonly [code: string, status: ResultStatus])[] = [
  ['result_withheld', 'discarded'],
  ['result_dropped', 'discarded'],
  ['result_too_large', 'too_large'],
  ['result_redacted', 'redacted'],
  ['result_scrubbed', 'redacted'],
]

const redactions: readonly (readonly [code: string, redaction: Redaction])[] = [
  ['result_redacted', 'masked'],
  ['result_scrubbed', 'scrubbed'],
  ['result_cleaned', 'cleaned'],
  ['result_withheld', 'withheld'],
]

const noRefs: readonly string[] = Object.freeze([])
const noRedaction: readonly Redaction[] = Object.freeze([])

export function resultRecord(observation: Observation): ResultRecord | undefined {
  const { status, result_payload } = observation
  const { data, errors, warnings } = result_payload
  const { taxonomy_class: name } = status
  const codes = warnings.length === 0 ? undefined : new Set(warnings.map(codeOf))
  const own = statusOfClass(name, errors[0]?.code)
  if (own === undefined) return undefined
  const shown =
    own === 'succeeded' && codes !== undefined ? byWarning.find(([code]) => codes.has(code))?.[1] : undefined
  const isStored = codes !== undefined && (codes.has('result_too_large') || codes.has('result_stored'))
  const ref = isStored ? data?.result_ref : undefined
  return new LazyRecord(observation, {
    status: shown ?? own,
    isError: status.is_error,
    kept: codes === undefined || !codes.has('result_not_kept'),
    empty: own === 'succeeded' && data === null && shown === undefined,
    refs: typeof ref === 'string' ? [ref] : noRefs,
    redaction:
      codes === undefined ? noRedaction : redactions.flatMap(([code, what]) => (codes.has(code) ? [what] : [])),
    structured: data,
  })
}

/**
 * Its texts are made only when they are read: most callers hand the observation on as it is. A class, because every answer has one, and an
 * object that is given its own functions each time is ten times as dear.
 */
class LazyRecord implements ResultRecord {
  readonly status: ResultStatus
  readonly isError: boolean
  readonly kept: boolean
  readonly empty: boolean
  readonly refs: readonly string[]
  readonly redaction: readonly Redaction[]
  readonly structured: ResultRecord['structured']
  readonly #observation: Observation

  constructor(observation: Observation, known: Omit<ResultRecord, 'content' | 'summary'>) {
    this.status = known.status
    this.isError = known.isError
    this.kept = known.kept
    this.empty = known.empty
    this.refs = known.refs
    this.redaction = known.redaction
    this.structured = known.structured
    this.#observation = observation
  }

  get content(): string {
    return contentOf(this.#observation.result_payload)
  }

  get summary(): string {
    const { result_payload, status, tool_identity } = this.#observation
    const { data, errors } = result_payload
    const said =
      errors[0]?.message ?? (data === null ? 'It returned nothing.' : taxonomy[status.taxonomy_class].meaning)
    return `${tool_identity.name}: ${this.status}. ${said}`
  }

  toJSON(): ResultRecord {
    return { ...this, content: this.content, summary: this.summary }
  }
}

function statusOfClass(name: TaxonomyClass, reason: string | undefined): ResultStatus | undefined {
  if (name === 'SUCCESS' || name === 'PARTIAL_SUCCESS' || name === 'TIMEOUT') return statusOf[name]
  return (reason === undefined ? undefined : byReason.get(reason)) ?? statusOf[name]
}

const codeOf = (warning: string) => warning.slice(0, Math.max(0, warning.indexOf(':')))

/** The words that a model needs: what came back, what is wrong, what to know. An empty result says so. */
function contentOf({ data, errors, warnings }: Observation['result_payload']): string {
  const lines = [
    ...errors.map(({ field, message }) => (field === null ? message : `${field}: ${message}`)),
    ...(data === null ? [] : [JSON.stringify(data)]),
    ...warnings.map((warning) => `(${warning})`),
  ]
  return lines.length === 0 ? '(empty_result)' : lines.join('\n')
}
