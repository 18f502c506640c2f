// Zod: prints through its own options. It drops regular expression flags, and folds a loose object of an intersection
// into one that no longer says so; both are put right while it prints, in the hook it offers.
import { appendPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { mapSubschemas } from '../schema-positions.ts'
import { changesMeaning, type LibraryDerivation } from './derivation.ts'
import { markUnconvertible, type Unconvertible } from './unconvertible.ts'

interface Printed {
  readonly zodSchema?: { readonly _zod?: { readonly def?: Definition } }
  readonly jsonSchema: Record<string, unknown>
}

interface Definition {
  readonly type?: unknown
  readonly pattern?: unknown
  readonly checks?: readonly { readonly _zod?: { readonly def?: Definition } }[]
}

export const zodDerivation: LibraryDerivation = {
  unwrapped: 'give z.toJSONSchema(schema), or update to Zod 4.2 or later',
  libraryOptions: () => ({ override }),
  locate: (convert) => {
    let place: Unconvertible | undefined
    const unrepresentable = ({
      path,
      message,
    }: {
      readonly path: readonly (string | number)[]
      readonly message: string
    }) => {
      place ??= { pointer: path.reduce<string>(appendPointer, ''), what: message }
      return 'any'
    }
    try {
      convert({ unrepresentable })
    } catch {
      // The first run has already failed; this one only looks for the place.
    }
    return place
  },
  amend: withoutKeep,
}

function override({ zodSchema, jsonSchema }: Printed): void {
  const definition = zodSchema?._zod?.def ?? {}
  // Zod prints a file as a string, which its own validator then refuses.
  if (definition.type === 'file') {
    for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword]
    Object.assign(jsonSchema, markUnconvertible('File cannot be represented in JSON Schema'))
  }
  if (jsonSchema.patternProperties !== undefined) jsonSchema.additionalProperties ??= {}
  // A keyword that Zod does not fold keeps the loose member as it is; the keyword itself changes nothing.
  if (isEmptySchema(jsonSchema.additionalProperties)) jsonSchema.unevaluatedProperties = true
  for (const { pattern } of [definition, ...(definition.checks ?? []).map((check) => check._zod?.def ?? {})]) {
    if (pattern instanceof RegExp && changesMeaning(pattern.flags)) dropPattern(jsonSchema, pattern.source)
  }
}

function withoutKeep(document: JsonObject): JsonObject {
  const mapped = mapSubschemas(document, '', (child): JsonValue => (isObject(child) ? withoutKeep(child) : child))
  const { unevaluatedProperties, ...rest } = mapped
  return unevaluatedProperties === true ? rest : mapped
}

function dropPattern(jsonSchema: Record<string, unknown>, source: string): void {
  if (jsonSchema.pattern === source) delete jsonSchema.pattern
  if (!Array.isArray(jsonSchema.allOf)) return
  const kept = jsonSchema.allOf.filter((member: { readonly pattern?: unknown }) => member.pattern !== source)
  if (kept.length === 0) delete jsonSchema.allOf
  else jsonSchema.allOf = kept
}

function isEmptySchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
