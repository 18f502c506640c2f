// The opinion of a validator of other making, as it comes: without formats, and with a fresh instance for every schema.
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { SchemaSnapshot } from '../../src/drift/snapshot.ts'
import { isObject, type JsonValue } from '../../src/json/value.ts'

/** Undefined where it cannot read the schema. */
export function ajvAccepts({ schema, dialect }: SchemaSnapshot, value: JsonValue): boolean | undefined {
  const named = isObject(schema) && typeof schema.$schema === 'string' ? schema.$schema : dialect
  const options = {
    strict: false,
    validateFormats: false,
    ownProperties: true,
    validateSchema: false,
    logger: false,
  } as const
  const ajv = /draft-0[67]/.test(named)
    ? new Ajv(options)
    : named.includes('2020-12')
      ? new Ajv2020(options)
      : undefined
  try {
    return ajv?.compile(schema as object)(value) as boolean | undefined
  } catch {
    return undefined
  }
}
