// Takes the schema that a tool's author wrote, of any library, and makes one JSON Schema of it, with the library's own
// validator where there is one. A schema that cannot be used is refused with a reason that says what to write; nothing throws.
import { copyParsed } from '../../json/copy.ts'
import { isObject, type JsonObject } from '../../json/value.ts'
import { closeObjects } from './close-objects.ts'
import type { SchemaDirection } from './derivation.ts'
import { effectDerivation, isEffectSchema } from './derive-effect.ts'
import { deriveStandard } from './derive-schema.ts'
import { guardValidate, hasThen, readSdkResult, type Validate } from './library-validator.ts'
import { isTypeBox, readTypeBox } from './typebox-document.ts'
import { reasonAt, refusedSchema } from './unconvertible.ts'

export type Accepted =
  | {
      readonly ok: true
      readonly jsonSchema: JsonObject
      /** `json-schema`, `typebox`, or what the library calls itself: `zod`, `valibot`, `arktype`, `effect`, … */
      readonly vendor: string
      /** The library's own validator: refinements, transforms, coercions. It may be asynchronous and never throws. */
      readonly validate?: Validate
    }
  | { readonly ok: false; readonly reason: string }

/**
 * `input` is for what a tool takes: the value is checked against `jsonSchema`, then `validate` makes of it what
 * `execute` receives. `output` is for what a tool gives: `validate` reads what `execute` returned, and its result is
 * what `jsonSchema` describes. A plain JSON Schema is taken as it is; one that a library derived has its objects closed.
 */
export function acceptSchema(schema: unknown, direction: SchemaDirection): Accepted {
  try {
    return isSdkSchema(schema) ? acceptSdkSchema(schema, direction) : acceptOwn(schema, direction, false)
  } catch (error) {
    return refusedSchema(`the schema could not be read: ${error instanceof Error ? error.message : 'it threw'}`)
  }
}

/** Schemas are written by developers and may be large; the schema room has its own limits. */
const documentLimits = { maxBytes: 8 * 1_048_576, maxDepth: 1_000, maxValues: 1_000_000 }

function acceptOwn(schema: unknown, direction: SchemaDirection, validated: boolean): Accepted {
  if (typeof schema === 'boolean') return { ok: true, jsonSchema: schema ? {} : { not: {} }, vendor: 'json-schema' }
  if (typeof schema === 'function' || isObject(schema)) {
    if ('~standard' in schema) return acceptStandard(schema, direction)
    if (isEffectSchema(schema))
      return refusedSchema(`an Effect schema does not carry its JSON Schema: ${effectDerivation.unwrapped}`)
  }
  if (typeof schema === 'function') {
    return refusedSchema('a function is not a schema; where it makes one, as lazySchema does, give what it returns')
  }
  if (!isObject(schema)) return refusedSchema(`${valueKind(schema)} is not a schema; ${offer}`)
  if (isTypeBox(schema)) {
    const reading = readTypeBox(schema, validated)
    return reading.ok
      ? printed(reading.document, 'typebox', closeObjects)
      : refusedSchema(reasonAt('typebox', reading.place))
  }
  if ('_def' in schema && 'parse' in schema)
    return refusedSchema('this Zod is too old to print JSON Schema: update to Zod 4.2 or later')
  return printed(schema, 'json-schema')
}

function acceptStandard(schema: object, direction: SchemaDirection): Accepted {
  const derived = deriveStandard(schema, direction)
  if (!derived.ok) return derived
  const { document, vendor, validate } = derived
  const accepted = printed(document, vendor, closeObjects)
  return accepted.ok && validate !== undefined ? { ...accepted, validate } : accepted
}

/** An AI SDK schema: JSON Schema and a validator side by side. */
interface SdkSchema {
  readonly jsonSchema: unknown
  readonly validate?: unknown
}

function isSdkSchema(schema: unknown): schema is SdkSchema {
  if (!isObject(schema) || !('jsonSchema' in schema) || '~standard' in schema) return false
  return 'validate' in schema || Symbol.for('vercel.ai.schema') in schema
}

function acceptSdkSchema(schema: SdkSchema, direction: SchemaDirection): Accepted {
  const { jsonSchema, validate } = schema
  if (hasThen(jsonSchema)) {
    return refusedSchema(
      'its jsonSchema is a promise: await it first and give { jsonSchema: await schema.jsonSchema, validate }',
    )
  }
  if (typeof validate !== 'function') return acceptOwn(jsonSchema, direction, false)
  const accepted = acceptOwn(jsonSchema, direction, true)
  if (!accepted.ok) return accepted
  const run = (value: unknown): unknown => Reflect.apply(validate, schema, [value])
  return { ...accepted, validate: guardValidate(run, readSdkResult) }
}

/**
 * The document as JSON data of our own. Key order is kept, because models read properties in the order they stand.
 */
function printed(document: JsonObject, vendor: string, finish?: (document: JsonObject) => JsonObject): Accepted {
  const copying = copyParsed(document, documentLimits)
  if (!copying.ok) {
    const { message, pointer } = copying.refusal
    return refusedSchema(reasonAt(vendor, { pointer, what: message }))
  }
  const copy: JsonObject = JSON.parse(JSON.stringify(document))
  return { ok: true, jsonSchema: finish === undefined ? copy : finish(copy), vendor }
}

const offer = 'give a JSON Schema object, or a schema of Zod, Valibot, ArkType, TypeBox or Effect'

function valueKind(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}
