// The result of a search for a value. Invariant: `empty` is a proof, `value` is an example, and everything else is `unknown`
// and says why; an unknown is never turned into an empty.
import type { JsonValue } from '../../json/value.ts'

/** The two schemas of a question: is every value of R a value of L? */
export type ProofSide = 'r' | 'l'

/** Why no answer could be given. */
export interface Gap {
  /** The keyword, or the limit, that could not be modelled. */
  readonly construct: string
  readonly reason: string
  readonly side?: ProofSide
  readonly pointer?: string
}

export type SearchOutcome =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'empty' }
  | { readonly kind: 'unknown'; readonly gap: Gap }

export const empty: SearchOutcome = { kind: 'empty' }

export function valueFound(value: JsonValue): SearchOutcome {
  return { kind: 'value', value }
}

export function unknown(gap: Gap): SearchOutcome {
  return { kind: 'unknown', gap }
}
