// Near misses: values of a schema with one thing broken, each labelled with the keyword and place that it breaks.
// Deterministic for a seed; every value was refused by the validator.
import { canonicalize } from '../../json/canonical.ts'
import { isObject, type JsonValue } from '../../json/value.ts'
import { explain } from '../../schema/explain.ts'
import type { Preprocessed } from '../../schema/normal.ts'
import { compileValidator } from '../../schema/validator.ts'
import { oversize } from '../oversize.ts'
import { sample } from './sample.ts'
import { createSeeded, type Seeded } from './seeded.ts'

export interface NearMiss {
  readonly value: JsonValue
  /** The keyword that refuses it, and where. */
  readonly breaks: string
  readonly pointer: string
}

/** How many near misses are made for each that is wanted, so that different ones can be chosen. */
const spreadOver = 12

export function mutations(schema: Preprocessed, count: number, seed = 1): readonly NearMiss[] {
  if (oversize(schema, schema) !== undefined) return []
  const seeded = createSeeded(seed)
  const { matches } = compileValidator(schema)
  const right = sample(schema, Math.max(8, Math.ceil(count / 4)), seed)
  const found = new Map<string, NearMiss>()
  const broken = right.flatMap((value) => [...breakages(value)])
  for (const value of seeded.shuffle(broken.length > 0 ? broken : strangers)) {
    if (found.size >= count * spreadOver) break
    const key = canonicalize(value)
    if (found.has(key) || matches(value)) continue
    const [error] = explain(schema, value, { limit: 1 })
    if (error !== undefined) found.set(key, { value, breaks: error.keyword, pointer: error.pointer })
  }
  return spread([...found.values()], seeded).slice(0, count)
}

/** Mutations that break different things come first. */
function spread(all: readonly NearMiss[], seeded: Seeded): readonly NearMiss[] {
  const groups = Map.groupBy(seeded.shuffle(all), ({ breaks, pointer }) => `${breaks} ${pointer}`)
  const rounds = Math.max(0, ...[...groups.values()].map((group) => group.length))
  return Array.from({ length: rounds }, (_, round) =>
    [...groups.values()].flatMap((group) => (group[round] === undefined ? [] : [group[round] as NearMiss])),
  ).flat()
}

const strangers: readonly JsonValue[] = [null, true, 0, -1, 0.5, 1e9, '', 'x', [], [null], {}, { unexpected: true }]

/** One change anywhere in the value. */
function* breakages(value: JsonValue): Generator<JsonValue> {
  for (const other of strangers) if (typeof other !== typeof value || other === null) yield other
  if (typeof value === 'number') yield* [value + 1, value - 1, value + 0.5, -value, value * 1e6, String(value)]
  else if (typeof value === 'string') yield* ['', `${value}x`, value.slice(1), value.repeat(20), value.toUpperCase()]
  else if (Array.isArray(value)) yield* brokenLists(value)
  else if (isObject(value)) yield* brokenObjects(value)
}

function* brokenLists(items: readonly JsonValue[]): Generator<JsonValue> {
  yield []
  yield [...items, ...items]
  yield [...items, null]
  for (const [index, item] of items.slice(0, 8).entries()) {
    yield items.toSpliced(index, 1)
    for (const broken of breakages(item)) yield items.with(index, broken)
  }
}

function* brokenObjects(object: { readonly [key: string]: JsonValue }): Generator<JsonValue> {
  yield { ...object, unexpected: true }
  const entries = Object.entries(object)
  for (const [index, [name, own]] of entries.entries()) {
    yield Object.fromEntries(entries.toSpliced(index, 1))
    yield Object.fromEntries(entries.with(index, [`${name}_`, own]))
    for (const broken of breakages(own)) yield Object.fromEntries(entries.with(index, [name, broken]))
  }
}
