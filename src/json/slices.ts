// Long work in slices: in between, the event loop does what waits. Work that can be cut says after each small step whether it has come to
// its end; how long a slice lasts is decided here alone.
import { setImmediate } from 'node:timers/promises'

/** Asked between small steps of the work. */
export type MayGoOn = () => boolean

export const endlessly: MayGoOn = () => true

/** Long enough to be worth its interruption, and short beside what a person or a lease would notice. */
const sliceMs = 8

export function oneSlice(): MayGoOn {
  const end = performance.now() + sliceMs
  return () => performance.now() < end
}

/** After this everything that waits has had its turn. */
export const breathe = (): Promise<void> => setImmediate()
