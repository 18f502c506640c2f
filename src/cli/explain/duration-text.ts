// A length of time for a person: the largest unit that leaves no remainder.

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

export function durationText(ms: number): string {
  const [name, length] = units.find(([, size]) => ms >= size && ms % size === 0) ?? ['millisecond', 1]
  const count = ms / length
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
