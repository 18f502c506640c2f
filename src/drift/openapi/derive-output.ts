// The result of an operation: what its successful responses may hold, as the http executor gives it. Where one of them is not described,
// nothing is said. The failures are listed by their statuses.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { OpenApiDocument, OpenApiGap } from './document.ts'
import { bestKind, chooseMedia, schemaPointer } from './media.ts'
import type { Operation } from './operations.ts'
import type { Translator } from './schema-translation.ts'

export interface DerivedOutput {
  /** Undefined where nothing can be said. */
  readonly schema: JsonObject | undefined
  /** Statuses of failures, as the document names them. */
  readonly errors: readonly string[]
  readonly gaps: readonly OpenApiGap[]
}

export function deriveOutput(document: OpenApiDocument, operation: Operation, translator: Translator): DerivedOutput {
  const { value, pointer } = operation
  const gaps: OpenApiGap[] = []
  const uses = new Set<string>()
  const responses = isObject(value.responses) ? Object.entries(value.responses) : []
  const parts = responses
    .filter(([status]) => /^2(?:[0-9]{2}|xx)$/i.test(status))
    .map(([status, given]) => responseSchema(document, operation, status, given))
  const errors = responses
    .map(([status]) => status)
    .filter((status) => /^(?:[45](?:[0-9]{2}|xx)|default)$/i.test(status))
  if (parts.length === 0 || parts.some((part) => part === undefined))
    return { schema: undefined, errors: errors.sort(), gaps }
  const schemas = parts.flatMap((part) => {
    if (part === undefined) return []
    if (part.schema !== undefined) return [part.schema]
    const translation = translator.translate(part.source, part.pointer)
    for (const gap of translation.gaps) gaps.push(gap)
    for (const target of translation.uses) uses.add(target)
    return [translation.schema]
  })
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  const [only] = distinct
  const whole: JsonObject = distinct.length === 1 && isObject(only) ? only : { anyOf: distinct }
  const { schema, gaps: deeper } = translator.complete(whole, uses)
  return {
    schema,
    errors: errors.sort(),
    gaps: [...gaps, ...deeper.map((gap) => ({ ...gap, pointer: gap.pointer || pointer }))],
  }
}

interface ResponsePart {
  /** Known without the document. */
  readonly schema?: JsonValue
  readonly source?: JsonValue
  readonly pointer: string
}

/** Undefined where the response is not described. */
function responseSchema(
  document: OpenApiDocument,
  { value, pointer }: Operation,
  status: string,
  given: JsonValue,
): ResponsePart | undefined {
  const read = document.resolve(given, `${pointer}/responses/${status}`)
  if (!read.ok) return undefined
  if (status === '204' || status === '205') return { schema: { type: 'null' }, pointer: read.pointer }
  if (document.version === '2.0') {
    if (read.value.schema === undefined) return undefined
    return ofKind(
      bestKind(value.produces, document.root.produces) ?? 'json',
      read.value.schema,
      `${read.pointer}/schema`,
    )
  }
  const media = chooseMedia(read.value.content)
  if (media === undefined) return undefined
  return ofKind(media.kind, media.value.schema, schemaPointer(read.pointer, media))
}

function ofKind(kind: string, source: JsonValue | undefined, pointer: string): ResponsePart | undefined {
  if (kind === 'text') return { schema: { type: 'string' }, pointer }
  return kind === 'json' && source !== undefined ? { source, pointer } : undefined
}
