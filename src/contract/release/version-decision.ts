// What people decide about the versions of a tool, as it is kept: who, when and why. Decisions are only ever added; folding them in order
// gives what is in force.
import type { EpochMs } from '../../json/clock.ts'
import type { Release } from './release.ts'

/** A version that a part of the runs gets before all others do. */
export interface Canary {
  readonly version: string
  /** Of the runs that could get it: 0 none, 1 all. */
  readonly share: number
  /** Only runs of these tenants could; undefined: those of every tenant. */
  readonly tenants?: readonly string[] | undefined
}

export type VersionChange =
  /** `from`: the version that it replaces; null where the person who decided did not know it. */
  | { readonly kind: 'promote'; readonly tool: string; readonly version: string; readonly from: string | null }
  | { readonly kind: 'canary'; readonly tool: string; readonly canary: Canary | null }
  /** `canary`: the version that was tried out, and with which it ends; null: there was none. */
  | { readonly kind: 'rollback'; readonly tool: string; readonly canary: string | null }
  | { readonly kind: 'promote_release'; readonly release: Release }
  | { readonly kind: 'rollback_release' }

export interface VersionDecision {
  /** Counts from 1, without a gap. */
  readonly seq: number
  /** Names it: issued again after a cut connection, it is the same one. */
  readonly id: string
  /** By the ledger's clock. */
  readonly at: EpochMs
  readonly by: string
  readonly why: string
  readonly change: VersionChange
}
