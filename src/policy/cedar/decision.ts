// What an organisation's policies say about one call.
import type { ApprovalPattern } from '../../contract/effects.ts'
import type { Policy } from './policy.ts'

export interface PolicyDecision {
  readonly voice: 'allow' | 'ask' | 'deny' | 'passthrough'
  /** `policy_error`: some policy could not be judged. `not_permitted`: none permits, and the set denies what none permits. */
  readonly reason: 'permitted' | 'asked' | 'forbidden' | 'not_permitted' | 'silent' | 'policy_error'
  /** One sentence that holds no argument of the call. */
  readonly message: string
  /** Those that decided, in the order in which they were loaded. */
  readonly policies: readonly DecidingPolicy[]
  /** SHA-256 over the policies and the schema of the tool. */
  readonly version: string
}

export interface DecidingPolicy {
  readonly id: string
  readonly message?: string
  readonly pattern?: ApprovalPattern
  readonly roles?: readonly string[]
  readonly quorum?: number
}

export function decidingPolicy({ id, message, ask }: Policy): DecidingPolicy {
  return {
    id,
    ...(message === undefined ? {} : { message }),
    ...(ask?.pattern === undefined ? {} : { pattern: ask.pattern }),
    ...(ask === undefined || ask.roles.length === 0 ? {} : { roles: ask.roles }),
    ...(ask?.quorum === undefined ? {} : { quorum: ask.quorum }),
  }
}
