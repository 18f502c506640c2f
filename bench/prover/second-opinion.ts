// Asks a validator that shares nothing with ours, @hyperjump/json-schema, whether a witness holds.
import '@hyperjump/json-schema/draft-04'
import '@hyperjump/json-schema/draft-06'
import '@hyperjump/json-schema/draft-07'
import '@hyperjump/json-schema/draft-2019-09'
import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12'
import type { JsonValue } from '../../src/json/value.ts'
import type { Pair } from '../../src/subschema/score.ts'

export type Opinion = 'confirmed' | 'denied' | 'cannot read the schema'

const dialectIds: Readonly<Record<string, string>> = {
  draft4: 'http://json-schema.org/draft-04/schema#',
  draft6: 'http://json-schema.org/draft-06/schema#',
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
}

let asked = 0

/** Confirmed: the left side accepts the value and the right side refuses it. */
export async function secondOpinion(pair: Pair, witness: JsonValue): Promise<Opinion> {
  try {
    const [left, right] = [await accepts(pair.lhs, pair.draft, witness), await accepts(pair.rhs, pair.draft, witness)]
    return left && !right ? 'confirmed' : 'denied'
  } catch {
    return 'cannot read the schema'
  }
}

export async function accepts(schema: JsonValue, draft: string, value: JsonValue): Promise<boolean> {
  if (typeof schema === 'boolean') return schema
  const uri = `https://proviso.example/asked/${asked++}`
  registerSchema(structuredClone(schema) as Parameters<typeof registerSchema>[0], uri, dialectIds[draft])
  try {
    const check = await validate(uri)
    return check(value as Parameters<typeof check>[0]).valid
  } finally {
    unregisterSchema(uri)
  }
}
