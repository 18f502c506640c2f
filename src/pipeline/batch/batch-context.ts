// What calls of a batch change for each other: labels that the run gains, and the tools there are. One look per tool; a run only ever
// gains labels, so what is given once is not asked about again.
import type { Tool } from '../../contract/tool/tool.ts'
import type { StartFacts } from '../../execute/schedule/start-order.ts'
import { outputLabels } from '../../policy/labels.ts'
import type { ContextReading } from '../call/call-context.ts'
import { heedsRun } from '../call/run-labels.ts'
import type { Deps } from '../deps.ts'

export interface BatchContext {
  /** What a call changes for its siblings, as far as their order depends on it. */
  factsOf(tool: Tool | undefined): StartFacts
  /** Whether a call would change what its siblings are judged by. */
  changedBy(tool: Tool): boolean
  /** What the run carries; undefined where the ledger does not say: then every call asks for itself. */
  labels(): Promise<readonly string[] | undefined>
}

export const changesNothing: StartFacts = { alone: false, heeds: false, gives: () => false }

export function createBatchContext({ run, tenant = 'default' }: ContextReading, deps: Deps): BatchContext {
  const known = new Map<Tool, StartFacts>()

  /**
   * Whether it gives labels that the run does not carry yet, as far as this process knows. Where that is out of date, a call waits or is
   * refused without need.
   */
  const givesLabels = (tool: Tool) => {
    const given = outputLabels(tool)
    if (run === undefined || given.length === 0) return false
    const carried = deps.runLabels.of(tenant, run)
    return given.some((label) => !carried.has(label))
  }

  const lookAt = (tool: Tool): StartFacts => {
    let mayGive = run !== undefined && outputLabels(tool).length > 0
    return {
      alone: tool.binding.modifiesContext,
      heeds: run !== undefined && heedsRun(tool, deps),
      gives: () => {
        mayGive &&= givesLabels(tool)
        return mayGive
      },
    }
  }

  return {
    factsOf(tool) {
      if (tool === undefined) return changesNothing
      const facts = known.get(tool) ?? lookAt(tool)
      known.set(tool, facts)
      return facts
    },
    changedBy: (tool) => tool.binding.modifiesContext || givesLabels(tool),
    async labels() {
      if (run === undefined) return []
      try {
        const read = await deps.ledger.runs.labels(tenant, run)
        deps.runLabels.add(tenant, run, read)
        return read
      } catch (fault) {
        deps.report(fault)
        return undefined
      }
    },
  }
}
