// Ends every pass, whatever happened, by making its answer. The loop writes the pass down afterwards.
import type { Call } from '../../contract/call.ts'
import { makeAnswer } from '../answers.ts'
import type { Deps } from '../deps.ts'
import { type Act, pass, type Verdict } from '../phase.ts'

export const emit = {
  name: 'emit',
  does: 'Makes the answer; every pass ends here and none is refused.',
  stopsWith: [],
  act(call: Call, { clock }: Deps): Verdict {
    if (call.conclusion === undefined) return pass
    return { kind: 'pass', gives: { answer: makeAnswer(call, call.conclusion, clock.now()) } }
  },
  keep({ answer }: Call) {
    if (answer === undefined) return undefined
    return {
      class: answer.observation.status.taxonomy_class,
      effect: answer.effect,
      replayed: answer.observation.execution_metadata.idempotency_hit,
    }
  },
} satisfies Act
