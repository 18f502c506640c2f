// Batches as callers see them: all answers at once, or one after another as they come; and those under way, which are waited for at the
// end. A caller that stops iterating has gone away; the calls still come to their end.
import type { Answer } from '../../contract/call/answer.ts'
import type { Proposal } from '../../contract/call/call.ts'
import type { CallContext } from '../call/call-context.ts'
import type { HandleInput } from '../handle.ts'
import { type BatchInput, type RunningBatch, runBatch } from './batch.ts'
import { type BatchOptions, readBatchOptions } from './batch-options.ts'

export interface BatchAnswer {
  /** Of the proposal. */
  readonly index: number
  readonly answer: Answer
}

export interface Batches {
  callAll(proposals: Iterable<Proposal>, context: CallContext, options: BatchOptions): Promise<readonly Answer[]>
  stream(proposals: Iterable<Proposal>, context: CallContext, options: BatchOptions): AsyncIterableIterator<BatchAnswer>
  /** When all have ended that are under way, also those whose answers are no longer wanted. */
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

interface BatchStream {
  readonly answers: AsyncIterableIterator<BatchAnswer>
  ended(index: number, answer: Answer): void
}

/** `inOrder`: an answer is given once all before it are. */
function batchStream(size: number, inOrder: boolean, batch: () => RunningBatch): BatchStream {
  const ready: BatchAnswer[] = []
  const early = new Map<number, Answer>()
  const waiting: ((result: IteratorResult<BatchAnswer>) => void)[] = []
  let next = 0
  let given = 0
  let isOver = false

  const over = { done: true, value: undefined } as const
  const take = (): IteratorResult<BatchAnswer> | undefined => {
    if (isOver || given === size) return over
    const value = ready.shift()
    if (value === undefined) return undefined
    given++
    return { done: false, value }
  }
  const serve = () => {
    while (waiting.length > 0) {
      const result = take()
      if (result === undefined) return
      waiting.shift()?.(result)
    }
  }
  const leave = () => {
    if (!isOver && given < size) batch().abandon()
    isOver = true
    serve()
  }

  return {
    ended(index, answer) {
      if (!inOrder) ready.push({ index, answer })
      else {
        early.set(index, answer)
        for (let found = early.get(next); found !== undefined; found = early.get(next)) {
          early.delete(next)
          ready.push({ index: next++, answer: found })
        }
      }
      serve()
    },
    answers: {
      [Symbol.asyncIterator]() {
        return this
      },
      async next() {
        return take() ?? new Promise((resolve) => waiting.push(resolve))
      },
      async return() {
        leave()
        return over
      },
      async throw(error: unknown) {
        leave()
        throw error
      },
    },
  }
}
