// Dates, times and durations as RFC 3339 writes them: real calendar days, leap seconds only where UTC has them.

const dateSyntax = /^(\d{4})-(\d\d)-(\d\d)$/
const timeSyntax = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/
const clock = '(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)'
const durationSyntax = new RegExp(
  `^P(?:\\d+W|(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)(?:T${clock})?|T${clock})$`,
)
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

export function isDate(text: string): boolean {
  const parts = dateSyntax.exec(text)
  if (parts === null) return false
  const year = Number(parts[1])
  const month = Number(parts[2])
  const day = Number(parts[3])
  const days = month === 2 && isLeapYear(year) ? 29 : daysInMonth[month - 1]
  return days !== undefined && day >= 1 && day <= days
}

export function isTime(text: string): boolean {
  const parts = timeSyntax.exec(text)
  if (parts === null) return false
  const [hour, minute, second] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const [offsetHour, offsetMinute] = [Number(parts[5] ?? 0), Number(parts[6] ?? 0)]
  if (hour > 23 || minute > 59 || offsetHour > 23 || offsetMinute > 59) return false
  if (second < 60) return true
  const offset = (offsetHour * 60 + offsetMinute) * (parts[4] === '-' ? -1 : 1)
  const minuteOfDay = (hour * 60 + minute - offset + 2 * 1440) % 1440
  return second === 60 && minuteOfDay === 1439
}

export function isDateTime(text: string): boolean {
  const separator = text.charCodeAt(10)
  return (separator === 84 || separator === 116) && isDate(text.slice(0, 10)) && isTime(text.slice(11))
}

export function isDuration(text: string): boolean {
  return durationSyntax.test(text)
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}
