// Ends every pass by making its answer, also one that was refused or has failed. The loop writes the pass down afterwards.
import type { Answer } from '../../contract/call/answer.ts'
import type { Call, Conclusion, EndedCall } from '../../contract/call/stages.ts'
import type { Deps } from '../deps.ts'
import type { PhaseRow } from '../phase.ts'
import { makeAnswer } from '../record/answers.ts'

type Concluded = Call & { readonly conclusion: Conclusion }

interface Emitted {
  readonly kind: 'pass'
  readonly gives: { readonly answer: Answer }
}

export const emit = {
  name: 'emit',
  does: 'Makes the answer; every pass ends here and none is refused.',
  stopsWith: [],
  act(call: Concluded, { clock }: Deps): Emitted {
    return { kind: 'pass', gives: { answer: makeAnswer(call, call.conclusion, clock.now()) } }
  },
  keep({ answer }: EndedCall) {
    return {
      class: answer.observation.status.taxonomy_class,
      effect: answer.effect,
      // Where it is simply the class in other words, nothing is gained by writing it down.
      ...(answer.result === undefined || answer.result.status === 'succeeded' ? {} : { result: answer.result.status }),
      replayed: answer.observation.execution_metadata.idempotency_hit,
    }
  },
} satisfies PhaseRow & Record<'act' | 'keep', unknown>
