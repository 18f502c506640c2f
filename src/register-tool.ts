// Registration: a tool comes in whole or is refused by name. Contradictions, schemas that cannot be honoured and taken names end here.
import { findConsequenceContradictions } from './approval/consequence-contradictions.ts'
import { compileTool } from './contract/compile-tool.ts'
import { findContradictions } from './contract/contradictions.ts'
import { Fault } from './contract/fault.ts'
import type { Tool } from './contract/tool.ts'
import type { ToolSource } from './define-tool.ts'
import type { Ledger } from './ledger/ledger.ts'
import { findRuleContradictions } from './policy/rules/rule-contradictions.ts'
import { findSchemaContradictions } from './schema-contradictions.ts'

export function registerTool(source: ToolSource, durability: Ledger['durability']): Tool {
  const name = source.contract.identity.name
  const compilation = compileTool(source.contract, source.binding)
  const problems = compilation.ok
    ? [
        ...findContradictions(compilation.tool, { ledger: durability }),
        ...findSchemaContradictions(compilation.tool),
        ...findRuleContradictions(compilation.tool),
        ...findConsequenceContradictions(compilation.tool),
      ].map(({ id, pointer, message }) => `${id} at ${pointer}: ${message}`)
    : compilation.problems.map(({ pointer, message }) => `${pointer}: ${message}`)
  if (compilation.ok && problems.length === 0) return compilation.tool
  throw new Fault('registration_refused', `Tool ${name} is refused. ${problems.join(' ')}`, { details: problems })
}

/** The same tools, once it is sure that no name or alias leads to two of them. */
export function withDistinctNames(tools: readonly Tool[]): readonly Tool[] {
  const taken = new Set<string>()
  for (const { contract, binding } of tools) {
    for (const name of [contract.identity.name, ...binding.aliases]) {
      if (taken.has(name)) throw new Fault('registration_refused', `Two tools answer to ${name}: the name is taken.`)
      taken.add(name)
    }
  }
  return tools
}
