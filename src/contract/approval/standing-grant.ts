// A grant in force: an approval of a set of calls, and whether a person took it back. What is granted is the approval's content.
import { type EpochMs, epochMs } from '../../json/clock.ts'
import { isObject } from '../../json/value.ts'
import type { Approval } from './approval.ts'

export interface StandingGrant {
  /** That of the approval. */
  readonly id: string
  readonly tenant: string
  readonly tool: string
  readonly user: string
  readonly expiresAt: EpochMs
  readonly approval: Approval
  readonly revoked: { readonly by: string; readonly reason: string; readonly at: EpochMs } | undefined
}

/** Undefined where the approval grants nothing that could be read. */
export function standingGrant(approval: Approval, revoked: StandingGrant['revoked']): StandingGrant | undefined {
  const { id, content, subject } = approval
  const { tool, principal, limits } = content ?? {}
  const user = isObject(principal) ? principal.user : undefined
  const end = isObject(limits) && typeof limits.expires_at === 'string' ? Date.parse(limits.expires_at) : Number.NaN
  if (approval.kind !== 'grant' || typeof tool !== 'string' || typeof user !== 'string' || !Number.isFinite(end))
    return undefined
  return { id, tenant: subject.tenant, tool, user, expiresAt: epochMs(end), approval, revoked }
}
