// Valibot: its converter, a package of its own, refuses checks and prints loose objects and tuples like plain ones.
// Checks run in the validator afterwards, so here they are passed over; what JSON cannot carry is marked.
import type { JsonObject } from '../../json/value.ts'
import { changesMeaning, type LibraryDerivation, type SchemaDirection } from './derivation.ts'
import { markUnconvertible, markUndefined } from './unconvertible.ts'

interface SchemaContext {
  readonly valibotSchema: { readonly type: string }
  readonly jsonSchema: JsonObject
  readonly errors?: readonly string[] | undefined
}

interface ActionContext {
  readonly valibotAction: { readonly kind: string; readonly type: string; readonly requirement?: unknown }
  readonly jsonSchema: JsonObject
  readonly errors?: readonly string[] | undefined
}

/** Transformations after which a value still has the type it had before. */
const typeKeeping: ReadonlySet<string> = new Set([
  'brand',
  'filter_items',
  'flavor',
  'normalize',
  'readonly',
  'sort_items',
  'to_lower_case',
  'to_max_value',
  'to_min_value',
  'to_upper_case',
  'trim',
  'trim_end',
  'trim_start',
])

export const valibotDerivation: LibraryDerivation = {
  unwrapped: "give toStandardJsonSchema(schema), from '@valibot/to-json-schema'",
  unvalidated: "give toStandardJsonSchema(schema), from '@valibot/to-json-schema', of the whole schema",
  libraryOptions: (direction) => ({ overrideSchema, overrideAction: overrideAction(direction) }),
}

function overrideSchema({ valibotSchema: { type }, jsonSchema, errors }: SchemaContext): JsonObject | undefined {
  // A record whose keys are not plain strings is printed correctly, in spite of the error.
  if (errors !== undefined && type !== 'record') {
    return type === 'undefined' || type === 'void' ? markUndefined() : markUnconvertible(errors.join(' '))
  }
  if (type === 'loose_object') return { ...jsonSchema, additionalProperties: {} }
  if (type === 'tuple') return { ...jsonSchema, items: false }
  return errors === undefined ? undefined : jsonSchema
}

function overrideAction(direction: SchemaDirection): (context: ActionContext) => JsonObject | undefined {
  return ({ valibotAction: { kind, type, requirement }, jsonSchema, errors }) => {
    if (errors === undefined) return undefined
    if (direction === 'output' && kind === 'transformation' && !typeKeeping.has(type)) {
      return markUnconvertible(errors.join(' '))
    }
    if (!(requirement instanceof RegExp) || !changesMeaning(requirement.flags)) return jsonSchema
    const { pattern, ...rest } = jsonSchema
    return pattern === requirement.source ? rest : jsonSchema
  }
}
