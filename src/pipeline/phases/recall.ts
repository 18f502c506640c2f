// Has this operation been seen? A finished one is answered from its record: not stale by its own effect, not asked again, not billed
// again. The record was read before permission; this decides on it.
import type { SlotRecord } from '../../contract/call/slot.ts'
import type { JudgedCall } from '../../contract/call/stages.ts'
import { judgeSlot, type SlotJudgement } from '../../ledger/rules/slot.ts'
import { type AnswerStanding, answerStanding, isSharedWith } from '../call/shared-answers.ts'
import { type Gate, type Gives, pass, passWith, stop, type Verdict } from '../phase.ts'
import { replayedAnswer, withoutDetails } from '../record/answers.ts'

export type SlotGives = Gives<JudgedCall, never, 'generation' | 'effect' | 'slotRecord' | 'contradicted'>

export const recall: Gate<JudgedCall, SlotGives, AnswerStanding | undefined> = {
  name: 'recall',
  does: 'Answers a finished operation from its record; refuses one that is under way, held or reused with other arguments.',
  stopsWith: [
    {
      class: 'IDEMPOTENCY_CONFLICT',
      reasons: ['in_progress', 'held', 'operation_expired', 'done_for_another', 'record_contradicted'],
    },
    { class: 'SIGNATURE_MISMATCH', reasons: ['operation_reused'] },
  ],
  gather: (call, { ledger }) => answerStanding(call.slotRecord, call, ledger),
  decide(call, standing) {
    const { slotRef, slotRecord, contradicted, judgedAt } = call
    // A read has no slot: nothing it does could happen twice.
    if (slotRef === undefined) return pass
    if (contradicted) return contradiction(slotRecord)
    return verdictOnSlot(judgeSlot(slotRecord, slotRef, judgedAt), call, standing)
  },
}

/** Facts say otherwise than the record of the operation, and neither can be believed: nothing is done, and people are asked. */
export const contradiction = (slotRecord: SlotRecord | undefined): Verdict<SlotGives> =>
  stop(
    'IDEMPOTENCY_CONFLICT',
    'record_contradicted',
    'The record of this operation was changed or is gone. It may have been done; a person has to find out. Do not repeat it.',
    { gives: { effect: 'unknown', slotRecord, contradicted: true } },
  )

/** How long a caller should wait for a running attempt before asking again. */
const retryAfterMs = 1_000

/** The verdict on a slot; recall reaches it first, admit again when another call was faster. */
export function verdictOnSlot(
  judgement: SlotJudgement,
  call: JudgedCall,
  standing: AnswerStanding | undefined,
): Verdict<SlotGives> {
  switch (judgement.kind) {
    case 'absent':
      return passWith({ generation: 1 })
    case 'retry':
      return passWith({ generation: judgement.record.generation })
    case 'generation':
      return passWith({ generation: judgement.record.generation + 1 })
    case 'replay':
      return recordedEnd(judgement.record, call, standing)
    case 'expired': {
      const { record } = judgement
      // Its time is over; what it came to is still said where the tool wants it said. It is never executed.
      if (call.tool.binding.recovery.expired !== 'rebuild' || standing?.hasAnswer !== true) return conflict(judgement)
      return recordedEnd(record, call, standing)
    }
    default:
      return conflict(judgement)
  }
}

/** What was done for another principal is not done again; of what it returned, the others learn nothing. */
function recordedEnd(record: SlotRecord, call: JudgedCall, standing: AnswerStanding | undefined): Verdict<SlotGives> {
  const gives = { effect: record.effect, slotRecord: record }
  const answer = replayedAnswer(record, call)
  if (standing === undefined || isSharedWith(standing, call)) return { kind: 'end', answer, gives }
  if (standing.isFailure) return { kind: 'end', answer: withoutDetails(answer), gives }
  return stop('IDEMPOTENCY_CONFLICT', 'done_for_another', doneForAnother, { gives })
}

const doneForAnother =
  'This operation was done already, for another principal. It is not done again, and its result is not yours to see.'

type Conflict = Extract<SlotJudgement, { kind: 'busy' | 'held' | 'mismatch' | 'expired' }>

function conflict({ kind, record }: Conflict): Verdict<SlotGives> {
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
