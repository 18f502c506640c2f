// Decisions about versions, judged before they are written: one that makes no sense is refused with a sentence, and nothing is changed.
import { Fault } from '../../contract/fault.ts'
import { stageAt } from '../../contract/release/lifecycle.ts'
import type { Canary, VersionChange } from '../../contract/release/version-decision.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { Family } from './catalog.ts'
import type { InForce } from './in-force.ts'
import { canaryOf, currentTool, type VersionTerms } from './route.ts'

/** What this process knows of the tool; undefined where it has no tools, as at the command line. */
export interface KnownTool {
  readonly family: Family
  readonly terms: VersionTerms
  readonly now: EpochMs
}

export function promoteChange(
  state: InForce,
  tool: string,
  version: string,
  known: KnownTool | undefined,
): VersionChange {
  const from = known === undefined ? state.tools.get(tool)?.current : currentVersion(known)
  mustRun(tool, version, known)
  if (from === version) throw refused(`${tool} ${version} is current already.`)
  return { kind: 'promote', tool, version, from: from ?? null }
}

export function canaryChange(tool: string, canary: Canary | null, known: KnownTool | undefined): VersionChange {
  if (canary === null) return { kind: 'canary', tool, canary }
  const read = readCanary(tool, canary)
  mustRun(tool, read.version, known)
  if (known !== undefined && currentVersion(known) === read.version)
    throw refused(`${tool} ${read.version} is current; a canary is another version.`)
  return { kind: 'canary', tool, canary: read }
}

export function rollbackChange(state: InForce, tool: string, known: KnownTool | undefined): VersionChange {
  const decided = state.tools.get(tool)
  const tried = known === undefined ? decided?.canary : canaryOf(known.family, known.terms)
  if (tried == null && (decided === undefined || decided.before.length === 0))
    throw refused(`${tool} was never promoted: there is nothing to roll back to. Promote the version that you want.`)
  return { kind: 'rollback', tool, canary: tried?.version ?? null }
}

/** A share is a number from 0 to 1; tenants are a list of names. */
export function readCanary(tool: string, given: Canary): Canary {
  const {
    version,
    share,
    tenants,
  }: { readonly version?: unknown; readonly share?: unknown; readonly tenants?: unknown } = given
  if (typeof version !== 'string' || version === '') throw refused(`The canary of ${tool} names no version.`)
  if (typeof share !== 'number' || !(share >= 0 && share <= 1))
    throw refused(`The share of the canary of ${tool} is a number from 0 to 1.`)
  if (tenants === undefined) return { version, share }
  if (!Array.isArray(tenants) || !tenants.every((name): name is string => typeof name === 'string' && name !== ''))
    throw refused(`The tenants of the canary of ${tool} are a list of names.`)
  return { version, share, tenants: [...tenants] }
}

function mustRun(tool: string, version: string, known: KnownTool | undefined): void {
  if (known === undefined) return
  const found = known.family.byVersion.get(version)
  if (found === undefined) {
    const names = [...known.family.byVersion.keys()].join(', ')
    throw refused(`${tool} ${version} is not registered here; there is ${names}.`)
  }
  const stage = stageAt(found.contract, known.now)
  if (stage.kind === 'ended') throw refused(`${tool} ${version} has come to its end. ${stage.note}`)
}

const currentVersion = ({ family, terms, now }: KnownTool) => currentTool(family, terms, now).contract.identity.version

const refused = (message: string) => new Fault('bad_options', message)
