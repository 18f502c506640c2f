// The answers of a batch as they come, for whoever iterates. Whoever stops iterating has gone away; the calls still come to their end.
import type { Answer } from '../../contract/call/answer.ts'
import type { RunningBatch } from './batch.ts'

export interface BatchAnswer {
  /** Of the proposal. */
  readonly index: number
  readonly answer: Answer
}

export interface BatchStream {
  readonly answers: AsyncIterableIterator<BatchAnswer>
  ended(index: number, answer: Answer): void
}

/** `inOrder`: an answer is given once all before it are. */
export function batchStream(size: number, inOrder: boolean, batch: () => RunningBatch): BatchStream {
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
