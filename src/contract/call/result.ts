// What became of a result on its way to the model: its status, what was taken out of it, and where the rest of it is. The observation is
// closed by the specification and has no room for this, so it stands beside it in the answer.
import type { JsonObject } from '../../json/value.ts'
import type { PartialStep } from './partial-result.ts'

export type ResultStatus =
  | 'succeeded'
  | 'partial_succeeded'
  | 'failed'
  /** Permission, a policy, a budget or a rate said no. */
  | 'denied'
  /** The proposal itself would not do, or a person said no. */
  | 'rejected'
  /** It succeeded, and fields or secrets were taken out. */
  | 'redacted'
  /** It succeeded, and is too large to be shown whole. */
  | 'too_large'
  | 'canceled'
  | 'timed_out'
  /** Nothing of the tool's: made here in the place of a result. */
  | 'synthetic_error'
  /** It succeeded, and its result is given to no one. */
  | 'discarded'

export const persistenceModes = [
  'inline',
  'preview_and_persist',
  'ref_only',
  'redact',
  'drop_with_reason',
  'never_persist',
] as const

/** How much of a result is shown, and how much of it is kept. */
export type PersistenceMode = (typeof persistenceModes)[number]

/** What was done to a result before it was shown: fields masked by the binding, secrets scrubbed, characters cleaned, all of it withheld. */
export type Redaction = 'masked' | 'scrubbed' | 'cleaned' | 'withheld'

/** What was decided about a result that is not simply shown. */
export interface ResultPlan {
  readonly mode: Exclude<PersistenceMode, 'inline' | 'redact'>
  readonly bytes: number
  readonly reason: string
  /** Whether size alone keeps it out of sight. */
  readonly tooLarge: boolean
  /** Where it is kept, once it is. */
  readonly ref?: string
}

/** Work that was done in part: what is done, and what is not and why. */
export interface ResultParts {
  readonly completed: readonly { readonly name: string }[]
  readonly failed: readonly PartialStep[]
}

export interface ResultRecord {
  readonly status: ResultStatus
  readonly isError: boolean
  /** What the rest of it is fetched by. */
  readonly refs: readonly string[]
  readonly redaction: readonly Redaction[]
  /** False where it must be written nowhere: a host that keeps answers leaves its value out. */
  readonly kept: boolean
  /** The tool succeeded and returned nothing. */
  readonly empty: boolean
  /** What a model reads, as one text. Made when it is read. */
  readonly content: string
  /** The same as data: that of the observation. */
  readonly structured: JsonObject | null
  /** One line for a person. */
  readonly summary: string
}
