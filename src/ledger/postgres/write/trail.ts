// The passes of reads, which may be written after their answers. They trail by at most the stated window, are numbered so that a gap shows,
// and a full queue makes callers wait instead of dropping anything.
import type { PassEntry } from '../../ports/operations.ts'
import { type RecordItem, recordItem } from './items.ts'

/** The longest time that an answer may be ahead of its facts while the database answers. */
const trailMs = 100
const maxItems = 128
/** About 20 MB of facts. */
const maxQueued = 4_096

export interface Trail {
  /** Undefined where the caller need not wait. */
  add(entry: PassEntry): Promise<void> | undefined
  flush(): Promise<void>
}

/** `write` gives back what has to wait. An entry that the database refuses is lost, and its missing number shows that. */
export function createTrail(write: (items: readonly RecordItem[]) => Promise<readonly RecordItem[]>): Trail {
  let queue: RecordItem[] = []
  let number = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing: Promise<void> | undefined

  /** Where the database does not answer, what is queued stays queued, and the next turn tries again. */
  const startBehind = () => void start().catch(() => undefined)

  const start = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    writing ??= run().finally(() => {
      writing = undefined
      if (queue.length > 0) schedule()
    })
    return writing
  }

  const run = async () => {
    while (queue.length > 0) {
      const batch = queue.slice(0, maxItems)
      const left = await write(batch)
      queue = [...left, ...queue.slice(batch.length)]
      if (left.length > 0) throw new Error('The database does not take what trails its answers.')
    }
  }

  const schedule = () => {
    if (timer !== undefined || writing !== undefined) return
    timer = setTimeout(startBehind, trailMs)
    timer.unref()
  }

  return {
    add(entry) {
      queue.push(recordItem(entry, ++number))
      if (queue.length >= maxQueued) return start()
      if (queue.length >= maxItems) startBehind()
      else schedule()
      return undefined
    },
    async flush() {
      while (queue.length > 0 || writing !== undefined) await start()
    },
  }
}
