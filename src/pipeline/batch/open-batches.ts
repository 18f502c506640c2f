// Batches as callers see them: all answers at once, or one after another; and those under way, which are waited for at the end.
import type { Answer } from '../../contract/call/answer.ts'
import type { Proposal } from '../../contract/call/call.ts'
import type { CallContext } from '../call/call-context.ts'
import type { HandleInput } from '../handle.ts'
import { type BatchInput, runBatch } from './batch.ts'
import { type BatchOptions, readBatchOptions } from './batch-options.ts'
import { type BatchAnswer, batchStream } from './batch-stream.ts'

export interface Batches {
  callAll(proposals: Iterable<Proposal>, context: CallContext, options: BatchOptions): Promise<readonly Answer[]>
  stream(proposals: Iterable<Proposal>, context: CallContext, options: BatchOptions): AsyncIterableIterator<BatchAnswer>
  /** When all have ended that are under way, whether anybody still wants their answers or not. */
  ended(): Promise<void>
}

export interface OpenBatchesInput extends Pick<HandleInput, 'surface' | 'deps'> {
  readonly call: (
    proposal: Proposal,
    context: CallContext,
    place: Pick<HandleInput, 'surface'> & Required<Pick<HandleInput, 'seat'>>,
  ) => Promise<Answer>
}

export function openBatches({ surface, deps, call }: OpenBatchesInput): Batches {
  const underWay = new Set<Promise<void>>()
  const start = (
    proposals: readonly Proposal[],
    context: CallContext,
    options: BatchOptions,
    told: Pick<BatchInput, 'abandonable' | 'ended'>,
  ) => {
    const batch = runBatch({
      ...told,
      proposals,
      context,
      rules: readBatchOptions(options, proposals.length),
      surface,
      deps,
      call: (proposal, seen, seat) => call(proposal, context, { surface: seen, seat }),
    })
    underWay.add(batch.done)
    void batch.done.then(() => underWay.delete(batch.done))
    return batch
  }
  return {
    async callAll(given, context, options) {
      const proposals = [...given]
      const answers = new Array<Answer>(proposals.length)
      const ended = (index: number, answer: Answer) => {
        answers[index] = answer
      }
      await start(proposals, context, options, { abandonable: false, ended }).done
      return answers
    },
    stream(given, context, options) {
      const proposals = [...given]
      const stream = batchStream(proposals.length, options.ordering !== 'allow_unordered', () => batch)
      const batch = start(proposals, context, options, { abandonable: true, ended: stream.ended })
      return stream.answers
    },
    async ended() {
      await Promise.all(underWay)
    },
  }
}
