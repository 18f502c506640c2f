// Stops its whole process at a moment that was asked for, to within some hundredth of a millisecond: a signal from another process would
// come too late for executors that take two. It runs in a thread of its own, so that the moment does not depend on what the process does.
import { workerData } from 'node:worker_threads'
import { type Agreed, idle, slots } from './stop-plan.ts'

const { state, times } = workerData as Agreed
const now = () => process.hrtime.bigint()
const millisecond = 1_000_000n

/** Threads run on for a moment after the signal was sent. A gap this long is the pause, and no turn that another process had. */
const leastPause = 500n * millisecond
const stopsWithin = 5_000n * millisecond

for (;;) {
  Atomics.wait(state, 0, idle)
  const due = Atomics.load(times, slots.due)
  for (let left = due - now(); left > 2n * millisecond && isGoing(); left = due - now())
    Atomics.wait(state, 0, Atomics.load(state, 0), Number((left - millisecond) / millisecond))
  while (now() < due && isGoing());
  if (!isGoing()) continue
  const from = now()
  process.kill(process.pid, 'SIGSTOP')
  let last = from
  let at = now()
  for (; at - last < leastPause && at - from < stopsWithin; at = now()) last = at
  Atomics.store(times, slots.stopped, last)
  Atomics.store(times, slots.woken, at)
  Atomics.store(state, 0, idle)
}

function isGoing(): boolean {
  return Atomics.load(state, 0) !== idle
}
