// Permission rules: who may call what, said as data. A rule speaks about a call where everything it names fits; what it does not name
// fits always.
import type { ApprovalPattern, EffectClass } from '../../contract/effects.ts'

/** In the order in which they are heard: among several asks the first one is named. */
export const permissionSources = ['organisation', 'project', 'user', 'run'] as const

export type PermissionSource = (typeof permissionSources)[number]

export interface PermissionRule {
  readonly id: string
  /** `passthrough` is recorded and decides nothing. An allow overrides no other voice. */
  readonly says: 'allow' | 'ask' | 'deny' | 'passthrough'
  /** One sentence for the model, or for the person who is asked. */
  readonly message?: string
  /** Names of tools; a star at the end stands for any ending. */
  readonly tools?: readonly string[]
  /** What stands before the last dot of a tool's name. */
  readonly namespaces?: readonly string[]
  readonly effects?: readonly EffectClass[]
  readonly tenants?: readonly string[]
  readonly users?: readonly string[]
  readonly agents?: readonly string[]
  /** Any of these. */
  readonly roles?: readonly string[]
  /** Any of these. */
  readonly scopes?: readonly string[]
  /** A CEL expression over `args` and `context`, like those of a tool's own rules. */
  readonly when?: string
  /** An instant such as 2026-12-31T23:59:59Z, from which on the rule no longer speaks. */
  readonly expires?: string
  /** Who has to approve, where the rule asks. */
  readonly approval?: {
    readonly pattern?: ApprovalPattern
    readonly roles?: readonly string[]
    readonly quorum?: number
  }
}

export type Permissions = { readonly [Source in PermissionSource]?: readonly PermissionRule[] }
