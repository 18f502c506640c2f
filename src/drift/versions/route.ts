// Which version of a tool a run gets. Pure: decided on what is registered, what is in force, who asks and when.
import { stageAt } from '../../contract/release/lifecycle.ts'
import type { Canary } from '../../contract/release/version-decision.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import type { EpochMs } from '../../json/clock.ts'
import { type Family, isPrerelease } from './catalog.ts'
import type { ToolInForce } from './in-force.ts'
import { getsCanary } from './share.ts'

/** What the options of a process say of one tool. Decisions of people count first. */
export interface VersionChoice {
  /** By default the highest active version that is no prerelease. */
  readonly current?: string
  readonly canary?: Canary
}

/** By what the version of one tool is chosen. */
export interface VersionTerms {
  readonly choice: VersionChoice | undefined
  readonly decided: ToolInForce | undefined
}

export interface VersionCaller {
  readonly tenant: string
  readonly run: string | undefined
}

/** The version for every run that gets no other. */
export function currentTool({ tools, byVersion }: Family, { choice, decided }: VersionTerms, now: EpochMs): Tool {
  const isBack = (version: string | undefined) => version === undefined || decided?.withdrawn.has(version) === true
  // The promoted version may not be deployed here yet, or no longer: then as if there were no decision.
  for (const named of [decided?.current, choice?.current]) {
    const tool = isBack(named) ? undefined : byVersion.get(named ?? '')
    if (tool !== undefined) return tool
  }
  const newest = tools.at(-1) as Tool
  if (tools.length === 1) return newest
  const ordinary = tools.filter((tool) => !isPrerelease(tool)).toReversed()
  const kept = ordinary.filter((tool) => !isBack(tool.contract.identity.version))
  for (const kind of ['active', 'deprecated'] as const) {
    const highest = kept.find((tool) => stageAt(tool.contract, now).kind === kind)
    if (highest !== undefined) return highest
  }
  // Nothing is offered any more: the newest says so, and what to use instead.
  return kept[0] ?? ordinary[0] ?? newest
}

/** The canary that is in force, where its version is registered and was neither promoted nor taken back. */
export function canaryOf({ byVersion }: Family, { choice, decided }: VersionTerms): Canary | undefined {
  const canary = decided?.canary === undefined ? choice?.canary : (decided.canary ?? undefined)
  if (canary === undefined || !byVersion.has(canary.version)) return undefined
  return canary.version === decided?.current || decided?.withdrawn.has(canary.version) === true ? undefined : canary
}

/** The version a run begins with. */
export function firstTool(family: Family, terms: VersionTerms, who: VersionCaller, now: EpochMs): Tool {
  const canary = canaryOf(family, terms)
  const tried =
    canary !== undefined && getsCanary(canary, who, family.name) ? family.byVersion.get(canary.version) : undefined
  // A canary that has reached its last day is tried out no more.
  if (tried !== undefined && stageAt(tried.contract, now).kind !== 'ended') return tried
  return currentTool(family, terms, now)
}
