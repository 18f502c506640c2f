// Registration: a tool comes in whole or is refused by name. Contradictions and schemas that cannot be honoured end here.

import { Fault } from '../contract/fault.ts'
import { findContradictions } from '../contract/find-contradictions.ts'
import { compileTool } from '../contract/tool/compile-tool.ts'
import type { Registration } from '../contract/tool/contract-contradictions.ts'
import type { Tool } from '../contract/tool/tool.ts'
import { toolContradictions } from './tool-contradictions.ts'
import type { ToolSource } from './tool-definition.ts'

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

export function registerTool(source: ToolSource, opened: Omit<Registration, 'tool'>): Tool {
  if (!isObject(source?.contract?.identity) || !isObject(source.binding))
    throw new Fault('bad_options', 'This is no tool. Give what defineTool and loadContracts make.')
  const name = source.contract.identity.name
  const compilation = compileTool(source.contract, source.binding)
  const problems = compilation.ok
    ? findContradictions(toolContradictions, { tool: compilation.tool, ...opened }).map(
        ({ id, pointer, message }) => `${id} at ${pointer}: ${message}`,
      )
    : compilation.problems.map(({ pointer, message }) => `${pointer}: ${message}`)
  if (compilation.ok && problems.length === 0) return compilation.tool
  throw new Fault('registration_refused', `Tool ${name} is refused. ${problems.join(' ')}`, { details: problems })
}
