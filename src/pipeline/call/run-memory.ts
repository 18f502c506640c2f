// What this process remembers of runs: the labels they carry, and whose children they are. Both only ever grow; of a run that is forgotten
// the ledger is asked again.

export interface RunLabels {
  of(tenant: string, run: string): ReadonlySet<string>
  add(tenant: string, run: string, labels: readonly string[]): void
  /** Whether this process has seen to it that the run is known as a child of that parent. */
  isChild(tenant: string, run: string, parent: string): boolean
  adopt(tenant: string, run: string, parent: string): void
}

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
