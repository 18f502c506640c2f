// The part of a tool's binding that a call keeps, so that it can be explained where the tool is not known: the promise that holds for its
// effect, and the places of its arguments that are not shown.

/** How often an admitted operation takes effect, also where a process dies in between. */
export type PromiseKind = 'exactly_once' | 'once_within_window' | 'once_beyond_horizon' | 'at_most_once'

export interface Promised {
  readonly kind: PromiseKind
  /** For how long the provider honours the key. */
  readonly windowMs?: number
  /** How long after its deadline an effect may still arrive; from then on a reading that finds none counts. */
  readonly horizonMs?: number
}

export interface CallTerms {
  /** Undefined for reads, which have no effect. */
  readonly promise?: Promised
  /** Pointers of arguments whose values never leave the call. */
  readonly sensitive: readonly string[]
}
