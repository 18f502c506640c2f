// The functions that rules may call, one row each: on which kinds, what they give, what they cost, whether they can fail.
// Invariant: a function that is no row here cannot be called; every row is total or fails with a RuleError.

import { bool, double, int, type Kind, listShape, type Shape, textShape } from '../shapes/shape.ts'
import { type Bound, compareTexts, scan, sum, times, units, type Work } from '../shapes/work.ts'
import { type Code, type FunctionCode, RuleError } from './code.ts'
import { matchesFunction } from './matches-function.ts'
import { countCodePoints, indexInCodePoints, sliceCodePoints } from './text-order.ts'
import { clockReadings, readDuration, readTimestamp, zoneShift } from './time.ts'

export interface FunctionRow {
  readonly name: string
  /** `x.name()`, `name(x)`, or both. */
  readonly as: 'method' | 'function' | 'both'
  readonly takes: readonly (readonly Kind[])[]
  /** Undefined answers are faults: a text says why the operands, though of the right kind, will not do. */
  build(operands: readonly Code[]): FunctionCode | string
}

const one = units(1)
const timestamp: Shape = { kind: 'timestamp' }
const duration: Shape = { kind: 'duration' }

function lengthOf(code: Code | undefined): Bound {
  return code?.shape.kind === 'text' ? code.shape.length : { most: 0 }
}

function failRule(reason: string): never {
  throw new RuleError(reason)
}

/** What searching for a needle costs where every attempt may fail on its last character. */
function search(operands: readonly Code[]): Work {
  const [hay, needle] = operands
  const long = lengthOf(needle)
  return sum(one, times({ ...long, most: Math.max(1, long.most) }, scan(lengthOf(hay))))
}

function row(
  name: string,
  as: FunctionRow['as'],
  takes: readonly (Kind | readonly Kind[])[],
  build: FunctionRow['build'],
): FunctionRow {
  return { name, as, takes: takes.map((kinds) => (typeof kinds === 'string' ? [kinds] : kinds)), build }
}

const sizes: readonly FunctionRow[] = [
  row('size', 'both', ['text'], ([of]) => ({ shape: int, work: scan(lengthOf(of)), run: countCodePoints })),
  row('size', 'both', ['list'], () => ({ shape: int, work: one, run: (list: readonly unknown[]) => list.length })),
  row('size', 'both', ['map'], ([of]) => ({
    shape: int,
    work: of?.shape.kind === 'map' ? times(of.shape.size, one) : one,
    run: (map: object) => Object.keys(map).length,
  })),
]

const texts: readonly FunctionRow[] = [
  row('startsWith', 'method', ['text', 'text'], ([, start]) => ({
    shape: bool,
    work: compareTexts(lengthOf(start)),
    run: (whole: string, start: string) => whole.startsWith(start),
  })),
  row('endsWith', 'method', ['text', 'text'], ([, end]) => ({
    shape: bool,
    work: compareTexts(lengthOf(end)),
    run: (whole: string, end: string) => whole.endsWith(end),
  })),
  row('contains', 'method', ['text', 'text'], (operands) => ({
    shape: bool,
    work: search(operands),
    run: (whole: string, part: string) => whole.includes(part),
  })),
  row('indexOf', 'method', ['text', 'text'], (operands) => ({
    shape: int,
    work: search(operands),
    run: indexInCodePoints,
  })),
  row('matches', 'both', ['text', 'text'], matchesFunction),
  row('lowerAscii', 'method', ['text'], ([of]) => ({
    shape: { kind: 'text', length: lengthOf(of) },
    work: scan(lengthOf(of)),
    run: (whole: string) => whole.replace(/[A-Z]+/g, (part) => part.toLowerCase()),
  })),
  row('upperAscii', 'method', ['text'], ([of]) => ({
    shape: { kind: 'text', length: lengthOf(of) },
    work: scan(lengthOf(of)),
    run: (whole: string) => whole.replace(/[a-z]+/g, (part) => part.toUpperCase()),
  })),
  row('trim', 'method', ['text'], ([of]) => ({
    shape: { kind: 'text', length: lengthOf(of) },
    work: scan(lengthOf(of)),
    run: (whole: string) => whole.trim(),
  })),
  row('substring', 'method', ['text', 'int'], substring),
  row('substring', 'method', ['text', 'int', 'int'], substring),
  row('split', 'method', ['text', 'text'], (operands) => {
    const length = lengthOf(operands[0])
    const most = { ...length, most: length.most + 1 }
    return {
      shape: listShape({ kind: 'text', length }, most, 0),
      work: sum(search(operands), times(most, one)),
      run: (whole: string, separator: string) => (separator === '' ? Array.from(whole) : whole.split(separator)),
    }
  }),
]

function substring([of]: readonly Code[]): FunctionCode {
  const length = lengthOf(of)
  return {
    shape: { kind: 'text', length },
    work: sum(scan(length), scan(length)),
    canFail: true,
    run: (whole: string, start: number, end?: number) =>
      sliceCodePoints(whole, start, end) ?? failRule('substring() reaches beyond the text'),
  }
}

const conversions: readonly FunctionRow[] = [
  row('int', 'function', [['int', 'double']], () => ({
    shape: int,
    work: one,
    canFail: true,
    run: (value: number) => {
      const whole = Math.trunc(value)
      return Number.isSafeInteger(whole) ? whole : failRule('int() cannot hold this number exactly')
    },
  })),
  row('int', 'function', ['text'], ([of]) => ({
    shape: int,
    work: scan(lengthOf(of)),
    canFail: true,
    run: (value: string) => {
      const number = /^[+-]?\d{1,16}$/.test(value) ? Number(value) : Number.NaN
      return Number.isSafeInteger(number) ? number : failRule('int() was given a text that is no integer')
    },
  })),
  row('int', 'function', ['timestamp'], () => ({ shape: int, work: one, run: (at: number) => Math.floor(at / 1_000) })),
  row('double', 'function', [['int', 'double']], () => ({ shape: double, work: one, run: (value: number) => value })),
  row('double', 'function', ['text'], ([of]) => ({
    shape: double,
    work: scan(lengthOf(of)),
    canFail: true,
    run: (value: string) => {
      const number = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value) ? Number(value) : Number.NaN
      return Number.isFinite(number) ? number : failRule('double() was given a text that is no number')
    },
  })),
  row('string', 'function', [['int', 'double', 'bool']], () => ({ shape: textShape(32), work: one, run: String })),
  row('string', 'function', ['text'], ([of]) => ({
    shape: { kind: 'text', length: lengthOf(of) },
    work: one,
    run: (value: string) => value,
  })),
  row('timestamp', 'function', ['text'], () => ({
    shape: timestamp,
    work: units(40),
    canFail: true,
    run: (value: string) =>
      readTimestamp(value) ?? failRule('timestamp() was given a text that is no RFC 3339 timestamp'),
  })),
  row('duration', 'function', ['text'], ([of]) => {
    const literal = typeof of?.literal === 'string' ? readDuration(of.literal) : undefined
    if (literal !== undefined) return { shape: duration, work: one, run: () => literal }
    if (of?.literal !== undefined) return 'a duration is written like "1h30m", in h, m, s and ms'
    return {
      shape: duration,
      work: units(40),
      canFail: true,
      run: (value: string) => readDuration(value) ?? failRule('duration() was given a text that is no duration'),
    }
  }),
]

const spans: readonly (readonly [string, number])[] = [
  ['getHours', 3_600_000],
  ['getMinutes', 60_000],
  ['getSeconds', 1_000],
]

const readings: readonly FunctionRow[] = [
  ...[...clockReadings].flatMap(([name, read]): readonly FunctionRow[] => [
    row(name, 'method', ['timestamp'], () => ({ shape: int, work: units(5), run: read })),
    row(name, 'method', ['timestamp', 'text'], ([, zone]) => {
      if (typeof zone?.literal !== 'string') return 'a time zone is a literal, such as "Europe/Berlin"'
      const shift = zoneShift(zone.literal)
      if (shift === undefined) return `there is no time zone ${JSON.stringify(zone.literal)}`
      return { shape: int, work: units(300), run: (at: number) => read(shift(at)) }
    }),
  ]),
  ...spans.map(([name, ms]) =>
    row(name, 'method', ['duration'], () => ({ shape: int, work: one, run: (span: number) => Math.trunc(span / ms) })),
  ),
]

export const functionTable: readonly FunctionRow[] = [...sizes, ...texts, ...conversions, ...readings]
