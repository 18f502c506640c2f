// Names within tenants: of slots and of counters, and the one order in which every process takes what they name.
import type { RateWindow } from '../ports/limits.ts'

/** The counter of a rate. */
export const rateName = ({ scope }: Pick<RateWindow, 'scope'>): string => `rate:${scope}`

/** A name within its tenant; the length keeps any two pairs apart, for all characters in them. */
export const ownedName = (tenant: string, name: string): string => `${tenant.length}:${tenant}${name}`

/** Below this, one unit of a text is one character, and its bytes sort as the unit does. */
const firstSurrogate = 0xd800

/** By bytes of UTF-8, as `collate "C"` in the database: what this sorts and what SQL sorts is locked in the same order. */
export function compareNames(a: string, b: string): number {
  if (a === b) return 0
  const shorter = Math.min(a.length, b.length)
  let at = 0
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at++
  // Where a text ends there is no unit: less than any.
  const [one, other] = [at < a.length ? a.charCodeAt(at) : -1, at < b.length ? b.charCodeAt(at) : -1]
  if (one < firstSurrogate && other < firstSurrogate) return one - other
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
