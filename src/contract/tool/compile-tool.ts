// Joins a contract and its binding to a tool. Schemas are read now, so that what they use and we cannot honour is refused by name;
// their validators are compiled at the first call.
import { copyParsed } from '../../json/copy.ts'
import { hashJson } from '../../json/hash.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { explain } from '../../schema/explain.ts'
import type { Dialect } from '../../schema/normal.ts'
import { preprocess } from '../../schema/preprocess.ts'
import { compileValidator } from '../../schema/validator.ts'
import { Fault } from '../fault.ts'
import { type Contract, contractSchema } from './envelope.ts'
import type { Binding, CompiledSchema, Tool } from './tool.ts'

export type Compilation =
  | { readonly ok: true; readonly tool: Tool }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** What is wrong, where in the tool file, and what to write instead. */
export interface Problem {
  readonly pointer: string
  readonly message: string
}

export function compileTool(contract: Contract, binding: Binding): Compilation {
  const misfits = misfitsOf(contract)
  if (misfits.length > 0) return { ok: false, problems: misfits }
  const input = compileSchema(contract.affordance.input_schema, '/contract/affordance/input_schema', binding.dialect)
  const output = compileSchema(contract.affordance.output_schema, '/contract/affordance/output_schema', binding.dialect)
  if (input.ok && output.ok) {
    const contractHash = hashJson(contract as unknown as JsonValue)
    return { ok: true, tool: { contract, binding, contractHash, input: input.schema, output: output.schema } }
  }
  return { ok: false, problems: [...(input.ok ? [] : input.problems), ...(output.ok ? [] : output.problems)] }
}

let envelope: CompiledSchema | undefined

/** Where a contract that was not read from a file departs from the envelope. */
function misfitsOf(contract: Contract): readonly Problem[] {
  const copy = copyParsed(contract, { maxBytes: 8 * 1_048_576, maxDepth: 1_000, maxValues: 1_000_000 })
  if (!copy.ok) return [{ pointer: `/contract${copy.refusal.pointer}`, message: copy.refusal.message }]
  if (envelope === undefined) {
    const compiled = compileSchema(contractSchema, '')
    if (!compiled.ok) throw new Fault('internal', 'The schema of contracts is broken.')
    envelope = compiled.schema
  }
  if (envelope.matches(copy.value)) return []
  return envelope.explain(copy.value, []).map(({ pointer, message }) => ({ pointer: `/contract${pointer}`, message }))
}

type SchemaCompilation =
  | { readonly ok: true; readonly schema: CompiledSchema }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export function compileSchema(schema: JsonObject, at: string, dialect?: Dialect): SchemaCompilation {
  const reading = preprocess(schema, dialect === undefined ? {} : { dialect })
  if (!reading.ok) {
    const problems = reading.refusals.map(({ pointer, message }) => ({ pointer: at + pointer, message }))
    return { ok: false, problems }
  }
  const form = reading.schema
  const validator = compileValidator(form)
  return {
    ok: true,
    schema: {
      form,
      matches: (value) => validator.matches(value),
      explain: (value, sensitive) => explain(form, value, { sensitive }),
    },
  }
}
