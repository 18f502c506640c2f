// ArkType: its converter prints `{}` for what JSON cannot carry, and patterns without their flags. The fallbacks it
// offers leave a mark instead; flagged patterns are found in the description that every type carries.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { mapSubschemas } from '../schema-positions.ts'
import { changesMeaning, type LibraryDerivation } from './derivation.ts'
import { markUnconvertible, markUndefined } from './unconvertible.ts'

interface FallbackContext {
  readonly base: JsonObject
  readonly domain?: unknown
  readonly unit?: unknown
  readonly proto?: { readonly name?: string }
  readonly optional?: boolean
}

const noForm = (what: string): JsonObject => markUnconvertible(`${what} cannot be represented in JSON Schema`)

const fallback: Readonly<Record<string, (context: FallbackContext) => JsonObject>> = {
  domain: ({ domain }) => noForm(String(domain)),
  proto: ({ proto }) => noForm(proto?.name ?? 'an instance of a class'),
  unit: ({ unit }) => (unit === undefined ? markUndefined() : noForm(typeof unit)),
  date: () => noForm('Date'),
  arrayObject: () => noForm('an array with named properties'),
  symbolKey: ({ base, optional }) => (optional ? base : noForm('a symbol key')),
}

export const arktypeDerivation: LibraryDerivation = {
  unwrapped: 'update to a version of ArkType whose types carry jsonSchema (2.1.28 or later)',
  libraryOptions: () => ({ fallback }),
  amend: (document, schema) => {
    const flagged = new Set<string>()
    if (typeof schema === 'function' && 'json' in schema) collectFlagged(schema.json, flagged)
    return amend(document, flagged)
  },
}

/** Patterns with a flag appear as `{ rule, flags }`. */
function collectFlagged(json: unknown, flagged: Set<string>): void {
  if (typeof json !== 'object' || json === null) return
  const { rule, flags } = json as { readonly rule?: unknown; readonly flags?: unknown }
  if (typeof rule === 'string' && typeof flags === 'string' && changesMeaning(flags)) flagged.add(rule)
  for (const part of Object.values(json)) collectFlagged(part, flagged)
}

function amend(schema: JsonObject, flagged: ReadonlySet<string>): JsonObject {
  const mapped = mapSubschemas(schema, '', (child): JsonValue => (isObject(child) ? amend(child, flagged) : child))
  const { pattern, ...rest } = mapped
  const amended = typeof pattern === 'string' && flagged.has(pattern) ? rest : mapped
  // Its `never` is an enum without members, which validators refuse to compile.
  if (!Array.isArray(amended.enum) || amended.enum.length > 0) return amended
  const { enum: _none, ...others } = amended
  return { ...others, not: {} }
}
