// Approvals and grants in memory. One open packet per operation: later calls attach to it, and one with another packet takes its place.
import type { Approval, ApprovalSubject } from '../../contract/approval/approval.ts'
import { type StandingGrant, standingGrant } from '../../contract/approval/standing-grant.ts'
import type { Clock, EpochMs } from '../../json/clock.ts'
import { generateSigningKey } from '../log/keys/signing-key.ts'
import type { Approvals, SigningKeys } from '../ports/approvals.ts'
import type { Raise } from '../ports/limits.ts'
import type { AdmitRequest } from '../ports/operations.ts'
import { isSameQuestion, judgeDecision, maxAttached, raiseOf } from '../rules/decision.ts'
import { approvalPage } from '../rules/pages.ts'
import { approvalStatus, isInForce, mayUse, requesterText } from '../rules/permit.ts'

export interface MemoryApprovals extends Approvals {
  /** The approval that an admission may use; undefined where it may not be used, or none is named. */
  usable(request: AdmitRequest, generation: number, now: EpochMs): Approval | 'none' | undefined
  isGranted(request: AdmitRequest, now: EpochMs): boolean
  use(approval: Approval, callId: string): void
  /** Frees the approval of an attempt that had no effect and may be tried again. */
  free(callId: string): void
}

export function createMemoryApprovals(clock: Clock, raise: (raise: Raise, now: EpochMs) => void): MemoryApprovals {
  const approvals = new Map<string, Approval>()
  const newest = new Map<string, string>()
  const rejected = new Map<string, string>()
  const openOfSlot = new Map<string, string>()
  const ofCall = new Map<string, string>()
  const waitingByRequester = new Map<string, readonly string[]>()
  const grants = new Map<string, StandingGrant>()
  let keys: SigningKeys | undefined

  /**
   * The open packet of this operation, or an approved one of this very payload. An approval of another payload stays, and so does a grant or a
   * raise, which counts already: a request for the same asks for more of it.
   */
  const openOnes = (subject: ApprovalSubject, now: EpochMs): readonly Approval[] => {
    const waiting = approvals.get(openOfSlot.get(slotText(subject)) ?? '')
    const own = approvals.get(newest.get(subjectText(subject)) ?? '')
    return [
      ...(waiting !== undefined && approvalStatus(waiting, now) === 'pending' ? [waiting] : []),
      ...(own?.kind === 'call' && approvalStatus(own, now) === 'approved' ? [own] : []),
    ]
  }

  const attach = (approval: Approval, callId: string, trace: string): Approval => {
    const known = approval.callId === callId || approval.attached.some((call) => call.callId === callId)
    if (known || approval.attached.length >= maxAttached) return approval
    const attached = { ...approval, attached: [...approval.attached, { callId, trace }] }
    approvals.set(approval.id, attached)
    return attached
  }

  return {
    open({ ttlMs, replaces, waiting: awaited, ...request }, maxOpen) {
      const now = clock.now()
      const decided = approvals.get(awaited ?? '')
      if (decided?.usedBy !== undefined) return decided
      const { subject, question } = request
      const slot = slotText(subject)
      const open = openOnes(subject, now)
      const same = open.find((one) => one.id !== replaces && isSameQuestion(one, request))
      if (same !== undefined) return attach(same, request.callId, question.trace)
      const requester = quoted([subject.tenant, requesterText(request), request.run])
      const waiting = (waitingByRequester.get(requester) ?? []).filter((id) => {
        const other = approvals.get(id)
        return other !== undefined && !open.includes(other) && approvalStatus(other, now) === 'pending'
      })
      if (waiting.length >= maxOpen) return undefined
      for (const one of open) approvals.set(one.id, { ...one, superseded: true })
      const approval: Approval = {
        ...request,
        createdAt: now,
        expiresAt: (now + ttlMs) as EpochMs,
        decisions: [],
        attached: [],
        token: undefined,
        superseded: false,
        usedBy: undefined,
      }
      waitingByRequester.set(requester, [...waiting, approval.id])
      approvals.set(approval.id, approval)
      newest.set(subjectText(subject), approval.id)
      openOfSlot.set(slot, approval.id)
      return approval
    },
    find(subject, run) {
      const stands = run === undefined ? undefined : approvals.get(rejected.get(payloadText(subject)) ?? '')
      return stands ?? approvals.get(newest.get(subjectText(subject)) ?? '')
    },
    get: (id, tenant) => seenBy(approvals.get(id), tenant),
    list(query = {}) {
      const now = clock.now()
      return approvalPage(approvals.values(), query, (approval) => approvalStatus(approval, now))
    },
    decide(id, decision, issue, tenant) {
      const approval = seenBy(approvals.get(id), tenant)
      if (approval === undefined) return undefined
      const at = clock.now()
      const judged = judgeDecision(approval, decision, at, issue)
      if (judged.kind === 'unchanged') return approval
      approvals.set(id, judged.approval)
      if (judged.status === 'rejected') rejected.set(payloadText(approval.subject), id)
      const grant = judged.status === 'approved' ? standingGrant(judged.approval, undefined) : undefined
      if (grant !== undefined) grants.set(id, grant)
      const raised = judged.status === 'approved' ? raiseOf(judged.approval) : undefined
      if (raised !== undefined) raise(raised, at)
      return judged.approval
    },

    // People decide in this process, which runs the call.
    resumable: () => [],
    grants: ({ tenant, tool, user, inForce }) =>
      [...grants.values()].filter((grant) => {
        if (tenant !== undefined && grant.tenant !== tenant) return false
        if (tool !== undefined && grant.tool !== tool) return false
        if (user !== undefined && grant.user !== user) return false
        return inForce !== true || isInForce(grant, clock.now())
      }),
    revokeGrant(id, { by, reason }, tenant) {
      const grant = grants.get(id)
      if (grant === undefined || (tenant !== undefined && grant.tenant !== tenant)) return undefined
      if (grant.revoked !== undefined) return grant
      const revoked = { ...grant, revoked: { by, reason, at: clock.now() } }
      grants.set(id, revoked)
      return revoked
    },
    signingKeys() {
      if (keys === undefined) {
        const key = generateSigningKey()
        keys = { key, publicKeys: [key.publicKey] }
      }
      return keys
    },

    usable({ approval: wanted, tenant, slot }, generation, now) {
      if (wanted === undefined) return 'none'
      const approval = seenBy(approvals.get(wanted.id), tenant)
      if (approval === undefined) return undefined
      const { subject, usedBy } = approval
      const given = {
        // The same admission, sent again, is known by its slot before.
        used_by: usedBy === undefined ? 'none' : 'another',
        same_payload: subject.payloadHash === wanted.payloadHash,
        same_operation: slot === undefined || (subject.slotKey === slot.key && subject.generation === generation),
      } as const
      return mayUse(approval, given, now) ? approval : undefined
    },
    isGranted({ grant: wanted, tenant }, now) {
      if (wanted === undefined) return true
      const grant = grants.get(wanted.id)
      return grant !== undefined && grant.tenant === tenant && isInForce(grant, now)
    },
    use(approval, callId) {
      approvals.set(approval.id, { ...approval, usedBy: callId })
      ofCall.set(callId, approval.id)
    },
    free(callId) {
      const approval = approvals.get(ofCall.get(callId) ?? '')
      if (approval?.usedBy === callId) approvals.set(approval.id, { ...approval, usedBy: undefined })
    },
  }
}

const seenBy = (approval: Approval | undefined, tenant: string | undefined) =>
  approval !== undefined && (tenant === undefined || approval.subject.tenant === tenant) ? approval : undefined

const quoted = (parts: readonly (string | number | undefined)[]) => JSON.stringify(parts)
const slotText = ({ tenant, slotKey, generation }: ApprovalSubject) => quoted([tenant, slotKey, generation])
const subjectText = (subject: ApprovalSubject) => quoted([slotText(subject), subject.payloadHash])
const payloadText = ({ tenant, payloadHash }: ApprovalSubject) => quoted([tenant, payloadHash])
