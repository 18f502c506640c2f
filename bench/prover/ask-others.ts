// Puts a witness to validators that share nothing with ours: @hyperjump/json-schema first, TypeBox where that one does not confirm it.
// Invariant: confirmed means that R accepts the value and L refuses it, in one and the same validator.
import type { JsonValue } from '../../src/json/value.ts'
import type { Pair } from '../../src/subschema/verdict/score.ts'
import { hyperjumpAccepts } from './hyperjump-accepts.ts'
import { typeboxAccepts } from './typebox-accepts.ts'

/** `unread`: the validator cannot read one of the schemas. */
export type Opinion = 'confirmed' | 'denied' | 'unread'

export interface Opinions {
  readonly second: Opinion
  /** Asked only where the second does not confirm. */
  readonly third?: Opinion
}

export async function askOthers(pair: Pair, witness: JsonValue): Promise<Opinions> {
  const second = await opinionOf((schema) => hyperjumpAccepts(schema, pair.draft, witness), pair)
  if (second === 'confirmed') return { second }
  return { second, third: await opinionOf((schema) => typeboxAccepts(schema, witness), pair) }
}

async function opinionOf(accepts: (schema: JsonValue) => boolean | Promise<boolean>, pair: Pair): Promise<Opinion> {
  try {
    return (await accepts(pair.lhs)) && !(await accepts(pair.rhs)) ? 'confirmed' : 'denied'
  } catch {
    return 'unread'
  }
}
