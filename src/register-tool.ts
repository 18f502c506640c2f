// Registration: a tool comes in whole or is refused by name. Contradictions, schemas that cannot be honoured and taken names end here.
import { compileTool } from './contract/compile-tool.ts'
import { findContradictions } from './contract/contradictions.ts'
import { Fault } from './contract/fault.ts'
import type { Tool } from './contract/tool.ts'
import type { ToolSource } from './define-tool.ts'
import type { Ledger } from './ledger/ledger.ts'

export function registerTool(source: ToolSource, durability: Ledger['durability']): Tool {
  const name = source.contract.identity.name
  const compilation = compileTool(source.contract, source.binding)
  const problems = compilation.ok
    ? findContradictions(compilation.tool, { ledger: durability }).map(
        ({ id, pointer, message }) => `${id} at ${pointer}: ${message}`,
      )
    : compilation.problems.map(({ pointer, message }) => `${pointer}: ${message}`)
  if (compilation.ok && problems.length === 0) return compilation.tool
  throw new Fault('registration_refused', `Tool ${name} is refused. ${problems.join(' ')}`, { details: problems })
}

export function refuseTakenNames(tool: Tool, registered: ReadonlyMap<string, Tool>): void {
  const names = new Set(
    [...registered.values()].flatMap((other) => [other.contract.identity.name, ...other.binding.aliases]),
  )
  const taken = [tool.contract.identity.name, ...tool.binding.aliases].filter((name) => names.has(name))
  if (taken.length > 0) {
    throw new Fault(
      'registration_refused',
      `Tool ${tool.contract.identity.name} is refused: the name ${taken.join(', ')} is taken.`,
    )
  }
}
