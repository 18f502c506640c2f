// Which version of each tool a run gets: chosen when the run first asks, kept with the run, and the same in every process. Only a version
// that was rolled back is taken from a run that began with it.
import type { Release, ReleaseClaim } from '../../contract/release/release.ts'
import type { Route } from '../../contract/tool/surface.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import type { Clock, EpochMs } from '../../json/clock.ts'
import type { VersionStore } from '../../ledger/ports/versions.ts'
import { releaseMisfit } from '../release/release-misfit.ts'
import type { Catalog, Family } from './catalog.ts'
import type { InForce } from './in-force.ts'
import { canaryOf, currentTool, firstTool, type VersionCaller, type VersionChoice, type VersionTerms } from './route.ts'
import type { VersionWatch } from './version-watch.ts'

export interface Chosen {
  readonly tools: readonly Tool[]
  /** By tool; none for a tool of which there is one version and that belongs to no release. */
  readonly routes: ReadonlyMap<string, Route>
}

export interface Chooser {
  choose(catalog: Catalog, who: VersionCaller, claim?: ReleaseClaim): Promise<Chosen>
  /** Why a call may not go on with the version of its surface: another release, or a version that was taken back since. */
  misfit(tool: Tool, route: Route | undefined, claim: ReleaseClaim | undefined): Promise<VersionMisfit | undefined>
  termsOf(tool: string, state: InForce): VersionTerms
}

export interface VersionMisfit {
  readonly reason: 'release_mismatch' | 'blocked_tool'
  readonly note: string
}

export interface ChooserInput {
  readonly watch: VersionWatch
  readonly store: VersionStore
  readonly clock: Clock
  readonly choices: ReadonlyMap<string, VersionChoice>
  /** What this process was opened with: calls belong to it unless a later one was promoted. */
  readonly release: Release | undefined
}

/** Under this name a run keeps its release; no tool has it. */
const releaseKey = ''
/** Under this mark it keeps what it began with, where that was rolled back. */
const movedKey = (name: string) => `!${name}`
/** So many runs are remembered here with what they began with; the ledger knows the others. */
const maxRuns = 10_000

export function createChooser({ watch, store, clock, choices, release: own }: ChooserInput): Chooser {
  const runs = new Map<string, ReadonlyMap<string, string>>()

  const releaseNamed = (id: string, state: InForce) => state.releases.get(id) ?? (own?.id === id ? own : undefined)
  const termsOf = (tool: string, state: InForce): VersionTerms => ({
    choice: choices.get(tool),
    decided: state.tools.get(tool),
  })
  const inForce = (state: InForce) => (own === undefined ? undefined : (state.activeReleases.at(-1)?.id ?? own.id))

  /** What the run began with, and begins with now. */
  const keptBy = async (who: VersionCaller, wanted: ReadonlyMap<string, string>, state: InForce) => {
    const { tenant, run } = who
    if (run === undefined) return wanted
    const key = JSON.stringify([tenant, run])
    let kept = runs.get(key)
    if (kept === undefined || [...wanted.keys()].some((name) => kept?.has(name) !== true)) {
      kept = await store.ofRun(tenant, run, wanted)
    }
    const moved = movedFrom(kept, wanted, state)
    if (moved.size > 0) kept = await store.ofRun(tenant, run, wanted, moved)
    runs.delete(key)
    runs.set(key, kept)
    if (runs.size > maxRuns) runs.delete(runs.keys().next().value ?? '')
    return kept
  }

  const ofRelease = (
    catalog: Catalog,
    kept: ReadonlyMap<string, string>,
    claim: ReleaseClaim | undefined,
    state: InForce,
  ) => {
    const id = kept.get(releaseKey) ?? ''
    const release = releaseNamed(id, state)
    const isOther = claim?.release !== undefined && claim.release !== id
    const chosen = [...catalog.families.values()].map((family): readonly [Tool, Route] => {
      const { name } = family
      const wanted =
        release !== undefined && Object.hasOwn(release.tools, name) ? release.tools[name]?.version : undefined
      const tool = family.byVersion.get(wanted ?? '') ?? currentTool(family, termsOf(name, state), clock.now())
      const { version } = tool.contract.identity
      const began = kept.get(name)
      const mismatch = isOther
        ? `This run began with release ${id.slice(0, 12)}; another one needs a run of its own.`
        : began !== undefined && began !== version
          ? `This run began with ${name} ${began}, before it had a release; begin another run.`
          : misfitOf(id, claim, tool, state)
      return [tool, { reason: 'release', release: id, ...(mismatch === undefined ? {} : { mismatch }) }]
    })
    return chosenOf(chosen)
  }

  const misfitOf = (id: string, claim: ReleaseClaim | undefined, tool: Tool, state: InForce) => {
    const release = releaseNamed(id, state)
    const { name, version } = tool.contract.identity
    const isTakenBack = state.tools.get(name)?.withdrawn.has(version) === true
    return (
      releaseMisfit({ id, release, isWithdrawn: state.withdrawn.has(id), claim, tool }) ??
      (isTakenBack
        ? `${name} ${version} was rolled back on its own; release ${id.slice(0, 12)} is not whole.`
        : undefined)
    )
  }

  return {
    termsOf,
    async choose(catalog, who, claim) {
      const state = await watch.fresh()
      const release = claim?.release ?? inForce(state)
      if (release !== undefined) {
        return ofRelease(catalog, await keptBy(who, new Map([[releaseKey, release]]), state), claim, state)
      }
      const now = clock.now()
      const several = [...catalog.families.values()].filter(({ tools }) => tools.length > 1)
      const wanted = new Map(
        several.map((family) => {
          const tool = firstTool(family, termsOf(family.name, state), who, now)
          return [family.name, tool.contract.identity.version]
        }),
      )
      const kept = wanted.size === 0 ? wanted : await keptBy(who, wanted, state)
      return chosenOf(
        [...catalog.families.values()].map((family) => {
          const terms = termsOf(family.name, state)
          const first = wanted.get(family.name)
          return first === undefined
            ? [family.tools[0] as Tool, undefined]
            : routed({ family, terms, kept, now, first })
        }),
      )
    },
    async misfit(tool, route, claim) {
      const state = await watch.fresh()
      const id = claim?.release ?? route?.release
      if (id !== undefined) {
        const note = misfitOf(id, claim, tool, state)
        return note === undefined ? undefined : { reason: 'release_mismatch', note }
      }
      const { name, version } = tool.contract.identity
      if (state.tools.get(name)?.withdrawn.has(version) !== true || route?.reason === 'pinned') return undefined
      return { reason: 'blocked_tool', note: `Version ${version} was rolled back. Take a new surface of this run.` }
    },
  }
}

/** Every tool as it is, where there is nothing to choose. */
export const soleVersions = ({ tools }: Catalog): Chosen => ({ tools, routes: new Map() })

const chosenOf = (chosen: readonly (readonly [Tool, Route | undefined])[]): Chosen => ({
  tools: chosen.map(([tool]) => tool),
  routes: new Map(
    chosen.flatMap(([tool, route]) => (route === undefined ? [] : [[tool.contract.identity.name, route]])),
  ),
})

interface RoutedRun {
  readonly family: Family
  readonly terms: VersionTerms
  readonly kept: ReadonlyMap<string, string>
  readonly now: EpochMs
  /** The version that it would begin with now. */
  readonly first: string
}

function routed({ family, terms, kept, now, first }: RoutedRun): readonly [Tool, Route] {
  const current = currentTool(family, terms, now).contract.identity.version
  const tried = canaryOf(family, terms)?.version
  const routeReason = (version: string) => (version === current ? 'current' : version === tried ? 'canary' : 'run')
  const began = kept.get(family.name) ?? first
  const rolledBack = kept.get(movedKey(family.name))
  const tool = family.byVersion.get(began)
  if (tool === undefined) {
    const instead = family.byVersion.get(first) ?? (family.tools.at(-1) as Tool)
    const moved = `version_changed: this run began with ${began}, which is not registered here; ${first} takes its place.`
    return [instead, { reason: routeReason(first), moved }]
  }
  const moved = `version_changed: this run began with ${rolledBack}, which was rolled back; ${began} takes its place.`
  return [tool, { reason: routeReason(began), ...(rolledBack === undefined ? {} : { moved }) }]
}

/** The versions that a run began with and that were rolled back since, each with the one in its place. */
function movedFrom(
  kept: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, string>,
  state: InForce,
): ReadonlyMap<string, string> {
  const moved = new Map<string, string>()
  for (const [name, instead] of wanted) {
    const began = kept.get(name)
    const withdrawn = name === releaseKey ? state.withdrawn : state.tools.get(name)?.withdrawn
    if (began === undefined || began === instead || withdrawn?.has(began) !== true || withdrawn.has(instead)) continue
    moved.set(name, instead)
    moved.set(movedKey(name), began)
  }
  return moved
}
