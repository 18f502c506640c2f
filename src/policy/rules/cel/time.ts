// Instants and spans of time as rules use them: both are numbers of milliseconds, told apart by their shape alone.
// Invariant: a text that is not exactly a timestamp or a duration is an error, never a guess.

const timestampSyntax =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d{1,9})?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** RFC 3339; undefined for anything else, the 30th of February included. */
export function readTimestamp(text: string): number | undefined {
  const match = text.length > 40 ? null : timestampSyntax.exec(text)
  if (match === null) return undefined
  const [, seconds = '', fraction = '', zone = ''] = match
  const day = seconds.slice(0, 10)
  if (new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) !== day) return undefined
  const at = Date.parse(`${seconds.toUpperCase()}${zone.toUpperCase()}`)
  return Number.isNaN(at) ? undefined : at + Number(`0${fraction}`) * 1_000
}

const unitMs: ReadonlyMap<string, number> = new Map([
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
])

/** `1h30m`, `-2.5s`, `300ms`: whole milliseconds. */
export function readDuration(text: string): number | undefined {
  if (text.length > 64 || !/^[+-]?(?:\d{1,9}(?:\.\d{1,9})?(?:m?s|[hm]))+$/.test(text)) return undefined
  let total = 0
  for (const [, count, unit] of text.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|[hms])/g)) {
    const ms = Number(count) * (unitMs.get(unit ?? '') ?? Number.NaN)
    const whole = Math.round(ms)
    if (Math.abs(ms - whole) > 1e-6) return undefined
    total += whole
  }
  return text.startsWith('-') ? -total : total
}

/** What an instant shows on a clock in UTC; months, days of the year and getDayOfMonth count from 0, as in CEL. */
export const clockReadings: ReadonlyMap<string, (ms: number) => number> = new Map([
  ['getFullYear', (ms) => new Date(ms).getUTCFullYear()],
  ['getMonth', (ms) => new Date(ms).getUTCMonth()],
  ['getDate', (ms) => new Date(ms).getUTCDate()],
  ['getDayOfMonth', (ms) => new Date(ms).getUTCDate() - 1],
  ['getDayOfWeek', (ms) => new Date(ms).getUTCDay()],
  ['getDayOfYear', (ms) => Math.floor((ms - Date.UTC(new Date(ms).getUTCFullYear(), 0)) / 86_400_000)],
  ['getHours', (ms) => new Date(ms).getUTCHours()],
  ['getMinutes', (ms) => new Date(ms).getUTCMinutes()],
  ['getSeconds', (ms) => new Date(ms).getUTCSeconds()],
  ['getMilliseconds', (ms) => new Date(ms).getUTCMilliseconds()],
])

/** Moves an instant so that its UTC reading is the reading in the zone; undefined for a zone that is not known. */
export function zoneShift(zone: string): ((ms: number) => number) | undefined {
  const offset = /^([+-])([01]\d|2[0-3]):([0-5]\d)$/.exec(zone)
  if (offset !== null) {
    const [, sign, hours, minutes] = offset
    const shift = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000)
    return (ms) => ms + shift
  }
  const format = zoneFormat(zone)
  return format === undefined ? undefined : (ms) => shiftedBy(format, ms)
}

function zoneFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  const numeric = 'numeric'
  const parts = {
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  } as const
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', era: 'short', ...parts })
  } catch {
    return undefined
  }
}

function shiftedBy(format: Intl.DateTimeFormat, ms: number): number {
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type as string, Number(value)]))
  const part = (name: string) => parts.get(name) ?? 0
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return local + (((ms % 1_000) + 1_000) % 1_000)
}
