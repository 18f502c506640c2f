// What the run of a call carries, read before it is judged and written before it is answered. A process remembers what it has read or
// written; that only ever grows, and where more could matter the ledger is asked.
import type { EndedCall, JudgedCall, OpenedCall } from '../../contract/call/stages.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { heedsLabels, outputLabels, saysEnough } from '../../policy/labels.ts'
import type { Deps, RunLabels } from '../deps.ts'

/** Runs remembered; of one that is forgotten the ledger is asked again. */
const maxRuns = 10_000
const noLabels: ReadonlySet<string> = new Set()

export function createRunLabels(): RunLabels {
  const carried = new Map<string, Set<string>>()
  const children = new Map<string, true>()
  const keep = <T>(map: Map<string, T>, key: string, value: T) => {
    map.delete(key)
    map.set(key, value)
    if (map.size > maxRuns) map.delete(map.keys().next().value ?? '')
  }
  return {
    of: (tenant, run) => carried.get(quoted(tenant, run)) ?? noLabels,
    add(tenant, run, labels) {
      if (labels.length === 0) return
      const key = quoted(tenant, run)
      keep(carried, key, new Set([...(carried.get(key) ?? []), ...labels]))
    },
    isChild: (tenant, run, parent) => children.has(quoted(tenant, run, parent)),
    adopt: (tenant, run, parent) => keep(children, quoted(tenant, run, parent), true),
  }
}

const quoted = (...parts: readonly string[]) => JSON.stringify(parts)

/** Whether what the run carries can change the judgement of this tool's calls: read with the call, or shown by a sibling of its batch. */
export function heedsRun(tool: Tool, { policies, cedar }: Pick<Deps, 'policies' | 'cedar'>): boolean {
  return heedsLabels(tool) || policies.length > 0 || cedar.length > 0
}

/** Whether the labels are read together with the call. */
export function readsLabels(call: OpenedCall, tool: Tool, deps: Deps): boolean {
  return call.run !== undefined && heedsRun(tool, deps)
}

/** Whether the call can be judged without asking: its admission then finds out whether the run carries anything after all. */
export function seemsUnlabelled({ tenant, run, untrusted }: OpenedCall, tool: Tool, { runLabels }: Deps): boolean {
  if (!heedsLabels(tool)) return true
  return !untrusted && (run === undefined || runLabels.of(tenant, run).size === 0)
}

/** What the run carries, as far as that can matter for this call. */
export function labelsOf(call: JudgedCall, deps: Deps): Awaitable<readonly string[]> {
  const { tool, tenant, run, untrusted, runLabels: lookedUp } = call
  const own = untrusted ? ['untrusted'] : []
  if (!heedsRun(tool, deps)) return own
  if (call.seat?.labels !== undefined) return [...own, ...call.seat.labels].filter(isFirst)
  if (run === undefined || call.unseen) return own
  const known = new Set([...own, ...deps.runLabels.of(tenant, run)])
  const isEnough = deps.policies.length === 0 && deps.cedar.length === 0 && saysEnough(tool, known)
  if (lookedUp !== undefined || isEnough) return [...known, ...(lookedUp ?? [])].filter(isFirst)
  const joined = (read: readonly string[]) => {
    deps.runLabels.add(tenant, run, read)
    return [...known, ...read].filter(isFirst)
  }
  const reading = deps.ledger.runs.labels(tenant, run)
  return reading instanceof Promise ? reading.then(joined) : joined(reading)
}

const isFirst = (label: string, index: number, all: readonly string[]) => all.indexOf(label) === index

/** Makes a run the child of another before any of its calls is judged. */
export async function adoptRun(call: OpenedCall, parent: string | undefined, deps: Deps): Promise<void> {
  const { tenant, run, tenantKnown, badContext } = call
  if (parent === undefined || run === undefined || parent === run || !tenantKnown || badContext !== undefined) return
  if (deps.runLabels.isChild(tenant, run, parent)) return
  deps.runLabels.add(tenant, run, await deps.ledger.runs.addLabels(tenant, run, [], parent))
  deps.runLabels.adopt(tenant, run, parent)
}

/**
 * Writes down what the run carries once this answer is given. The answer must not be given before; undefined where there is nothing to
 * write, which is so for all but the first such answer of a run.
 */
export function keepLabels(call: EndedCall, deps: Deps): Promise<void> | undefined {
  const { tenant, run, tool, untrusted, tenantKnown } = call
  if (run === undefined || !tenantKnown) return undefined
  const gained = new Set([
    ...(untrusted ? ['untrusted'] : []),
    ...(tool !== undefined && showsOutput(call) ? outputLabels(tool) : []),
  ])
  const carried = deps.runLabels.of(tenant, run)
  const missing = [...gained].filter((label) => !carried.has(label))
  if (missing.length === 0) return undefined
  return Promise.resolve(deps.ledger.runs.addLabels(tenant, run, missing)).then((all) =>
    deps.runLabels.add(tenant, run, all),
  )
}

/**
 * Whether anything that the tool said is in the answer: its result, its own words on a failure, or what a refusal of its result tells of that,
 * such as the names of properties that are not declared. From the record as well.
 */
function showsOutput({ outcome, conclusion, answer }: EndedCall): boolean {
  const { observation, value } = answer
  if (observation.result_payload.data !== null || (value !== undefined && value !== null)) return true
  if (observation.status.taxonomy_class === 'SUCCESS') return false
  if (conclusion.kind === 'end' || outcome?.kind === 'returned') return true
  // Tells what its reader has found.
  if (conclusion.kind === 'stop' && conclusion.reason === 'stale_state') return true
  return outcome?.kind === 'failed' && outcome.reason === 'execution_failed'
}
