// Long work in slices: in between, the event loop does what waits. Such work is a generator that yields after each small step, so that it
// can end a slice there; how long a slice lasts is decided here alone.
import { setImmediate } from 'node:timers/promises'

/** A step takes a millisecond or two at most. */
export type Steps<T> = Generator<undefined, T>

/** Long enough to be worth its interruption, and short beside what a person or a lease would notice. */
const sliceMs = 8

/** Asked between steps. */
export function oneSlice(): () => boolean {
  const end = performance.now() + sliceMs
  return () => performance.now() < end
}

/** After this everything that waits has had its turn. */
export const breathe = (): Promise<void> => setImmediate()

/** For what is there already. */
export function* noSteps<T>(value: T): Steps<T> {
  yield* nothing
  return value
}

const nothing: readonly undefined[] = []

/** All of it now, for work that is known to be short, and for callers that cannot wait. */
export function inOneGo<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** What ends within the first slice is there at once, without a promise. */
export function inSlices<T>(steps: Steps<T>): T | Promise<T> {
  const first = slice(steps)
  return first === undefined ? others(steps) : first.value
}

async function others<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    await breathe()
    const end = slice(steps)
    if (end !== undefined) return end.value
  }
}

/** Undefined where it has not come to its end. */
function slice<T>(steps: Steps<T>): { readonly value: T } | undefined {
  const mayGoOn = oneSlice()
  do {
    const step = steps.next()
    if (step.done === true) return { value: step.value }
  } while (mayGoOn())
  return undefined
}
