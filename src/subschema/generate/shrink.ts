// Makes a witness readable: leaves out and simplifies all that it does not need, as long as it stays a witness.
import { isObject, type JsonValue } from '../../json/value.ts'

/** Work on one witness: the values in all candidates together, and the parts of the schemas that each is put to. */
const maxWork = 20_000
const workPerSchema = 1 / 8
/** In the worst case each part looks at each value. */
const workPerMeeting = 1 / 1024

/** `schemas`: the parts of the schemas that a candidate is put to. */
export function shrink(value: JsonValue, isWitness: (value: JsonValue) => boolean, schemas: number): JsonValue {
  let work = 0
  let best = value
  for (let improved = true; improved; ) {
    improved = false
    for (const candidate of smaller(best)) {
      const values = countValues(candidate, maxWork)
      work += 4 + values + schemas * (workPerSchema + values * workPerMeeting)
      if (work > maxWork) return best
      if (!isWitness(candidate)) continue
      best = candidate
      improved = true
      break
    }
  }
  return best
}

/** Counting ends at the limit: a witness may have millions of values. */
export function countValues(value: JsonValue, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    count += countValues(part, limit - count)
    if (count > limit) return count
  }
  return count
}

/** Simpler values, the simplest first; each is strictly simpler, so that shrinking ends. */
function* smaller(value: JsonValue): Generator<JsonValue> {
  if (typeof value === 'string') yield* smallerTexts(value)
  else if (typeof value === 'number') yield* smallerNumbers(value)
  else if (Array.isArray(value)) yield* smallerLists(value)
  else if (isObject(value)) yield* smallerObjects(value)
}

function* smallerTexts(text: string): Generator<string> {
  if (text === '') return
  yield ''
  const signs = [...text]
  if (signs.length > 1) {
    yield signs.slice(0, Math.ceil(signs.length / 2)).join('')
    yield signs.slice(1).join('')
    yield signs.slice(0, -1).join('')
  }
}

function* smallerNumbers(value: number): Generator<number> {
  const size = String(Math.abs(value)).length
  for (const candidate of [0, 1, -1, Math.trunc(value), Math.round(value * 10) / 10]) {
    if (candidate !== value && String(Math.abs(candidate)).length < size) yield candidate
  }
}

function* smallerLists(items: readonly JsonValue[]): Generator<JsonValue> {
  const half = Math.ceil(items.length / 2)
  if (items.length > 3) yield* [items.slice(0, half), items.slice(half)]
  for (let index = items.length - 1; index >= 0; index--) yield items.toSpliced(index, 1)
  for (const [index, item] of items.entries()) {
    for (const simpler of replacements(item)) yield items.with(index, simpler)
  }
}

function* smallerObjects(object: { readonly [key: string]: JsonValue }): Generator<JsonValue> {
  const entries = Object.entries(object)
  const half = Math.ceil(entries.length / 2)
  if (half > 2) yield* [Object.fromEntries(entries.slice(0, half)), Object.fromEntries(entries.slice(half))]
  for (let index = entries.length - 1; index >= 0; index--) yield Object.fromEntries(entries.toSpliced(index, 1))
  for (const [index, [name, own]] of entries.entries()) {
    for (const simpler of replacements(own)) yield Object.fromEntries(entries.with(index, [name, simpler]))
  }
}

/** A part may also become null, which is simpler than anything but itself. */
function* replacements(part: JsonValue): Generator<JsonValue> {
  if (part !== null && typeof part === 'object') yield null
  yield* smaller(part)
}
