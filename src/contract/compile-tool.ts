// Joins a contract and its binding to a tool. Schemas are read now, so that what they use and we cannot honour is refused by name;
// their validators are compiled at the first call.
import { hashJson } from '../json/hash.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import { explain } from '../schema/explain.ts'
import { preprocess } from '../schema/preprocess.ts'
import { compileValidator } from '../schema/validator.ts'
import type { Contract } from './envelope.ts'
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
  const input = compileSchema(contract.affordance.input_schema, '/contract/affordance/input_schema')
  const output = compileSchema(contract.affordance.output_schema, '/contract/affordance/output_schema')
  if (input.ok && output.ok) {
    const contractHash = hashJson(contract as unknown as JsonValue)
    return { ok: true, tool: { contract, binding, contractHash, input: input.schema, output: output.schema } }
  }
  return { ok: false, problems: [...(input.ok ? [] : input.problems), ...(output.ok ? [] : output.problems)] }
}

type SchemaCompilation =
  | { readonly ok: true; readonly schema: CompiledSchema }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export function compileSchema(schema: JsonObject, at: string): SchemaCompilation {
  const reading = preprocess(schema)
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
