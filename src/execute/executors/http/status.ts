// What a status of HTTP means for a call: one row per status that has a meaning of its own; the others follow from their hundred.
import { ToolError } from '../../../contract/fault.ts'
import type { ExecutorClass } from '../../../contract/taxonomy.ts'

interface StatusRow {
  readonly class: ExecutorClass
  readonly meaning: string
}

export const statusRows: ReadonlyMap<number, StatusRow> = new Map<number, StatusRow>([
  [400, { class: 'SEMANTIC_INVALIDITY', meaning: 'the request was not accepted as it is' }],
  [401, { class: 'PERMISSION_DENIED', meaning: 'the credentials were not accepted' }],
  [402, { class: 'BUDGET_EXHAUSTED', meaning: 'a payment is due' }],
  [403, { class: 'PERMISSION_DENIED', meaning: 'it is not permitted' }],
  [404, { class: 'STALE_STATE', meaning: 'there is no such thing' }],
  [408, { class: 'TIMEOUT', meaning: 'the request did not arrive in time' }],
  [409, { class: 'STALE_STATE', meaning: 'it conflicts with the present state' }],
  [410, { class: 'STALE_STATE', meaning: 'it is gone' }],
  [412, { class: 'STALE_STATE', meaning: 'a precondition does not hold' }],
  [413, { class: 'OUT_OF_BOUNDS', meaning: 'the request is too large' }],
  [422, { class: 'SEMANTIC_INVALIDITY', meaning: 'the request was not accepted as it is' }],
  [423, { class: 'STALE_STATE', meaning: 'it is locked' }],
  [425, { class: 'RATE_LIMITED', meaning: 'it came too early' }],
  [428, { class: 'STALE_STATE', meaning: 'a precondition is required' }],
  [429, { class: 'RATE_LIMITED', meaning: 'there were too many requests' }],
  [451, { class: 'POLICY_VIOLATION', meaning: 'the law forbids it' }],
  [504, { class: 'TIMEOUT', meaning: 'what stands behind it did not answer in time' }],
])

export interface RefusedStatus {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly now: number
  readonly mutates: boolean
  /** Statuses with which this provider says that nothing was done. */
  readonly withoutEffect: readonly number[]
  /** A redirect led here after the request may have been carried out: what is refused here is only a look at it. */
  readonly afterDeed?: boolean
}

export function statusError({
  status,
  retryAfter,
  now,
  mutates,
  withoutEffect,
  afterDeed = false,
}: RefusedStatus): ToolError {
  const row = statusRows.get(status)
  const isRefusal = status >= 400 && status < 500
  const isUndone = !afterDeed && (isRefusal || withoutEffect.includes(status))
  const effect = !mutates || isUndone ? 'none' : 'unknown'
  const meaning = row?.meaning ?? (isRefusal ? 'the request was refused' : 'the server failed')
  return new ToolError(`http_${status}`, `The server answered ${status}: ${meaning}.`, {
    effect,
    class: row?.class ?? (isRefusal ? 'SEMANTIC_INVALIDITY' : 'DEPENDENCY_UNAVAILABLE'),
    retryAfterMs: retryAfterMs(retryAfter, now),
  })
}

const longestMs = 7 * 86_400_000

/** Retry-After in seconds or as a date; undefined where it is neither. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^[0-9]{1,10}$/.test(text)) return Math.min(Number(text) * 1_000, longestMs)
  // Dates as HTTP writes them, and nothing else that the parser of dates would take.
  const at = /^[A-Z][a-z]{2,8},? [0-9A-Za-z: -]+ GMT$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), longestMs)
}
