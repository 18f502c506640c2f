// Waits awake for a lone change that is about to be answered. A processor without work goes to sleep; to wake it at the answer takes a good
// part of what the answer took, above all in a virtual machine, and what it had at hand is gone then. Invariant: only while exactly one
// change is under way, at most the limit of each is spent on it, and hardly anything where answers take longer than that.
import { availableParallelism } from 'node:os'
import { Fault } from '../../contract/fault.ts'

export interface Awake {
  /** A change was sent. */
  sent(): void
  /** It was answered, or lost. */
  ended(): void
}

/** Between two looks at the sockets: a look takes two microseconds or three, an answer some hundreds. */
const pauseMs = 0.02

/** More than a processor does within a pause: a clock that somebody has stopped does not stop this process. */
const mostReadings = 2_000

/** After answers that took too long, so many changes at most are waited for asleep before it is tried again. */
const mostAsleep = 255

const asleep: Awake = { sent: () => undefined, ended: () => undefined }

/** @param limitMs 0: not at all, as on a machine with one processor, where whoever is to answer needs it. */
export function waitAwake(limitMs: number, processors: number = availableParallelism()): Awake {
  if (!Number.isFinite(limitMs) || limitMs < 0) {
    throw new Fault('bad_options', `awakeMs is ${limitMs}. Give milliseconds, or 0 to wait asleep.`)
  }
  if (limitMs === 0 || processors < 2) return asleep
  const mostTurns = Math.ceil(limitMs / pauseMs)
  let underWay = 0
  let turns = 0
  let isAwake = false
  /** How many are waited for asleep after the next that takes too long. */
  let penalty = 1
  /** How many of those are left. */
  let skip = 0

  const turn = () => {
    if (underWay === 1 && turns < mostTurns) {
      turns++
      pause()
      // Others that have something to do have their turn in between.
      setImmediate(turn)
      return
    }
    isAwake = false
    if (underWay !== 1) return
    skip = penalty
    penalty = Math.min(2 * penalty + 1, mostAsleep)
  }

  return {
    sent() {
      if (++underWay !== 1) return
      if (skip > 0) {
        skip--
        return
      }
      turns = 0
      if (isAwake) return
      isAwake = true
      setImmediate(turn)
    },
    ended() {
      underWay--
      if (isAwake) penalty = 1
    },
  }
}

function pause(): void {
  const until = performance.now() + pauseMs
  for (let readings = 0; readings < mostReadings && performance.now() < until; readings++);
}
