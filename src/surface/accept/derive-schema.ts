// Reads a Standard Schema: everything goes through its `~standard` object, so that no library is imported here.
// A schema without a JSON Schema converter is refused, and never taken for a JSON Schema with unknown keywords.
import { isObject, type JsonObject } from '../../json/value.ts'
import { type Convert, isReadable, type LibraryDerivation, type SchemaDirection } from './derivation.ts'
import { arktypeDerivation } from './derive-arktype.ts'
import { effectDerivation } from './derive-effect.ts'
import { valibotDerivation } from './derive-valibot.ts'
import { zodDerivation } from './derive-zod.ts'
import { guardValidate, readStandardResult, type Validate } from './library-validator.ts'
import { reasonAt, refusedSchema, sweepMarks } from './unconvertible.ts'

export type Derived =
  | { readonly ok: true; readonly document: JsonObject; readonly vendor: string; readonly validate?: Validate }
  | { readonly ok: false; readonly reason: string }

/**
 * The libraries whose converters need help, by the vendor name of their schemas. A library without a row here is asked
 * without options, and its answer is taken as it is.
 */
const derivations: ReadonlyMap<string, LibraryDerivation> = new Map([
  ['zod', zodDerivation],
  ['valibot', valibotDerivation],
  ['arktype', arktypeDerivation],
  ['effect', effectDerivation],
])

const target = 'draft-2020-12'

export function deriveStandard(schema: object, direction: SchemaDirection): Derived {
  const standard: unknown = Reflect.get(schema, '~standard')
  if (!isReadable(standard)) return refusedSchema('its ~standard is not an object')
  const vendor = typeof standard.vendor === 'string' ? standard.vendor : 'unknown'
  const derivation = derivations.get(vendor)
  const converter = isReadable(standard.jsonSchema) ? standard.jsonSchema[direction] : undefined
  if (typeof converter !== 'function') {
    const advice = derivation?.unwrapped ?? 'give the library’s Standard JSON Schema form, or { jsonSchema, validate }'
    return refusedSchema(`the ${vendor} schema does not carry its JSON Schema: ${advice}`)
  }
  const { validate } = standard
  if (typeof validate !== 'function' && derivation?.unvalidated !== undefined) {
    return refusedSchema(`the ${vendor} schema does not carry its validator: ${derivation.unvalidated}`)
  }
  const misfit = derivation?.misfit?.(schema, direction)
  if (misfit !== undefined) return refusedSchema(reasonAt(vendor, misfit))
  const convert: Convert = (libraryOptions) =>
    Reflect.apply(converter, standard.jsonSchema, [
      libraryOptions === undefined ? { target } : { target, libraryOptions },
    ])
  let printed: unknown
  try {
    printed = convert(derivation?.libraryOptions?.(direction))
  } catch (error) {
    const place = derivation?.locate?.(convert)
    return refusedSchema(
      place === undefined ? `the ${vendor} schema has no JSON Schema: ${wordsOf(error)}` : reasonAt(vendor, place),
    )
  }
  if (!isObject(printed)) return refusedSchema(`the ${vendor} schema printed no JSON Schema object`)
  const swept = sweepMarks(printed)
  if (swept.first !== undefined) return refusedSchema(reasonAt(vendor, swept.first))
  const document = derivation?.amend?.(swept.document, schema) ?? swept.document
  if (typeof validate !== 'function') return { ok: true, document, vendor }
  const run = (value: unknown): unknown => Reflect.apply(validate, standard, [value])
  return { ok: true, document, vendor, validate: guardValidate(run, readStandardResult) }
}

function wordsOf(error: unknown): string {
  return error instanceof Error && error.message !== ''
    ? (error.message.split('\n', 1)[0] ?? '')
    : 'its converter threw'
}
