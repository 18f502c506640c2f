// What a status of HTTP means for a call: one row per status that has a meaning of its own; the others follow from their hundred. That
// nothing was done is said only where a standard says so of the status, or the provider in the binding.
import { ToolError } from '../../../contract/fault.ts'
import type { ExecutorClass } from '../../../contract/taxonomy.ts'

interface StatusRow {
  readonly class: ExecutorClass
  readonly meaning: string
  /** By which words nothing was done; absent where no standard says so. */
  readonly undone?: string
  /**
   * Methods after which it does not say so: anything on the way may send such a request again (RFC 9110, 9.2.2), and then this may be what
   * the second one makes of the effect of the first.
   */
  readonly exceptAfter?: readonly string[]
}

const sendsOn = 'it sends on, which does not say that it was done'

export const statusRows: ReadonlyMap<number, StatusRow> = new Map<number, StatusRow>([
  // Accepted is no word on whether it is or will be done (RFC 9110, 15.3.3), and several statuses are one for each part (RFC 4918, 13).
  [202, { class: 'TIMEOUT', meaning: 'it is accepted, and not known to be done' }],
  [207, { class: 'DEPENDENCY_UNAVAILABLE', meaning: 'each part has a status of its own' }],
  // An indirect answer, such as a page that shows the result or asks for the form again (RFC 9110, 15.4.4).
  [301, { class: 'DEPENDENCY_UNAVAILABLE', meaning: sendsOn }],
  [302, { class: 'DEPENDENCY_UNAVAILABLE', meaning: sendsOn }],
  [303, { class: 'DEPENDENCY_UNAVAILABLE', meaning: sendsOn }],
  [400, { class: 'SEMANTIC_INVALIDITY', meaning: 'the request was not accepted as it is', undone: 'RFC 9110, 15.5.1' }],
  [401, { class: 'PERMISSION_DENIED', meaning: 'the credentials were not accepted', undone: 'RFC 9110, 15.5.2' }],
  [402, { class: 'BUDGET_EXHAUSTED', meaning: 'a payment is due' }],
  [403, { class: 'PERMISSION_DENIED', meaning: 'it is not permitted', undone: 'RFC 9110, 15.5.4' }],
  [
    404,
    { class: 'STALE_STATE', meaning: 'there is no such thing', undone: 'RFC 9110, 15.5.5', exceptAfter: ['DELETE'] },
  ],
  [405, { class: 'SEMANTIC_INVALIDITY', meaning: 'the method is not supported there', undone: 'RFC 9110, 15.5.6' }],
  [407, { class: 'PERMISSION_DENIED', meaning: 'a proxy wants credentials', undone: 'RFC 9110, 15.5.8' }],
  // By the standard the request did not arrive whole. Gateways give it as well where what stands behind them was slow.
  [408, { class: 'TIMEOUT', meaning: 'something took too long' }],
  [
    409,
    {
      class: 'STALE_STATE',
      meaning: 'it conflicts with the present state',
      undone: 'RFC 9110, 15.5.10',
      exceptAfter: ['PUT', 'DELETE'],
    },
  ],
  [410, { class: 'STALE_STATE', meaning: 'it is gone', undone: 'RFC 9110, 15.5.11', exceptAfter: ['DELETE'] }],
  [411, { class: 'SEMANTIC_INVALIDITY', meaning: 'a length is required', undone: 'RFC 9110, 15.5.12' }],
  [
    412,
    {
      class: 'STALE_STATE',
      meaning: 'a precondition does not hold',
      undone: 'RFC 9110, 13.1',
      exceptAfter: ['PUT', 'DELETE'],
    },
  ],
  [413, { class: 'OUT_OF_BOUNDS', meaning: 'the request is too large', undone: 'RFC 9110, 15.5.14' }],
  [414, { class: 'OUT_OF_BOUNDS', meaning: 'the address is too long', undone: 'RFC 9110, 15.5.15' }],
  [415, { class: 'SEMANTIC_INVALIDITY', meaning: 'the kind of its content is refused', undone: 'RFC 9110, 15.5.16' }],
  [421, { class: 'DEPENDENCY_UNAVAILABLE', meaning: 'it came to the wrong server', undone: 'RFC 9110, 15.5.20' }],
  [
    422,
    { class: 'SEMANTIC_INVALIDITY', meaning: 'the request was not accepted as it is', undone: 'RFC 9110, 15.5.21' },
  ],
  [423, { class: 'STALE_STATE', meaning: 'it is locked', undone: 'RFC 4918, 11.3', exceptAfter: ['PUT', 'DELETE'] }],
  [425, { class: 'RATE_LIMITED', meaning: 'it came too early', undone: 'RFC 8470, 5.2' }],
  [426, { class: 'DEPENDENCY_UNAVAILABLE', meaning: 'another protocol is required', undone: 'RFC 9110, 15.5.22' }],
  [428, { class: 'STALE_STATE', meaning: 'a precondition is required', undone: 'RFC 6585, 3' }],
  [429, { class: 'RATE_LIMITED', meaning: 'there were too many requests', undone: 'RFC 6585, 4' }],
  [431, { class: 'OUT_OF_BOUNDS', meaning: 'its header is too large', undone: 'RFC 6585, 5' }],
  [451, { class: 'POLICY_VIOLATION', meaning: 'the law forbids it', undone: 'RFC 7725, 3' }],
  [504, { class: 'TIMEOUT', meaning: 'what stands behind it did not answer in time' }],
])

/** Statuses of success that do not say of the whole that it was done: only the provider can say so. */
export const saysTooLittle: ReadonlySet<number> = new Set([202, 207])

export interface RefusedStatus {
  readonly status: number
  readonly method: string
  readonly retryAfter: string | undefined
  readonly now: number
  readonly mutates: boolean
  /** Statuses with which this provider says that nothing was done. */
  readonly withoutEffect: readonly number[]
  /** A redirect led here after the request may have been carried out, or was: what is refused here is only a look at it. */
  readonly before?: 'happened' | 'unknown' | undefined
}

/** Of a status that is no success, or that does not say whether it is one. */
export function statusError({
  status,
  method,
  retryAfter,
  now,
  mutates,
  withoutEffect,
  before,
}: RefusedStatus): ToolError {
  const row = statusRows.get(status)
  const isRefusal = status >= 400 && status < 500
  const saysUndone = row?.undone !== undefined && row.exceptAfter?.includes(method) !== true
  const isUndone = saysUndone || withoutEffect.includes(status)
  const effect = mutates ? (before ?? (isUndone ? 'none' : 'unknown')) : 'none'
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
