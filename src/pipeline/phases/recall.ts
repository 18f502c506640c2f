// Has this operation been seen? A finished one is answered from its record: not stale by its own effect, not asked again, not billed
// again. The record was read before permission; this decides on it.
import { judgeSlot, type SlotJudgement } from '../../contract/slot.ts'
import { replayedAnswer } from '../answers.ts'
import { type Gate, pass, type Stop, stop, type Verdict } from '../phase.ts'

/** How long a caller should wait for a running attempt before asking again. */
const retryAfterMs = 1_000

export const recall: Gate = {
  name: 'recall',
  does: 'Answers a finished operation from its record; refuses one that is under way, held or reused with other arguments.',
  stopsWith: [
    { class: 'IDEMPOTENCY_CONFLICT', reasons: ['in_progress', 'held', 'operation_expired'] },
    { class: 'SIGNATURE_MISMATCH', reasons: ['operation_reused'] },
  ],
  decide(call): Verdict {
    const { slotRef, slotRecord, judgedAt } = call
    if (slotRef === undefined || judgedAt === undefined) return pass
    return judged(judgeSlot(slotRecord, slotRef, judgedAt), call)
  },
}

/** The verdict on a slot; admit reaches the same one when another call was faster. */
export function judged(judgement: SlotJudgement, call: Parameters<Gate['decide']>[0]): Verdict {
  switch (judgement.kind) {
    case 'absent':
      return { kind: 'pass', gives: { generation: 1 } }
    case 'retry':
      return { kind: 'pass', gives: { generation: judgement.record.generation } }
    case 'generation':
      return { kind: 'pass', gives: { generation: judgement.record.generation + 1 } }
    case 'replay':
      return { kind: 'end', answer: replayedAnswer(judgement.record, call) }
    default:
      return conflict(judgement)
  }
}

function conflict({ kind, record }: Extract<SlotJudgement, { kind: 'busy' | 'held' | 'mismatch' | 'expired' }>): Stop {
  const gives = { effect: record.effect, slotRecord: record }
  switch (kind) {
    case 'busy':
      return stop('IDEMPOTENCY_CONFLICT', 'in_progress', 'The same operation is running; ask again for its answer.', {
        retryAfterMs,
        gives,
      })
    case 'held':
      return stop(
        'IDEMPOTENCY_CONFLICT',
        'held',
        'An earlier attempt may or may not have had its effect. A person has to find out; do not repeat it.',
        { gives },
      )
    case 'expired':
      return stop(
        'IDEMPOTENCY_CONFLICT',
        'operation_expired',
        'This operation was finished long ago and is no longer remembered in full. Use a new operation if it is meant as a new one.',
        { gives },
      )
    case 'mismatch':
      return stop(
        'SIGNATURE_MISMATCH',
        'operation_reused',
        'This operation was already used with other arguments. Use a new operation for a new intent.',
        { gives },
      )
  }
}
