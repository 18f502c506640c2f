// Sets of policies in Cedar as a Proviso is opened with them. A set that does not load, or could not be judged for one of the tools, is
// refused with the place of every mistake: that half of a set is missing would not be noticed.
import { Fault } from '../../contract/fault.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { policyTool } from './cedar-voices.ts'
import { checkPolicies } from './check-policies.ts'
import { type LoadOptions, loadPolicies } from './load-policies.ts'
import type { Policies, PolicyProblem } from './policy.ts'

/** Policies of the organisation: files, or texts with a name, and what a call gets that no policy speaks about. */
export interface CedarSet {
  readonly cedar: LoadOptions
}

export async function loadCedar(given: readonly object[]): Promise<readonly Policies[]> {
  const sets = given.filter((one): one is CedarSet => 'cedar' in one)
  return Promise.all(
    sets.map(async ({ cedar }) => {
      const loading = await loadPolicies(cedar)
      if (loading.ok) return loading.policies
      throw refusal(loading.problems)
    }),
  )
}

/** Throws where a policy is wrong about a tool: every call of that tool would be denied. */
export function refuseMisfits(sets: readonly Policies[], tools: Iterable<Tool>): void {
  if (sets.length === 0) return
  const views = [...tools].map(policyTool)
  const errors = sets.flatMap((set) => checkPolicies(set, views)).filter(({ level }) => level === 'error')
  if (errors.length > 0) throw refusal(errors)
}

function refusal(problems: readonly PolicyProblem[]): Fault {
  const details = problems.map(({ source, line, column, policy, message }) => {
    const name = policy === undefined ? '' : `${policy}: `
    return `${source}:${line}:${column}: ${name}${message}`
  })
  return new Fault('bad_options', `Policies are refused. ${details.join(' ')}`, { details })
}
