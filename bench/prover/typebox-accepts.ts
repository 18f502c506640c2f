// Asks the validator of TypeBox, the third one, where the second falls short. It shares nothing with either, reads every draft,
// and takes what stands in `const` and `enum` for data.
import { Compile, type XSchema } from 'typebox/schema'
import type { JsonValue } from '../../src/json/value.ts'

/** Throws where it cannot read the schema. */
export function typeboxAccepts(schema: JsonValue, value: JsonValue): boolean {
  return Compile(schema as XSchema).Check(value)
}
