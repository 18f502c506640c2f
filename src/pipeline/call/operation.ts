// What one operation comes to on the ledger: its key, its approval, and the verdict on its slot. Several phases need the
// same answer to these questions, so they are asked here.
import type { ApprovalSubject } from '../../contract/approval/approval.ts'
import type { Call } from '../../contract/call/call.ts'
import type { KeyFields } from '../../contract/call/slot.ts'
import { hashFields } from '../../json/hash.ts'
import type { SlotJudgement } from '../../ledger/rules/slot.ts'
import { type Stop, stop, type Verdict } from '../phase.ts'
import { replayedAnswer } from '../record/answers.ts'
import { toolOf } from './tool-context.ts'

/** The fields of the specification's key; the generation comes from the slot. */
export function keyFields(call: Call): KeyFields {
  const { identity } = toolOf(call).contract
  return {
    workflow: call.workflow ?? '',
    run: call.run ?? '',
    tenant: call.tenant,
    user: call.principal.user ?? '',
    tool: identity.name,
    version: identity.version,
    operation: call.slotRef?.operation ?? '',
    payloadHash: call.inputHash ?? '',
  }
}

/** What is asked for is one operation with one payload; a read has no slot, so its tool, run, user and arguments stand in. */
export function approvalSubject(call: Call, payloadHash: string): ApprovalSubject {
  return {
    tenant: call.tenant,
    slotKey:
      call.slotRef?.key ??
      hashFields('proviso.read.v1', [
        toolOf(call).contract.identity.name,
        call.run ?? null,
        call.principal.user ?? null,
        call.inputHash ?? null,
      ]),
    generation: call.generation ?? 1,
    payloadHash,
  }
}

/** How long a caller should wait for a running attempt before asking again. */
const retryAfterMs = 1_000

/** The verdict on a slot; recall reaches it before the gates, admit again when another call was faster. */
export function slotVerdict(judgement: SlotJudgement, call: Call): Verdict {
  switch (judgement.kind) {
    case 'absent':
      return { kind: 'pass', gives: { generation: 1 } }
    case 'retry':
      return { kind: 'pass', gives: { generation: judgement.record.generation } }
    case 'generation':
      return { kind: 'pass', gives: { generation: judgement.record.generation + 1 } }
    case 'replay': {
      const { record } = judgement
      return { kind: 'end', answer: replayedAnswer(record, call), gives: { effect: record.effect, slotRecord: record } }
    }
    case 'expired': {
      const { record } = judgement
      // Its time is over; what it came to is still said where the tool wants it said. It is never executed.
      if (toolOf(call).binding.recovery.expired !== 'rebuild' || record.answer === undefined) return conflict(judgement)
      return { kind: 'end', answer: replayedAnswer(record, call), gives: { effect: record.effect, slotRecord: record } }
    }
    default:
      return conflict(judgement)
  }
}

function conflict({ kind, record }: Extract<SlotJudgement, { kind: 'busy' | 'held' | 'mismatch' | 'expired' }>): Stop {
  const gives = { effect: record.effect, slotRecord: record }
  switch (kind) {
    case 'busy': {
      const message = 'The same operation is running; ask again for its answer.'
      return stop('IDEMPOTENCY_CONFLICT', 'in_progress', message, { retryAfterMs, gives })
    }
    case 'held': {
      const message =
        'An earlier attempt may or may not have had its effect. A person has to find out; do not repeat it.'
      return stop('IDEMPOTENCY_CONFLICT', 'held', message, { gives })
    }
    case 'expired': {
      const message =
        'This operation was finished long ago and is no longer remembered in full. Use a new operation if it is meant as a new one.'
      return stop('IDEMPOTENCY_CONFLICT', 'operation_expired', message, { gives })
    }
    case 'mismatch': {
      const message = 'This operation was already used with other arguments. Use a new operation for a new intent.'
      return stop('SIGNATURE_MISMATCH', 'operation_reused', message, { gives })
    }
  }
}
