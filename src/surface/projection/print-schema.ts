// A schema for providers that take JSON Schema as it is: the author's own document where that can be sent, else the normal
// form in 2020-12.
// The root is an object without alternatives, because no provider takes those there even where it enforces nothing.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'
import { mapSubschemas } from '../schema-positions.ts'
import { constraintText } from './constraint-text.ts'
import { facetsOf } from './facets.ts'

/** As MCP takes it: an object at the root, everything else as written. */
export function printWhole(form: Preprocessed, source: JsonObject): JsonObject {
  const document = form.dialect === 'openapi-3.0' ? printNormal(form) : source
  return document.type === 'object' ? document : { ...document, type: 'object' }
}

/** For providers that take no alternatives at the root: their fields are offered together, and sentences say the rest. */
export function printLoose(form: Preprocessed, source: JsonObject): JsonObject {
  const whole = printWhole(form, source)
  const root = typeof form.root === 'boolean' ? {} : form.root
  const isPlain =
    !rootUnions.some((word) => root[word] !== undefined) && root.$ref === undefined && root.allOf === undefined
  if (isPlain) return whole
  const certain = facetsOf([root], form)
  const branches = certain.flatMap(({ anyOf = [], oneOf = [] }) => facetsOf([...anyOf, ...oneOf], form))
  const properties = new Map<string, NormalSchema>()
  for (const facet of [...certain, ...branches]) {
    for (const [name, property] of Object.entries(facet.properties ?? {})) {
      if (!properties.has(name)) properties.set(name, property)
    }
  }
  const sentences = certain.flatMap((facet) =>
    rootUnions.flatMap((word) =>
      facet[word] === undefined || word === 'enum' || word === 'const' ? [] : [constraintText(facet, word)],
    ),
  )
  const closed = certain.some((facet) => facet.additionalProperties === false || facet.unevaluatedProperties === false)
  const description = [root.description ?? '', ...sentences].filter((text) => text !== '').join(' ')
  const flat: NormalObject = {
    type: ['object'],
    ...(description === '' ? {} : { description }),
    properties: Object.fromEntries(properties),
    required: [...new Set(certain.flatMap(({ required = [] }) => required))],
    ...(closed ? { additionalProperties: false } : {}),
  }
  return { ...printNormal({ ...form, root: flat }), type: 'object' }
}

const rootUnions = ['anyOf', 'oneOf', 'not', 'if', 'enum', 'const'] as const

function printNormal({ root, defs }: Preprocessed): JsonObject {
  const names = new Map([...defs.keys()].map((key, index) => [key, `d${index + 1}`]))
  // The normal form is JSON, which its interface types do not show.
  const print = (schema: JsonValue): JsonValue => {
    if (!isObject(schema)) return schema
    const mapped = mapSubschemas(schema, '', print)
    return typeof mapped.$ref === 'string' ? { ...mapped, $ref: `#/$defs/${names.get(mapped.$ref)}` } : mapped
  }
  const printed = print(root as unknown as JsonValue)
  const document = isObject(printed) ? printed : {}
  if (defs.size === 0) return document
  const printedDefs = [...defs].map(([key, schema]) => [names.get(key) ?? key, print(schema as unknown as JsonValue)])
  return { ...document, $defs: Object.fromEntries(printedDefs) }
}
