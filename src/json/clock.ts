// Time as a dependency: nothing asks the machine for the time except through a Clock. Instants are branded
// milliseconds, so that seconds and durations cannot be passed where an instant is meant.

declare const brand: unique symbol

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number & { readonly [brand]: 'EpochMs' }

export interface Clock {
  /** Wall-clock time; may step backwards when the machine's clock is corrected. */
  now(): EpochMs
  /** Milliseconds, with fractions, since some fixed moment; never steps backwards. For durations only. */
  monotonic(): number
}

export interface ManualClock extends Clock {
  advance(ms: number): void
}

/** Marks a number as an instant; throws where it cannot be one, because that is a bug in the caller. */
export function epochMs(value: number): EpochMs {
  if (!Number.isFinite(value)) throw new RangeError(`Not an instant: ${value}`)
  return Math.trunc(value) as EpochMs
}

/** One moment on both clocks of this machine. */
export interface Moment {
  readonly wall: EpochMs
  readonly monotonic: number
}

export const momentOf = (clock: Clock): Moment => ({ wall: clock.now(), monotonic: clock.monotonic() })

/**
 * How long ago a moment was, by the clock that says longer: for what must not go on too long. Monotonic time stands still while a virtual
 * machine or a laptop sleeps, and wall time may be set back.
 */
export const elapsedSince = (clock: Clock, { wall, monotonic }: Moment): number =>
  Math.max(clock.monotonic() - monotonic, clock.now() - wall)

/** Wall-clock time that never steps back, and goes on at least as monotonic time does: what is over stays over. */
export function forwardClock(clock: Clock): Clock {
  let ahead = Number.NEGATIVE_INFINITY
  return {
    now() {
      const monotonic = clock.monotonic()
      ahead = Math.max(ahead, clock.now() - monotonic)
      return epochMs(monotonic + ahead)
    },
    monotonic: () => clock.monotonic(),
  }
}

export const systemClock: Clock = {
  now: () => Date.now() as EpochMs,
  monotonic: () => performance.now(),
}

/** A clock that moves only when told to, for tests and demonstrations. It starts at 2026-01-01T00:00:00Z. */
export function manualClock(start: number = Date.UTC(2026, 0, 1)): ManualClock {
  const origin = epochMs(start)
  let elapsed = 0
  return {
    now: () => epochMs(origin + elapsed),
    monotonic: () => elapsed,
    advance: (ms) => {
      if (!(ms >= 0)) throw new RangeError(`A clock cannot advance by ${ms} ms`)
      elapsed += ms
    },
  }
}

let lastSecond = Number.NaN
let lastPrefix = ''

/** As `Date` writes it. Every answer has one, and most are of the second of the one before. */
export function toIso(at: EpochMs): string {
  const ms = at % 1_000
  if (!Number.isInteger(at) || at < 0) return new Date(at).toISOString()
  if (at - ms !== lastSecond) {
    lastPrefix = new Date(at).toISOString().slice(0, -4)
    lastSecond = at - ms
  }
  return `${lastPrefix}${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}Z`
}

/** For timers: Node takes a longer delay for one of a millisecond. */
export const timerMs = (ms: number): number => Math.min(ms, 2_147_483_647)
