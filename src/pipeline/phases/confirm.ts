// Does a person have to agree, and did they agree to exactly this? An approval counts only for the payload it was given for.
import { buildPacket } from '../../approval/packet.ts'
import { type Approval, approvalStatus } from '../../contract/approval.ts'
import type { Call } from '../../contract/call.ts'
import { idempotencyKey } from '../../contract/slot.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { toolOf } from '../context.ts'
import { consequenceOf, stateAfter } from '../described.ts'
import { approvalSubject, keyFields } from '../operation.ts'
import { payloadHash } from '../payload.ts'
import { type Gate, pass, stop, type Verdict, type Wait } from '../phase.ts'

interface Evidence {
  readonly approval: Approval | undefined
  readonly payloadHash: string | undefined
  readonly now: EpochMs
}

const notAsked: Evidence = { approval: undefined, payloadHash: '', now: 0 as EpochMs }

export const confirm: Gate<Evidence> = {
  name: 'confirm',
  does: 'Waits for the people the effect class demands; their approval is bound to the exact payload.',
  stopsWith: [
    {
      class: 'CONFIRMATION_MISSING',
      reasons: ['approval_pending', 'approval_rejected', 'approval_expired', 'approval_invalid'],
    },
  ],
  gather(call, { ledger, clock }) {
    return call.asked === undefined ? notAsked : look(call, ledger, clock.now())
  },
  decide(call, evidence) {
    if (call.asked === undefined) return pass
    const { approval, now, payloadHash: hash } = evidence
    if (hash === undefined) return stop('CONFIRMATION_MISSING', 'approval_invalid', unbound)
    if (approval === undefined) return ask(call, hash, 'approval_pending')
    if (approval.subject.payloadHash !== hash) {
      return stop('CONFIRMATION_MISSING', 'approval_invalid', 'The approval was given for another payload.')
    }
    switch (approvalStatus(approval, now)) {
      case 'approved':
        return { kind: 'pass', gives: { approval, payloadHash: hash } }
      case 'rejected':
        return stop('CONFIRMATION_MISSING', 'approval_rejected', rejection(approval))
      case 'expired':
        return ask(call, hash, 'approval_expired')
      case 'pending':
      case 'used':
        return ask(call, hash, 'approval_pending')
    }
  },
}

const unbound =
  'What the tool would get cannot be pinned down, so nobody can approve it: its schema makes instances of classes of the arguments.'

async function look(call: Call, ledger: Ledger, now: EpochMs): Promise<Evidence> {
  const hash = payloadHash(call)
  const approval = hash === undefined ? undefined : await ledger.findApproval(approvalSubject(call, hash))
  return { approval, payloadHash: hash, now }
}

function ask(call: Call, hash: string, reason: Wait['reason']): Verdict {
  const packet = buildPacket({
    call,
    tool: toolOf(call),
    consequence: consequenceOf(call),
    after: stateAfter(call),
    fingerprint: call.slotRef === undefined ? hash : idempotencyKey(keyFields(call), call.generation ?? 1),
    why: call.asked ?? '',
  })
  return { kind: 'wait', reason, packet, payloadHash: hash }
}

function rejection(approval: Approval): string {
  const decision = approval.decisions.find((entry) => entry.verdict === 'rejected')
  const why = decision?.reason === undefined ? '' : ` The reason given: ${JSON.stringify(decision.reason)}.`
  return `A person rejected this call.${why} Do not propose it again unless something has changed.`
}
