// Waits awake for a lone change that is about to be answered. A processor without work goes to sleep; to wake it at the answer takes a good
// part of what the answer took, above all in a virtual machine, and what it had at hand is gone then. Invariant: only while exactly one
// change of this process is under way, no longer than the limit, hardly ever where answers take longer than that, and never instead of work.
import { availableParallelism } from 'node:os'
import { Fault } from '../../contract/fault.ts'

export interface Awake {
  /** A change was sent. */
  sent(): void
  /** It was answered, or lost. */
  ended(): void
}

/** For how long, where nobody says otherwise: most answers of a database that is near come sooner. */
export const usualAwakeMs = 1

/** Between two looks at the sockets: a look takes two microseconds or three, an answer some hundreds. */
const pauseMs = 0.02

/** If more has gone by since the last look, others had work: they keep the processor awake, and a pause would be at their cost. */
const lookMs = 0.01

/** More than there is time for within a pause, or within a millisecond: a clock that somebody has stopped does not stop this process. */
const mostReadings = 1_000
const mostTurnsInMs = 1_000

/** After an answer that took too long, so many are waited for asleep: twice as many each time. Even, since admissions and ends alternate. */
const leastAsleep = 2
const mostAsleep = 254

/** Of all ledgers of this process. */
let underWay = 0

/** @param limitMs 0: not at all, as on a machine with one processor, where whoever is to answer needs it. */
export function waitAwake(limitMs: number, processors: number = availableParallelism()): Awake {
  if (!Number.isFinite(limitMs) || limitMs < 0) {
    throw new Fault('bad_options', `awakeMs is ${limitMs}. Give milliseconds, or 0 to wait asleep.`)
  }
  const isPossible = limitMs > 0 && processors > 1
  const mostTurns = Math.ceil(limitMs * mostTurnsInMs)
  let isAwake = false
  let until = 0
  let turns = 0
  let lookedAt = 0
  /** How many are waited for asleep after the next that takes too long. */
  let penalty = leastAsleep
  /** How many of those are left. */
  let skip = 0

  const turn = () => {
    const now = performance.now()
    if (underWay === 1 && now < until && turns < mostTurns) {
      turns++
      if (now - lookedAt < lookMs) pause(now + pauseMs)
      lookedAt = performance.now()
      // Others that have something to do have their turn in between.
      setImmediate(turn)
      return
    }
    isAwake = false
    if (underWay !== 1) return
    skip = penalty
    penalty = Math.min(2 * penalty + 2, mostAsleep)
  }

  return {
    sent() {
      if (++underWay !== 1 || !isPossible) return
      if (skip > 0) {
        skip--
        return
      }
      turns = 0
      lookedAt = performance.now()
      until = lookedAt + limitMs
      if (isAwake) return
      isAwake = true
      setImmediate(turn)
    },
    ended() {
      underWay--
      if (isAwake && performance.now() < until) penalty = leastAsleep
    },
  }
}

function pause(until: number): void {
  for (let readings = 0; readings < mostReadings && performance.now() < until; readings++);
}
