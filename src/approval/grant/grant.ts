// A grant: a standing approval of a set of calls, in a closed flat grammar. Every field of the input is said to be one value, one of
// several, a number between two bounds, anything, or left out. What is not said is not granted.
import type { EpochMs } from '../../json/clock.ts'
import type { JsonValue } from '../../json/value.ts'

export type FieldRule =
  | { readonly kind: 'const'; readonly value: JsonValue }
  | { readonly kind: 'enum'; readonly values: readonly JsonValue[] }
  /** Both ends are included. */
  | { readonly kind: 'range'; readonly min: number; readonly max: number }
  /** All that the input schema lets through, also nothing. */
  | { readonly kind: 'any' }
  | { readonly kind: 'absent' }

export interface Grant {
  readonly tenant: string
  readonly tool: string
  /** The contract that was looked at; another one needs another grant. */
  readonly contractHash: string
  /** For whom, and through which agent; without an agent only calls that name none. */
  readonly user: string
  readonly agent: string | undefined
  /** By JSON Pointer. */
  readonly fields: ReadonlyMap<string, FieldRule>
  /** Where the input says how much is moved. */
  readonly amount: string | undefined
  readonly limits: {
    readonly count: number
    readonly totalAmount: number | undefined
    readonly expiresAt: EpochMs
  }
  /** Also for runs that have read untrusted content. */
  readonly untrustedRuns: boolean
}

export interface GrantProblem {
  /** Into the grant as it was written. */
  readonly pointer: string
  readonly message: string
}
