// Which call of a batch may start next. Calls start in the order of the proposals, as far as nothing stands in their way: every
// condition looks only at calls that come before, so the first call that has not ended can always go on, and no batch gets stuck.

/**
 * How far a batch has come, by the order of its proposals: the first call that counts and has not passed. It only ever moves on, so that
 * asking a thousand calls costs a thousand steps in all.
 */
export interface BatchFrontier {
  /** The first that counts and has not passed; the size of the batch where there is none. */
  at(): number
  pass(index: number): void
}

/** `counts` may turn from true to false for a call, never back. */
export function createBatchFrontier(size: number, counts: (index: number) => boolean): BatchFrontier {
  const passed = new Uint8Array(size)
  let at = 0
  return {
    at() {
      while (at < size && (passed[at] === 1 || !counts(at))) at++
      return at
    },
    pass(index) {
      passed[index] = 1
    },
  }
}

export interface StartFacts {
  /** It starts when every call before it has ended, and no later call starts until it has. */
  readonly alone: boolean
  /** Labels and the like of the run can change how it is judged. */
  readonly heeds: boolean
  /** It may change the labels of the run. */
  gives(): boolean
}

export interface StartOrder {
  /** The next call that may start, taken out; undefined where none may now. */
  next(): number | undefined
  /** Takes a call out that is not started in its order. */
  take(index: number): void
  /** It was judged: later changes of the run's labels do not matter for it. */
  judged(index: number): void
  ended(index: number): void
}

export interface StartInput {
  readonly size: number
  readonly serial: boolean
  readonly facts: (index: number) => StartFacts
  /** The calls that have to end first; all of them come before. */
  readonly after: (index: number) => readonly number[]
}

/** Calls of one lane are under the same conditions: where its first may not start, no other may. */
type Lane = number[]

export function createStartOrder({ size, serial, facts, after }: StartInput): StartOrder {
  const ended = createBatchFrontier(size, () => true)
  const aloneEnded = createBatchFrontier(size, (index) => facts(index).alone)
  const giversEnded = createBatchFrontier(size, (index) => facts(index).gives())
  const heedersJudged = createBatchFrontier(size, (index) => facts(index).heeds)
  const lanes: readonly Lane[] = Array.from({ length: 5 }, () => [])
  const taken = new Uint8Array(size)
  const missing = new Map<number, number>()
  const dependents = new Map<number, number[]>()
  const done = new Uint8Array(size)

  const laneOf = (index: number): Lane => {
    const { alone, heeds, gives } = facts(index)
    return lanes[alone ? 4 : (heeds ? 1 : 0) + (gives() ? 2 : 0)] as Lane
  }

  const mayStart = (index: number): boolean => {
    const { alone, heeds, gives } = facts(index)
    if ((serial || alone) && ended.at() < index) return false
    if (aloneEnded.at() < index) return false
    if (heeds && giversEnded.at() < index) return false
    return heedersJudged.at() >= index || !gives()
  }

  /** Lanes are walked from their end, so they are kept with the first call last. */
  const line = (index: number) => {
    const lane = laneOf(index)
    let place = lane.length
    while (place > 0 && (lane[place - 1] as number) < index) place--
    lane.splice(place, 0, index)
  }

  for (let index = size - 1; index >= 0; index--) {
    const before = new Set(after(index))
    if (before.size === 0) line(index)
    else missing.set(index, before.size)
    for (const other of before) dependents.set(other, [...(dependents.get(other) ?? []), index])
  }

  return {
    next() {
      let best: Lane | undefined
      for (const lane of lanes) {
        while (taken[lane.at(-1) ?? -1] === 1) lane.pop()
        const first = lane.at(-1)
        if (first === undefined || first > (best?.at(-1) ?? size) || !mayStart(first)) continue
        best = lane
      }
      const index = best?.pop()
      if (index !== undefined) taken[index] = 1
      return index
    },
    take(index) {
      taken[index] = 1
    },
    judged(index) {
      heedersJudged.pass(index)
    },
    ended(index) {
      if (done[index] === 1) return
      done[index] = 1
      for (const frontier of [ended, aloneEnded, giversEnded, heedersJudged]) frontier.pass(index)
      for (const other of dependents.get(index) ?? []) {
        const left = (missing.get(other) ?? 0) - 1
        missing.set(other, left)
        if (left === 0) line(other)
      }
    },
  }
}
