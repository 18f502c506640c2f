// Versions as a host uses them: which one is current, which is tried out, who decided so and why, and how two of them did. Every decision
// is in the ledger, and a second later holds in every process that shares it.
import { Fault } from '../../contract/fault.ts'
import { stageAt } from '../../contract/release/lifecycle.ts'
import type { Canary, VersionDecision } from '../../contract/release/version-decision.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import type { Clock } from '../../json/clock.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { type Catalog, type Family, isPrerelease } from './catalog.ts'
import { canaryChange, type KnownTool, promoteChange, readCanary, rollbackChange } from './changes.ts'
import type { Chooser } from './choose.ts'
import { type CompareOptions, compareVersions, type VersionComparison } from './compare.ts'
import type { InForce } from './in-force.ts'
import { canaryOf, currentTool, type VersionChoice } from './route.ts'
import type { DecisionNote, VersionWatch } from './version-watch.ts'

export interface RegisteredVersion {
  readonly version: string
  readonly contractHash: string
  /** `pinned`: only runs and calls that began with it get it. `withdrawn`: rolled back, and only calls that wait get it. */
  readonly role: 'current' | 'canary' | 'pinned' | 'withdrawn'
  /** As of now. */
  readonly stage: 'active' | 'deprecated' | 'ended'
  /** The first day on which it is refused, from 00:00 UTC. */
  readonly sunsetDate: string | null
  readonly replacement: string | null
}

export interface ToolVersions {
  readonly tool: string
  readonly current: string
  readonly canary: Canary | undefined
  /** From the lowest to the highest. */
  readonly versions: readonly RegisteredVersion[]
  /** The last decision; undefined where the options, or the versions themselves, say what is current. */
  readonly decided: VersionDecision | undefined
}

export interface Versions {
  list(): Promise<readonly ToolVersions[]>
  /** Everything that was decided, in order; of one tool, or of all. */
  history(tool?: string): Promise<readonly VersionDecision[]>
  /** Makes a version current for every run that begins from now on. Runs under way keep theirs. */
  promote(tool: string, version: string, said: DecisionNote): Promise<ToolVersions>
  /** Begins a canary, changes its share or its tenants; null ends it, and runs that began with it keep it. */
  canary(tool: string, canary: Canary | null, said: DecisionNote): Promise<ToolVersions>
  /** Ends the canary, or else makes the version before current again. Only calls that wait still get the version taken back. */
  rollback(tool: string, said: DecisionNote): Promise<ToolVersions>
  compare(tool: string, a: string, b: string, options?: CompareOptions): Promise<VersionComparison>
}

export interface VersionDeskInput {
  readonly catalog: Catalog
  readonly watch: VersionWatch
  readonly chooser: Chooser
  readonly clock: Clock
  readonly ledger: Pick<Ledger, 'calls'>
}

export interface VersionDesk {
  readonly versions: Versions
  /** The current version of each tool, as far as this process knows. */
  current(): readonly Tool[]
  named(tool: string): Tool | undefined
}

export function createVersionDesk({ catalog, watch, chooser, clock, ledger }: VersionDeskInput): VersionDesk {
  const familyOf = (tool: string): Family => {
    const family = catalog.families.get(tool)
    if (family === undefined) throw new Fault('bad_options', `No tool here is called ${String(tool).slice(0, 128)}.`)
    return family
  }
  const knownOf = (family: Family, state: InForce): KnownTool => ({
    family,
    terms: chooser.termsOf(family.name, state),
    now: clock.now(),
  })
  const currentOf = (family: Family) => currentTool(family, chooser.termsOf(family.name, watch.known()), clock.now())
  const view = (family: Family, state: InForce) => viewOf(knownOf(family, state))

  return {
    current: () => [...catalog.families.values()].map(currentOf),
    named(tool) {
      const family = catalog.families.get(tool)
      return family === undefined ? undefined : currentOf(family)
    },
    versions: {
      async list() {
        const state = await watch.fresh()
        return [...catalog.families.values()].map((family) => view(family, state))
      },
      async history(tool) {
        const all = await watch.history()
        return tool === undefined ? all : all.filter((decision) => isAboutTool(decision, tool))
      },
      async promote(tool, version, said) {
        const family = familyOf(tool)
        return view(
          family,
          await watch.decide(said, (state) => promoteChange(state, tool, version, knownOf(family, state))),
        )
      },
      async canary(tool, canary, said) {
        const family = familyOf(tool)
        return view(family, await watch.decide(said, (state) => canaryChange(tool, canary, knownOf(family, state))))
      },
      async rollback(tool, said) {
        const family = familyOf(tool)
        return view(family, await watch.decide(said, (state) => rollbackChange(state, tool, knownOf(family, state))))
      },
      compare: (tool, a, b, options) => compareVersions(ledger, { tool, versions: [a, b] }, options),
    },
  }
}

/** Whether a decision is about this tool, alone or with others. */
export function isAboutTool({ change }: VersionDecision, tool: string): boolean {
  switch (change.kind) {
    case 'promote':
    case 'canary':
    case 'rollback':
      return change.tool === tool
    case 'promote_release':
      return Object.hasOwn(change.release.tools, tool)
    // Which tools it took back, only the decisions before it could say; so it counts for every tool.
    case 'rollback_release':
      return true
  }
}

function viewOf({ family, terms, now }: KnownTool): ToolVersions {
  const current = currentTool(family, terms, now).contract.identity.version
  const canary = canaryOf(family, terms)
  const withdrawn = terms.decided?.withdrawn
  return {
    tool: family.name,
    current,
    canary,
    versions: family.tools.map(({ contract, contractHash }) => {
      const { version, lifecycle } = contract.identity
      const role = version === current ? 'current' : version === canary?.version ? 'canary' : 'pinned'
      return {
        version,
        contractHash,
        role: role === 'pinned' && withdrawn?.has(version) === true ? 'withdrawn' : role,
        stage: stageAt(contract, now).kind,
        sunsetDate: lifecycle.sunset_date,
        replacement: lifecycle.replacement,
      }
    }),
    decided: terms.decided?.decided,
  }
}

/** Throws the Fault that says which of the options make no sense. */
export function readChoices(
  given: Readonly<Record<string, VersionChoice>>,
  catalog: Catalog,
): ReadonlyMap<string, VersionChoice> {
  const choices = new Map<string, VersionChoice>()
  for (const [tool, { current, canary }] of Object.entries(given)) {
    const family = catalog.families.get(tool)
    if (family === undefined) throw new Fault('bad_options', `versions names ${tool}, but no tool has this name.`)
    const read = canary === undefined ? undefined : readCanary(tool, canary)
    for (const version of [current, read?.version]) {
      if (version !== undefined && !family.byVersion.has(version))
        throw new Fault('bad_options', `versions names ${tool} ${version}, which is not registered.`)
    }
    if (read !== undefined && read.version === current)
      throw new Fault('bad_options', `${tool} ${current} is current; a canary is another version.`)
    choices.set(tool, {
      ...(current === undefined ? {} : { current }),
      ...(read === undefined ? {} : { canary: read }),
    })
  }
  for (const { name, tools } of catalog.families.values()) {
    if (tools.length > 1 && choices.get(name)?.current === undefined && tools.every(isPrerelease))
      throw new Fault('bad_options', `Every version of ${name} is a prerelease: say in versions which one is current.`)
  }
  return choices
}
