// People's side of approvals: list what waits, look at it, approve it or reject it, with a credential and the hash of what was displayed.
// A decision is recorded once; the approval stays bound to the packet that was shown. There is no other way in.

import { sign, verify } from 'node:crypto'
import {
  type Approval,
  type ApprovalStatus,
  type Decision,
  isIntact,
  type Packet,
  packetOf,
} from '../contract/approval/approval.ts'
import { countVotes, type Uncounted } from '../contract/approval/approval-pattern.ts'
import type { Identified } from '../contract/approval/identity.ts'
import { Fault } from '../contract/fault.ts'
import { canonicalize } from '../json/canonical.ts'
import type { Clock, EpochMs } from '../json/clock.ts'
import type { PublicKey } from '../ledger/log/keys/public-key.ts'
import type { SigningKey } from '../ledger/log/keys/signing-key.ts'
import type { ApprovalQuery } from '../ledger/ports/approvals.ts'
import type { Ledger } from '../ledger/ports/ledger.ts'
import { approvalStatus } from '../ledger/rules/permit.ts'
import { issueToken } from './approval-token.ts'
import type { VerifyPerson } from './verify-person.ts'

export interface ApprovalView extends Omit<Approval, 'question'> {
  readonly status: ApprovalStatus
  /** All twelve fields, as they stand now. */
  readonly packet: Packet
}

export interface DecisionInput {
  /** The key of the person who decides. */
  readonly credential: string
  /** Of the packet that was displayed to them. */
  readonly packetHash: string
  readonly reason?: string
}

export interface ApprovalDesk {
  /** Oldest first, a page at a time; `after` goes on behind the last one of a page. */
  list(query?: ApprovalQuery): Promise<readonly ApprovalView[]>
  get(id: string, tenant?: string): Promise<ApprovalView | undefined>
  approve(id: string, decision: DecisionInput): Promise<ApprovalView>
  reject(id: string, decision: DecisionInput): Promise<ApprovalView>
}

export interface ApprovalDeskInput {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly verify: VerifyPerson
  /** Runs the approved call, where the call asked that the decision itself runs it. */
  readonly onApproved: (approval: Approval) => Promise<void>
}

const maxReason = 1_000
const changed = 'This is not the packet that was displayed. Look at it again.'
const unsealed =
  'Among the votes is one that was not given here. Nothing is approved; reject it, and have the ledger looked at.'

export function createApprovalDesk({ ledger, clock, verify, onApproved }: ApprovalDeskInput): ApprovalDesk {
  const view = (approval: Approval): ApprovalView => viewOf(approval, clock.now())

  const decide = async (id: string, verdict: 'approved' | 'rejected', input: DecisionInput) => {
    const { credential, packetHash: displayed, reason } = checked(input)
    const person = await verify(credential)
    const approval = await ledger.approvals.get(id, person.tenant)
    if (approval === undefined) throw new Fault('unknown_approval', `There is no approval ${id.slice(0, 64)}.`)
    // Judged by the content of the row, not by the hash that is stored beside it.
    if (!isIntact(approval, displayed)) throw new Fault('packet_changed', changed)
    if (verdict === 'approved') mayApprove(approval, person)
    const { user: by, kind, roles, keyId } = person
    const { key, publicKeys } = await ledger.approvals.signingKeys()
    const vote = { by, kind, roles, verdict, reason, keyId, packetHash: displayed }
    const decided = await ledger.approvals.decide(
      id,
      { ...vote, seal: sealVote(id, vote, key) },
      (approved, at) => {
        // Under the ledger's lock, of the row as it is now.
        if (!isIntact(approved, displayed)) throw new Fault('packet_changed', changed)
        if (!areSealed(approved, publicKeys)) throw new Fault('packet_changed', unsealed)
        return issueToken(approved, key, at, tokenEnd(approved))
      },
      person.tenant,
    )
    const result = view(decided ?? approval)
    if (verdict === 'approved' && result.status === 'approved') await onApproved(decided ?? approval)
    return result
  }

  return {
    list: async (query = {}) => (await ledger.approvals.list(query)).map(view),
    async get(id, tenant) {
      const approval = await ledger.approvals.get(id, tenant)
      return approval === undefined ? undefined : view(approval)
    },
    approve: (id, decision) => decide(id, 'approved', decision),
    reject: (id, decision) => decide(id, 'rejected', decision),
  }
}

export function viewOf({ question, ...approval }: Approval, now: EpochMs): ApprovalView {
  const whole = { question, ...approval }
  return { ...approval, status: approvalStatus(whole, now), packet: packetOf(whole) }
}

/** A grant ends later than its packet. */
function tokenEnd(approval: Approval): EpochMs {
  const { expires_at: end } = (approval.content?.limits ?? {}) as { readonly expires_at?: string }
  return approval.kind === 'grant' && end !== undefined ? (Date.parse(end) as EpochMs) : approval.expiresAt
}

const refusals: Readonly<Record<Exclude<Uncounted, 'voted_already'>, string>> = {
  not_a_person: 'Only people approve; this key was made for an agent or a service.',
  is_requester: 'Who asked for it, or would profit from it, does not approve it.',
  not_requester: 'Only the user on whose behalf the call is made can give this consent.',
  lacks_role: 'This takes a role that the key does not have.',
}

/** Judged on this vote alone: whether the person has voted before is for the ledger to see, under its lock. */
function mayApprove({ requirement, question, barred }: Approval, { user, kind, roles }: Identified): void {
  const vote = { by: user, kind, roles, verdict: 'approved' } as const
  const count = countVotes(requirement, [vote], question.requester.user, barred)
  const why = count.status === 'rejected' ? undefined : count.uncounted[0]?.why
  if (why !== undefined && why !== 'voted_already') throw new Fault('not_permitted', refusals[why])
}

function checked(input: DecisionInput): Omit<DecisionInput, 'reason'> & { readonly reason: string | undefined } {
  const { credential, packetHash: hash, reason } = (input ?? {}) as Partial<DecisionInput>
  if (typeof credential !== 'string' || credential === '')
    throw new Fault('bad_options', 'A decision needs the credential of the person who decides.')
  if (typeof hash !== 'string' || hash === '')
    throw new Fault('bad_options', 'A decision names the packet that was displayed: { packetHash }.')
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > maxReason))
    throw new Fault('bad_options', `A reason has at most ${maxReason} characters.`)
  return { credential, packetHash: hash, reason }
}

type Unsealed = Omit<Decision, 'at' | 'seal'>

/** A vote is signed by the process that saw the credential: one that was written into the row in another way is never counted. */
function sealVote(approvalId: string, vote: Unsealed, { privateKey }: SigningKey): string {
  return sign(null, sealed(approvalId, vote), privateKey).toString('base64url')
}

/** Whether every vote was taken by a process that has the key. */
function areSealed({ id, decisions }: Approval, publicKeys: readonly PublicKey[]): boolean {
  return decisions.every(({ seal, ...vote }) => {
    if (typeof seal !== 'string') return false
    const signature = Buffer.from(seal, 'base64url')
    return publicKeys.some(({ key }) => verify(null, sealed(id, vote), key, signature))
  })
}

function sealed(approvalId: string, { by, kind, roles, verdict, keyId, packetHash }: Unsealed): Buffer {
  return Buffer.from(
    canonicalize({ domain: 'proviso/vote/1', approvalId, by, kind, roles: [...roles], verdict, keyId, packetHash }),
  )
}
