// Windows of counters. A window is fixed, not sliding: it begins at a whole multiple of its length, and at its begin the count and the raises
// are zero. A counter without a length has no windows.
import type { EpochMs } from '../../json/clock.ts'

export function windowStart(windowMs: number | undefined, at: EpochMs): EpochMs | undefined {
  return windowMs === undefined ? undefined : ((Math.floor(at / windowMs) * windowMs) as EpochMs)
}

export const windowEnd = (windowMs: number, from: EpochMs): EpochMs => (from + windowMs) as EpochMs
/** How long a window still lasts that began at `from`. */
export const windowLeft = (windowMs: number, from: EpochMs, at: EpochMs): number => windowEnd(windowMs, from) - at

/** The same in Postgres; null where there is no window. */
export const windowLeftSql = (ms: string, from: string, at: string): string =>
  `proviso.epoch_ms(${from}) + ${ms} - proviso.epoch_ms(${at})`

/** How the start of a window is computed from a moment and a length in milliseconds, null or 0 for none, as Postgres does. */
export const windowStartSql = (at: string, ms: string): string =>
  `case when ${ms} > 0 then to_timestamp(floor(extract(epoch from ${at}) * 1000 / ${ms}) * ${ms} / 1000) end`

export interface Count {
  /** When its window began; undefined where it has none. */
  readonly from: EpochMs | undefined
  readonly used: number
  readonly raised: number
}

/** The state of a counter in the window that begins at `from`. After a clock went back the known window is the later one: that one counts. */
export function countIn(known: Count | undefined, from: EpochMs | undefined): Count {
  if (known !== undefined && !(from !== undefined && known.from !== undefined && from > known.from)) return known
  return { from, used: 0, raised: 0 }
}

/** The same in Postgres, of one number: what is known of the window that begins at `knownFrom`, in the one that begins at `newestFrom`. */
export const countInSql = (known: string, knownFrom: string, newestFrom: string): string =>
  `case when ${newestFrom} > ${knownFrom} then 0 else ${known} end`

/** Whether a claim fits, in Postgres. */
export const hasRoomSql = (used: string, amount: string, most: string, raised: string): string =>
  `${used} + ${amount} <= ${most} + ${raised}`

/** Whether a claim fits: counted together with what was taken before, it stays within what is allowed and what people have added. */
export const hasRoom = (used: number, amount: number, max: number, raised: number): boolean =>
  used + amount <= max + raised
