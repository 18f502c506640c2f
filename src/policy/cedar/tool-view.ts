// What policies are told of a tool: the attributes of its entity, the action that calls it and the groups of that action, and the plan of
// its arguments. Found once per tool.
import { effectRow } from '../../contract/effects.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { planArguments, type RecordPlan } from './argument-plan.ts'

/** A tool as policies see it; where its data stays and whom it may reach come from its binding. */
export interface PolicyTool extends Pick<Tool, 'contract' | 'input'> {
  readonly residency?: string | undefined
  readonly egressDomains?: readonly string[] | undefined
}

export interface ToolView {
  readonly name: string
  /** Groups of the action, nearest first. Their names hold a colon, which no name of a tool does. */
  readonly groups: readonly string[]
  readonly attributes: { readonly [name: string]: string | readonly string[] }
  readonly plan: RecordPlan
}

const views = new WeakMap<PolicyTool, ToolView>()

export function viewTool(tool: PolicyTool): ToolView {
  const known = views.get(tool)
  if (known !== undefined) return known
  const { identity, security, transactional } = tool.contract
  const effect = transactional.side_effect_class
  const view: ToolView = {
    name: identity.name,
    groups: groupsOf(effect),
    attributes: {
      name: identity.name,
      namespace: identity.name.slice(0, Math.max(0, identity.name.lastIndexOf('.'))),
      version: identity.version,
      owner: identity.owner,
      effect,
      data_classification: security.data_classification,
      egress_policy: security.egress_policy,
      egress_domains: tool.egressDomains ?? [],
      ...(tool.residency === undefined ? {} : { residency: tool.residency }),
    },
    plan: planArguments(tool.input.form),
  }
  views.set(tool, view)
  return view
}

function groupsOf(effect: Parameters<typeof effectRow>[0]): readonly string[] {
  const changes = effectRow(effect).mutates ? ['effect:mutating'] : []
  return [`effect:${effect}`, ...changes, 'effect:any']
}
