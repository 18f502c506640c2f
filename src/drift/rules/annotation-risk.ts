// What the hints of an MCP server say about risk, with the defaults of its specification where they say nothing. They are judged as one
// statement: whether a read is destructive means nothing.
import { canonicalize } from '../../json/canonical.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { ChangeSpot } from './rule.ts'

interface Hint {
  readonly what: string
  /** Higher is riskier. */
  rank(hints: JsonObject): number
  readonly names: readonly string[]
  readonly words: readonly string[]
}

const isTrue = (hints: JsonObject, name: string, otherwise: boolean): boolean =>
  typeof hints[name] === 'boolean' ? hints[name] : otherwise

const hints: readonly Hint[] = [
  {
    what: 'what it does to the world',
    rank: (said) => (isTrue(said, 'readOnlyHint', false) ? 0 : isTrue(said, 'destructiveHint', true) ? 2 : 1),
    names: ['readOnlyHint', 'destructiveHint'],
    words: ['read-only', 'adding only', 'destructive'],
  },
  {
    what: 'whether it can be repeated',
    rank: (said) => (isTrue(said, 'readOnlyHint', false) || isTrue(said, 'idempotentHint', false) ? 0 : 1),
    names: ['idempotentHint'],
    words: ['repeatable', 'not repeatable'],
  },
  {
    what: 'whom it meets',
    rank: (said) => (isTrue(said, 'openWorldHint', true) ? 1 : 0),
    names: ['openWorldHint'],
    words: ['a closed world', 'the open world'],
  },
]

export interface HintChange {
  readonly riskier: boolean
  readonly message: string
  readonly before: JsonValue
  readonly after: JsonValue
}

export function hintRisk(before: JsonObject = {}, after: JsonObject = {}): readonly HintChange[] {
  return hints.flatMap(({ what, rank, names, words }) => {
    const [old, renewed] = [rank(before), rank(after)]
    if (old === renewed) return []
    const message = `The hints say of ${what}: ${words[renewed]}. Before: ${words[old]}.`
    return [{ riskier: renewed > old, message, before: pick(before, names), after: pick(after, names) }]
  })
}

/** The hints that the specification knows. */
export const hintNames: ReadonlySet<string> = new Set(hints.flatMap(({ names }) => names))

/** Hints that are said differently and still tell of the same risk. */
export function untellingHints(before: JsonObject = {}, after: JsonObject = {}): readonly ChangeSpot[] {
  return hints
    .filter(({ rank }) => rank(before) === rank(after))
    .flatMap(({ names }) => names)
    .filter((name) => hintText(before, name) !== hintText(after, name))
    .map((name) => ({
      pointer: `/annotations/${name}`,
      message: `The hint ${name} changed, and tells of the same risk as before.`,
      before: before[name] ?? null,
      after: after[name] ?? null,
    }))
}

const pick = (said: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(said, name) ? [[name, said[name] as JsonValue]] : [])))

const hintText = (said: JsonObject, name: string): string | undefined =>
  Object.hasOwn(said, name) ? canonicalize(said[name] as JsonValue) : undefined
