// The longest time for which the event loop did nothing else while some work ran: the processor time of its thread between two turns, so
// that other programs on the machine do not count. The least of several runs counts, because the collector of garbage comes when it likes.

export interface Stall {
  readonly stallMs: number
  /** Of the run that counts, the whole of it. */
  readonly wholeMs: number
  readonly runs: number
}

/** `prepare` makes the work anew for every run; what it takes is not counted. */
export async function leastStall(prepare: () => () => unknown, enoughMs: number, mostRuns: number): Promise<Stall> {
  let least: Stall | undefined
  for (let runs = 1; runs <= mostRuns; runs++) {
    const { stallMs, wholeMs } = await stallOf(prepare())
    if (least === undefined || stallMs < least.stallMs) least = { stallMs, wholeMs, runs }
    // A run of many seconds is not repeated: no collector makes that of a short one.
    if (least.stallMs <= enoughMs || least.stallMs > 20 * enoughMs) break
  }
  if (least === undefined) throw new Error('Nothing was run')
  return least
}

async function stallOf(work: () => unknown): Promise<{ readonly stallMs: number; readonly wholeMs: number }> {
  let longest = 0
  let last = threadMs()
  let beating = true
  const beat = () => {
    const now = threadMs()
    longest = Math.max(longest, now - last)
    last = now
    if (beating) setImmediate(beat)
  }
  setImmediate(beat)
  await turn()
  last = threadMs()
  longest = 0
  const began = last
  await work()
  await turn()
  beating = false
  return { stallMs: longest, wholeMs: threadMs() - began }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
