// Changes that a model makes to a right call: wrong types, lost, added and misspelled keys, values just outside their bounds.
import { isObject, type JsonObject, type JsonValue } from '../../src/json/value.ts'
import type { Random } from './random.ts'

const hostileTexts = [
  '',
  ' ',
  '0',
  'null',
  '[]',
  'true',
  'ÄÖ',
  '日本語',
  '\u0000',
  '\u202e',
  '😀',
  'e\u0301',
  '\ud800',
  'a\udc00b',
  "'; DROP TABLE x;--",
  '../../etc/passwd',
  '{{x}}',
  '__proto__',
  'constructor',
  '2026-02-30',
  '2026-13-01T25:00:00Z',
  '999.1.1.1',
  'USD',
  'high ',
  'HIGH',
  'card',
  'x'.repeat(300),
] as const
const hostileNumbers = [
  0,
  -0,
  1,
  -1,
  0.1,
  0.25,
  1e-7,
  5,
  10,
  151,
  50_000,
  1e21,
  -1e21,
  2 ** 53,
  2 ** 53 - 1,
  -(2 ** 53),
  1.7976931348623157e308,
  5e-324,
  0.30000000000000004,
] as const
const hostileKeys = [
  'toString',
  'constructor',
  'hasOwnProperty',
  'valueOf',
  '',
  ' ',
  'a.b',
  'a/b',
  '~',
  '$ref',
  '$schema',
  'Title',
  'sever_ity',
  '0',
  '10',
  'length',
  '日',
  'k'.repeat(100),
] as const

/** A random JSON value, never deep. */
export function randomValue(random: Random, depth = 3): JsonValue {
  const simple: readonly (readonly [number, () => JsonValue])[] = [
    [3, () => random.pick(hostileTexts)],
    [3, () => random.pick(hostileNumbers)],
    [1, () => random.chance(0.5)],
    [1, () => null],
  ]
  const nested: readonly (readonly [number, () => JsonValue])[] = [
    [2, () => Array.from({ length: random.int(4) }, () => randomValue(random, depth - 1))],
    [
      2,
      () =>
        Object.fromEntries(
          Array.from({ length: random.int(4) }, () => [randomKey(random), randomValue(random, depth - 1)]),
        ),
    ],
  ]
  return random.weighted(depth > 0 ? [...simple, ...nested] : simple)()
}

/** One change somewhere in the value, most often below the top. */
export function mutateValue(value: JsonValue, random: Random): JsonValue {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.7)) {
    const at = random.int(value.length)
    return value.with(at, mutateValue(value[at] as JsonValue, random))
  }
  if (isObject(value) && random.chance(0.6)) {
    const keys = Object.keys(value)
    if (keys.length > 0) {
      const key = random.pick(keys)
      return { ...value, [key]: mutateValue(value[key] as JsonValue, random) }
    }
  }
  return mutateHere(value, random)
}

function mutateHere(value: JsonValue, random: Random): JsonValue {
  if (isObject(value)) return mutateObject(value, random)
  if (Array.isArray(value)) return mutateArray(value, random)
  if (random.chance(0.4)) return retyped(value, random)
  if (typeof value === 'number') {
    return random.pick([value + 1, value - 1, -value, value + 0.5, value * 1e6, value / 3, random.pick(hostileNumbers)])
  }
  if (typeof value === 'string') {
    const at = random.int(value.length + 1)
    return random.pick([
      value.toUpperCase(),
      `${value} `,
      value.slice(0, at),
      `${value.slice(0, at)}é${value.slice(at)}`,
      value.repeat(9),
      random.pick(hostileTexts),
    ])
  }
  return randomValue(random)
}

/** The same thing in another JSON type, as models stringify, wrap and null. */
function retyped(value: JsonValue, random: Random): JsonValue {
  return random.pick([
    JSON.stringify(value),
    [value],
    { value },
    null,
    String(value),
    Number(value) || 0,
    Boolean(value),
    randomValue(random),
  ])
}

function mutateObject(object: JsonObject, random: Random): JsonValue {
  const keys = Object.keys(object)
  const without = (key: string): JsonObject => Object.fromEntries(Object.entries(object).filter(([own]) => own !== key))
  const change = random.weighted<() => JsonValue>([
    [3, () => (keys.length === 0 ? { extra: 1 } : without(random.pick(keys)))],
    [3, () => withKey(object, randomKey(random), randomValue(random))],
    [
      2,
      () => {
        if (keys.length === 0) return randomValue(random)
        const key = random.pick(keys)
        const spelled = random.pick([
          key.toUpperCase(),
          `_${key}`,
          key.replaceAll('_', ''),
          `${key}s`,
          randomKey(random),
        ])
        return withKey(without(key), spelled, object[key] as JsonValue)
      },
    ],
    [1, () => ({ arguments: object })],
    [1, () => ({ type: 'object', properties: object })],
    [1, () => JSON.stringify(object)],
    [1, () => [object]],
    [1, () => randomValue(random)],
  ])
  return change()
}

function mutateArray(array: readonly JsonValue[], random: Random): JsonValue {
  return random.pick<() => JsonValue>([
    () => [],
    () => [...array, ...array],
    () => [...array, randomValue(random)],
    () => array.slice(1),
    () => array.toReversed(),
    () => Array.from({ length: 60 }, () => array[0] ?? 0),
    () => ({ ...array }),
    () => JSON.stringify(array),
    () => array[0] ?? null,
  ])()
}

const randomKey = (random: Random): string => random.pick(hostileKeys)

/** `__proto__` and its like become own keys like all others. */
function withKey(object: JsonObject, key: string, value: JsonValue): JsonObject {
  return Object.fromEntries([...Object.entries(object), [key, value]])
}
