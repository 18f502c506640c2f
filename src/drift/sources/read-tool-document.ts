// A tool file that was read and checked, as a snapshot. Its schemas are judged as registration judges them: formats refuse values.
import type { FileBinding } from '../../contract/tool/binding-schema.ts'
import type { Contract } from '../../contract/tool/envelope.ts'
import type { JsonObject } from '../../json/value.ts'
import type { ToolSnapshot } from '../snapshot.ts'

export interface ToolDocument {
  readonly contract: Contract
  readonly binding: FileBinding
  readonly value: JsonObject
}

export function readToolDocument({ contract, binding, value }: ToolDocument): ToolSnapshot {
  const { identity, affordance } = contract
  const reading = { dialect: binding.dialect ?? '2020-12', formats: 'assert' } as const
  return {
    name: identity.name,
    version: identity.version,
    description: affordance.model_description,
    input: { schema: affordance.input_schema, ...reading },
    output: { schema: affordance.output_schema, ...reading },
    contract,
    binding,
    raw: value,
  }
}
