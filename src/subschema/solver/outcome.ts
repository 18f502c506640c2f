// What a search for a value found. Invariant: `empty` is a proof, `value` is an example, and whatever is neither is
// `unknown` and says why; an unknown is never turned into an empty.
import type { JsonValue } from '../../json/value.ts'

/** Why no answer could be given. */
export interface Gap {
  /** The keyword, or the limit, that could not be modelled. */
  readonly construct: string
  readonly reason: string
  readonly side?: 'r' | 'l'
  readonly pointer?: string
}

export type Outcome =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'empty' }
  | { readonly kind: 'unknown'; readonly gap: Gap }

export const empty: Outcome = { kind: 'empty' }

export function found(value: JsonValue): Outcome {
  return { kind: 'value', value }
}

export function unknown(gap: Gap): Outcome {
  return { kind: 'unknown', gap }
}
