// A schema as the surface takes it, with both checks beside each other: Ajv on its JSON Schema, and the library's validator.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type Accepted, acceptSchema } from '../../src/surface/accept/accept-schema.ts'
import type { LibraryOutcome } from '../../src/surface/accept/library-validator.ts'

export function taken(schema: unknown, direction: 'input' | 'output' = 'input') {
  const accepted: Accepted = acceptSchema(schema, direction)
  if (!accepted.ok) throw new Error(accepted.reason)
  const { $schema: _dialect, ...jsonSchema } = accepted.jsonSchema
  // ArkType prints a lookahead for numeric strings; what patterns may say is the business of the schema room.
  const check = new Ajv2020({ strict: false, ownProperties: true, validateFormats: false }).compile(jsonSchema)
  const validate = async (value: unknown): Promise<LibraryOutcome> => accepted.validate?.(value) ?? { ok: true, value }
  return { ...accepted, check, validate }
}
