// An object's constraints, gathered: claims by name, and claims on whole classes of names.
import type { Formula, SchemaClaim } from '../solver/formula.ts'

/** A claim on every property whose name is among the keys, or on some such property. */
export interface WideClaim {
  readonly keys: Formula
  readonly claim: SchemaClaim
}

export interface RecordShape {
  readonly min: number
  readonly max: number
  readonly names: ReadonlyMap<string, NamedClaims>
  readonly wideAll: readonly WideClaim[]
  readonly wideSome: readonly WideClaim[]
  /** What the property must obey if it is there. */
  claimsFor(name: string): readonly SchemaClaim[]
}

export interface NamedClaims {
  readonly all: SchemaClaim[]
  /** Not empty: the property must be there. */
  readonly some: SchemaClaim[]
}
