// Has this operation been seen? A finished one is answered from its record: not stale by its own effect, not asked again, not billed
// again. The record was read before permission; this decides on it.
import { judgeSlot } from '../../ledger/rules/slot.ts'
import { slotVerdict } from '../call/operation.ts'
import { type Gate, pass } from '../phase.ts'

export const recall: Gate = {
  name: 'recall',
  does: 'Answers a finished operation from its record; refuses one that is under way, held or reused with other arguments.',
  stopsWith: [
    { class: 'IDEMPOTENCY_CONFLICT', reasons: ['in_progress', 'held', 'operation_expired'] },
    { class: 'SIGNATURE_MISMATCH', reasons: ['operation_reused'] },
  ],
  decide(call) {
    const { slotRef, slotRecord, judgedAt } = call
    // A read has no slot: nothing it does could happen twice.
    if (slotRef === undefined || judgedAt === undefined) return pass
    return slotVerdict(judgeSlot(slotRecord, slotRef, judgedAt), call)
  },
}
