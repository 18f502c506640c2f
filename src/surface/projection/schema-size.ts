// How large a projected schema is, counted as providers count: properties, levels, listed values, characters, unions.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { DialectTable, SchemaLimits } from '../dialects/dialect-table.ts'
import { mapSubschemas } from '../schema-positions.ts'
import type { ProjectionRefusal, ProjectionRefusalCode } from './projector.ts'

export interface SchemaSize {
  readonly properties: number
  readonly levels: number
  readonly enumValues: number
  readonly text: number
  /** Characters of the longest list of texts that is longer than the limit for such lists. */
  readonly longEnum: number
  readonly optional: number
  /** Properties whose values are of several types. */
  readonly unions: number
}

export function schemaSize(schema: JsonObject, longEnumOver: number): SchemaSize {
  const size = { properties: 0, levels: 0, enumValues: 0, text: 0, longEnum: 0, optional: 0, unions: 0 }
  const visit = (node: JsonObject, level: number): void => {
    const isNested = isObject(node.properties) || node.items !== undefined
    const here = isNested ? level + 1 : level
    size.levels = Math.max(size.levels, here)
    if (isObject(node.properties)) {
      const required: readonly JsonValue[] = Array.isArray(node.required) ? node.required : []
      for (const [name, property] of Object.entries(node.properties)) {
        size.properties++
        size.text += name.length
        if (!required.includes(name)) size.optional++
        if (isObject(property) && (Array.isArray(property.anyOf) || Array.isArray(property.type))) size.unions++
      }
    }
    if (Array.isArray(node.enum)) countValues(node.enum)
    if (isObject(node.$defs)) for (const name of Object.keys(node.$defs)) size.text += name.length
    mapSubschemas(node, '', (child, keyword) => {
      if (isObject(child)) visit(child, keyword === '$defs' ? 0 : here)
      return child
    })
  }
  const countValues = (values: readonly JsonValue[]): void => {
    size.enumValues += values.length
    const texts = values.filter((value) => typeof value === 'string')
    const length = texts.reduce((sum, text) => sum + text.length, 0)
    size.text += length
    if (texts.length > longEnumOver) size.longEnum = Math.max(size.longEnum, length)
  }
  visit(schema, 0)
  return size
}

interface LimitRow {
  readonly code: ProjectionRefusalCode
  readonly what: string
  read(size: SchemaSize): number
  limit(limits: SchemaLimits, table: DialectTable): number
}

const limitRows: readonly LimitRow[] = [
  {
    code: 'too_many_properties',
    what: 'properties',
    read: (size) => size.properties,
    limit: (limits) => limits.properties,
  },
  { code: 'too_deep', what: 'levels', read: (size) => size.levels, limit: (limits) => limits.levels },
  {
    code: 'too_many_enum_values',
    what: 'listed values',
    read: (size) => size.enumValues,
    limit: (limits) => limits.enumValues,
  },
  {
    code: 'too_much_text',
    what: 'characters of names and listed values',
    read: (size) => size.text,
    limit: (limits) => limits.text,
  },
  {
    code: 'too_much_text',
    what: 'characters in one long list of texts',
    read: (size) => size.longEnum,
    limit: (limits) => limits.longEnum.text,
  },
  {
    code: 'too_many_optional',
    what: 'properties that may be absent',
    read: (size) => size.optional,
    limit: (_limits, { request }) => request?.optional ?? Number.POSITIVE_INFINITY,
  },
  {
    code: 'too_many_unions',
    what: 'properties of several types',
    read: (size) => size.unions,
    limit: (_limits, { request }) => request?.unions ?? Number.POSITIVE_INFINITY,
  },
]

/** The limits of the provider that a single schema exceeds. */
export function sizeRefusals(
  size: SchemaSize,
  table: DialectTable,
  limits: SchemaLimits,
): readonly ProjectionRefusal[] {
  return limitRows.flatMap(({ code, what, read, limit }) => {
    const [found, most] = [read(size), limit(limits, table)]
    return found > most
      ? [{ code, pointer: '', message: `It has ${found} ${what}; ${table.provider} takes ${most}.` }]
      : []
  })
}
