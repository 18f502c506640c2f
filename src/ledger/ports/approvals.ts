// Questions to people and their answers: approvals, standing grants, and the keys that tokens are signed with.
import type {
  Approval,
  ApprovalRequest,
  ApprovalStatus,
  ApprovalSubject,
  Decision,
} from '../../contract/approval/approval.ts'
import type { StandingGrant } from '../../contract/approval/standing-grant.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { PublicKey } from '../log/keys/public-key.ts'
import type { SigningKey } from '../log/keys/signing-key.ts'
import type { IssueToken } from '../rules/decision.ts'

export interface ApprovalQuery {
  readonly tenant?: string
  readonly status?: ApprovalStatus
  /** Only approvals that were opened after the one of this id. */
  readonly after?: string
  /** 100 by default. */
  readonly limit?: number
}

export interface GrantQuery {
  readonly tenant?: string | undefined
  readonly tool?: string | undefined
  readonly user?: string | undefined
  /** Only those that are neither revoked nor over. */
  readonly inForce?: boolean
}

/** The key that signs, and the public halves of all that ever did. */
export interface SigningKeys {
  readonly key: SigningKey
  readonly publicKeys: readonly PublicKey[]
}

export interface Approvals {
  /**
   * Opens an approval, or attaches the call to the one that is open for its operation and asks the same; one that asks something else is
   * superseded. Undefined when `maxOpen` others of the same user and agent wait in its run, or outside of all runs.
   */
  open(request: ApprovalRequest, maxOpen: number): Awaitable<Approval | undefined>
  /** The newest of the subject; before that, one of the same payload that was rejected in this run, for any operation. */
  find(subject: ApprovalSubject, run: string | undefined): Awaitable<Approval | undefined>
  get(id: string, tenant?: string): Awaitable<Approval | undefined>
  list(query?: ApprovalQuery): Awaitable<readonly Approval[]>
  /** The approval after the vote. With the last vote that was needed the token is issued and written in the same step. */
  decide(
    id: string,
    decision: Omit<Decision, 'at'>,
    issue: IssueToken,
    tenant?: string,
  ): Awaitable<Approval | undefined>
  /** Calls that asked to be run by their approval, were approved elsewhere, and still wait: a page at a time, in the order of their ids. */
  resumable(after?: string): Awaitable<readonly string[]>
  /** Standing approvals, oldest first. */
  grants(query: GrantQuery): Awaitable<readonly StandingGrant[]>
  /** The grant after that; one that was revoked before keeps its first revocation. */
  revokeGrant(
    id: string,
    revocation: { readonly by: string; readonly reason: string },
    tenant?: string,
  ): Awaitable<StandingGrant | undefined>
  /** What tokens are signed with, and every key whose tokens still count. */
  signingKeys(): Awaitable<SigningKeys>
}
