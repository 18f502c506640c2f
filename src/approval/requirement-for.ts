// Who has to agree to a call: what its effect class demands, what its tool chose, and what each voice asks for. Invariant:
// votes that satisfy the result satisfy each of them.
import {
  covers,
  mergeRequirements,
  type Requirement,
  type RequirementChoices,
  requirementOf,
} from '../contract/approval/approval-pattern.ts'
import type { Ask } from '../contract/call/call.ts'
import { effectRow } from '../contract/effects.ts'
import type { Tool } from '../contract/tool/tool.ts'

/** What the tool and its class demand, before any voice is heard. */
export function ownRequirement({ contract, binding }: Tool): Requirement {
  const { pattern, quorum, roles, ttlMs } = binding.approval
  const chosen = requirementOf(pattern, { quorum, roles, ttlMs })
  const row = effectRow(contract.transactional.side_effect_class)
  if (row.confirmation !== 'always') return chosen
  // The class counts people; which roles they have is for the tool to say.
  return joined(chosen, requirementOf(row.pattern, { quorum: row.quorum, roles }))
}

export function requirementFor(tool: Tool, asks: readonly Ask[]): Requirement {
  return asks.reduce((requirement, { pattern, roles, quorum }) => {
    if (pattern === undefined && roles === undefined && quorum === undefined) return requirement
    const choices: RequirementChoices = { quorum, roles }
    return joined(requirement, requirementOf(pattern ?? tool.binding.approval.pattern, choices))
  }, ownRequirement(tool))
}

/** The rules on whose word a person is asked, with their versions. */
export function policiesOf(asks: readonly Ask[]): readonly string[] {
  const names = asks.map(({ source, version }) => (version === undefined ? source : `${source}@${version}`))
  return [...new Set(names)].sort()
}

/** Where the first already covers the second, it stays as it is, with its own pattern and time. */
function joined(first: Requirement, second: Requirement): Requirement {
  return covers(first, second) ? first : mergeRequirements(first, second)
}
