// Collects what comes in while two statements are under way, and sends it as one. An idle one sends at the end of the turn.

const maxItems = 128
const maxInFlight = 2

export function createMicroBatch<I, O>(send: (items: readonly I[]) => Promise<readonly O[]>): (item: I) => Promise<O> {
  let waiting: { item: I; resolve: (output: O) => void; reject: (error: unknown) => void }[] = []
  let inFlight = 0
  let scheduled = false

  const deliver = async (batch: typeof waiting) => {
    try {
      const outputs = await send(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(outputs[index] as O)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  const flush = () => {
    scheduled = false
    while (waiting.length > 0 && inFlight < maxInFlight) {
      const batch = waiting.slice(0, maxItems)
      waiting = waiting.slice(maxItems)
      inFlight++
      void deliver(batch).finally(() => {
        inFlight--
        flush()
      })
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!scheduled) setImmediate(flush)
      scheduled = true
    })
}
