// Shares one statement among the calls that arrive while another is under way. An idle batcher sends at once. A batch that fails because of
// one item is split until that item stands alone, so that it hurts no other.
import { isConnectionLoss, isSentAgain } from '../driver/errors.ts'

export interface StatementBatchOptions<I, O> {
  /** Sends the items as one transaction and answers by position. Sending the same items again must change nothing. */
  send(items: readonly I[]): Promise<readonly O[]>
  readonly maxItems: number
  readonly maxInFlight: number
  /** Items of one key never share a batch. */
  key?(item: I): string | undefined
  /** How long a lost connection is waited for. */
  readonly patienceMs: number
}

export interface Batcher<I, O> {
  add(item: I): Promise<O>
  /** Resolves once everything that was added is answered. */
  idle(): Promise<void>
}

/** A batch may always take this many, even where a fair part would be fewer: a statement costs as much to begin with as ten calls in it. */
const smallestShare = 24

/** More than these are two parts: enough that neither this process nor the database waits, and fewer statements to begin. */
const crowd = 72

/** The next microtask; `queueMicrotask` makes a resource of each. */
const atOnce = Promise.resolve()

interface Waiting<I, O> {
  readonly item: I
  readonly resolve: (output: O) => void
  readonly reject: (error: unknown) => void
}

export function createBatcher<I, O>(options: StatementBatchOptions<I, O>): Batcher<I, O> {
  const { maxItems, maxInFlight, key, patienceMs } = options
  let queue: Waiting<I, O>[] = []
  let inFlight = 0
  let sent = 0
  let scheduled = false
  let idlers: (() => void)[] = []

  /** An idle batcher sends at once; otherwise all that one turn of the event loop has brought goes together. Nothing waits for a timer. */
  const schedule = () => {
    if (scheduled) return
    scheduled = true
    const start = () => {
      scheduled = false
      flush()
    }
    if (inFlight === 0) void atOnce.then(start)
    else setImmediate(start)
  }

  const flush = () => {
    while (queue.length > 0 && inFlight < partsOf(queue.length + sent)) {
      const batch = take(fairSize(queue.length + sent))
      inFlight++
      sent += batch.length
      void deliver(batch).finally(() => {
        inFlight--
        sent -= batch.length
        if (queue.length > 0) flush()
        else if (inFlight === 0) release()
      })
    }
  }

  const release = () => {
    const waiting = idlers
    idlers = []
    for (const resolve of waiting) resolve()
  }

  /** Several batches may be under way: while the database works on some, this process works on others. */
  const fairSize = (outstanding: number) =>
    Math.min(maxItems, Math.max(smallestShare, Math.ceil(outstanding / partsOf(outstanding))))

  const partsOf = (outstanding: number) => (outstanding > crowd ? Math.min(2, maxInFlight) : maxInFlight)

  const take = (size: number): readonly Waiting<I, O>[] => {
    // A single item is a batch by itself.
    if (key === undefined || queue.length === 1) {
      const batch = queue.slice(0, size)
      queue = queue.length > size ? queue.slice(size) : []
      return batch
    }
    const taken = new Set<string>()
    const batch: Waiting<I, O>[] = []
    const left: Waiting<I, O>[] = []
    for (const waiting of queue) {
      const own = key(waiting.item)
      if (batch.length >= size || (own !== undefined && taken.has(own))) left.push(waiting)
      else {
        if (own !== undefined) taken.add(own)
        batch.push(waiting)
      }
    }
    queue = left
    return batch
  }

  const deliver = async (batch: readonly Waiting<I, O>[]): Promise<void> => {
    const startedAt = performance.now()
    for (let tries = 0; ; tries++) {
      try {
        const outputs = await options.send(batch.map(({ item }) => item))
        for (const [index, { resolve, reject }] of batch.entries()) {
          const output = outputs[index]
          if (output === undefined) reject(new Error('The database gave no answer for this call.'))
          else resolve(output)
        }
        return
      } catch (error) {
        if (isSentAgain(error, tries, performance.now() - startedAt - patienceMs)) {
          await pause(Math.min(20 * 2 ** tries, 500))
          continue
        }
        if (batch.length === 1 || isConnectionLoss(error)) return rejectAll(batch, error)
        const half = Math.ceil(batch.length / 2)
        await deliver(batch.slice(0, half))
        await deliver(batch.slice(half))
        return
      }
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject })
        schedule()
      }),
    idle: () =>
      queue.length === 0 && inFlight === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve)),
  }
}

function rejectAll<I, O>(batch: readonly Waiting<I, O>[], error: unknown): void {
  for (const { reject } of batch) reject(error)
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
