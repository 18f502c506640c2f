// What an organisation's policies say about a call, as voices among all others: one per policy that decided, each with the version of those
// that concern the tool and what it demands of an approval.
import type { Tool } from '../../contract/tool/tool.ts'
import type { Voice } from '../voices.ts'
import { authorize, type PolicyRequest } from './authorize.ts'
import type { Policies } from './policy.ts'
import { prepareTool } from './prepare-tool.ts'
import type { PolicyTool } from './tool-view.ts'

const tools = new WeakMap<Tool, PolicyTool>()

/** A tool as policies see it; the same object each time, because what was prepared for it is found by it. */
export function policyTool(tool: Tool): PolicyTool {
  const known = tools.get(tool)
  if (known !== undefined) return known
  const { residency, egressDomains } = tool.binding
  const made = { contract: tool.contract, input: tool.input, residency, egressDomains }
  tools.set(tool, made)
  return made
}

/** Of the policies that can speak about the tool: what is said of other tools changes nothing. */
export const cedarVersion = (policies: Policies, tool: Tool): string => prepareTool(policies, policyTool(tool)).version

export function cedarVoices(policies: Policies, tool: Tool, asked: Omit<PolicyRequest, 'tool'>): readonly Voice[] {
  const {
    voice: says,
    message,
    policies: deciding,
    version,
  } = authorize(policies, { tool: policyTool(tool), ...asked })
  if (deciding.length === 0) return [{ source: 'cedar', says, message, version }]
  return deciding.map(({ id, message: own, pattern, roles, quorum }) => ({
    source: 'cedar',
    rule: id,
    says,
    message: own ?? message,
    version,
    ...(pattern === undefined ? {} : { pattern }),
    ...(roles === undefined ? {} : { roles }),
    ...(quorum === undefined ? {} : { quorum }),
  }))
}
