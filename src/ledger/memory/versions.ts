// Decisions about versions in memory, and what runs began with; lost with the process like everything here.
import type { VersionDecision } from '../../contract/release/version-decision.ts'
import type { Clock } from '../../json/clock.ts'
import type { VersionStore } from '../ports/versions.ts'

/** So many runs are remembered with what they began with; the oldest go first. */
const maxRuns = 100_000

export function createMemoryVersions(clock: Clock): VersionStore {
  const decisions: VersionDecision[] = []
  const runs = new Map<string, ReadonlyMap<string, string>>()
  return {
    decisions: (after) => decisions.slice(after),
    decide(decision) {
      if (decision.seq !== decisions.length + 1) return false
      decisions.push({ ...decision, at: clock.now() })
      return true
    },
    ofRun(tenant, run, wanted, moved = new Map()) {
      const key = JSON.stringify([tenant, run])
      const versions = new Map([...wanted, ...(runs.get(key) ?? []), ...moved])
      runs.set(key, versions)
      if (runs.size > maxRuns) runs.delete(runs.keys().next().value ?? '')
      return versions
    },
  }
}
