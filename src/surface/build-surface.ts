// Makes the snapshot of tools that one run may see, and finds the deferred among them. What is left out says why.
import type { Principal } from '../contract/call/call.ts'
import { stageAt } from '../contract/release/lifecycle.ts'
import type { Route, Surface, SurfaceEntry } from '../contract/tool/surface.ts'
import type { Tool } from '../contract/tool/tool.ts'
import type { EpochMs } from '../json/clock.ts'
import { nearestNames } from '../json/nearest.ts'
import { dialectTables } from './dialects/dialect-tables.ts'
import { providerName } from './tool-shapes.ts'

export interface SurfaceInput {
  readonly tools: Iterable<Tool>
  readonly principal: Principal
  readonly discovered: ReadonlySet<string>
  /** Tools the host has blocked, each with its reason. */
  readonly blocked: ReadonlyMap<string, string>
  /** Why a tool that another system publishes may not be called now. */
  readonly quarantine?: ((tool: Tool) => string | undefined) | undefined
  readonly now: EpochMs
  /** Why the principal gets this version of a tool, where there are several. */
  readonly routes?: ReadonlyMap<string, Route>
}

export function buildSurface(input: SurfaceInput): Surface {
  const entries = new Map<string, SurfaceEntry>()
  const aliases = new Map<string, string>()
  for (const tool of input.tools) {
    const { name } = tool.contract.identity
    const route = input.routes?.get(name)
    const entry = surfaceEntry(tool, input)
    entries.set(name, route === undefined ? entry : { ...entry, route })
    for (const alias of tool.binding.aliases) aliases.set(alias, name)
  }
  nameForProviders(entries, aliases)
  return madeSurface({ entries, aliases })
}

const made = new WeakSet<object>()

/** Notes that a surface was made here. Its maps are noted, so that a copy of it counts as well. */
export function madeSurface(surface: Surface): Surface {
  made.add(surface.entries).add(surface.aliases)
  return surface
}

/** Whether what a caller gives as a surface was made here; never throws. */
export function isSurface(value: unknown): value is Surface {
  const { entries, aliases } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Surface>
  return entries !== undefined && aliases !== undefined && made.has(entries) && made.has(aliases)
}

/** Where a provider does not take a tool's name, a model calls the tool by the name that it was shown. */
function nameForProviders(entries: ReadonlyMap<string, SurfaceEntry>, aliases: Map<string, string>): void {
  for (const name of entries.keys()) {
    for (const table of Object.values(dialectTables)) {
      const shown = providerName(name, table, { entries, aliases })
      if (shown !== name) aliases.set(shown, name)
    }
  }
}

/** Whether one of the roles that may see the tool is this principal's. */
export const maySee = ({ binding }: Tool, principal: Pick<Principal, 'roles'>): boolean =>
  binding.roles === undefined || binding.roles.some((role) => principal.roles.includes(role))

/**
 * What a name stands for on a surface: a tool's own name comes before an alias of another. A surface may have been taken for others, so the
 * roles of the one who calls decide: a tool that they may not see is as good as not there.
 */
export function entryFor(
  { entries, aliases }: Surface,
  name: string,
  principal: Pick<Principal, 'roles'>,
): SurfaceEntry | undefined {
  const entry = entries.get(name) ?? entries.get(aliases.get(name) ?? '')
  return entry === undefined || isHidden(entry, principal) ? undefined : entry
}

export const isHidden = ({ status, tool }: SurfaceEntry, principal: Pick<Principal, 'roles'>): boolean =>
  status === 'excluded' || !maySee(tool, principal)

function surfaceEntry(tool: Tool, input: SurfaceInput): SurfaceEntry {
  const { principal, discovered, blocked, quarantine, now, routes } = input
  const { name } = tool.contract.identity
  const { deferred, searchHint } = tool.binding
  if (!maySee(tool, principal)) {
    return {
      status: 'excluded',
      tool,
      reason: 'role_not_allowed',
      note: 'None of the roles of this principal may see it.',
    }
  }
  const mismatch = routes?.get(name)?.mismatch
  if (mismatch !== undefined) return { status: 'blocked', tool, reason: 'release_mismatch', note: mismatch }
  const stage = stageAt(tool.contract, now)
  if (stage.kind === 'ended') return { status: 'blocked', tool, reason: 'contract_sunsetted', note: stage.note }
  const reason = blocked.get(name)
  if (reason !== undefined) return { status: 'blocked', tool, reason: 'policy_blocked', note: reason }
  const quarantined = quarantine?.(tool)
  if (quarantined !== undefined) return { status: 'blocked', tool, reason: 'quarantined', note: quarantined }
  if (deferred && !discovered.has(name)) {
    const hint = searchHint === undefined ? '' : ` It is about: ${searchHint}.`
    return {
      status: 'deferred',
      tool,
      reason: 'deferred_until_discovered',
      note: `The schema of this tool is not loaded yet; discover it first.${hint}`,
    }
  }
  return { status: 'loaded', tool, deprecated: stage.kind === 'deprecated' ? stage.note : undefined }
}

/** A surface of one tool: the one a recorded call was judged by. */
export function onlySurface(tool: Tool): Surface {
  return {
    entries: new Map([[tool.contract.identity.name, { status: 'loaded', tool, deprecated: undefined }]]),
    aliases: new Map(),
  }
}

/** Deferred tools by name, or by words that occur in name, hint or description. */
export function findDeferred(words: string, tools: Iterable<Tool>): readonly string[] {
  const deferred = [...tools].filter((tool) => tool.binding.deferred)
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word.length > 1)
  const hits = deferred.filter(({ contract, binding }) => {
    const text =
      `${contract.identity.name} ${binding.searchHint ?? ''} ${contract.affordance.model_description}`.toLowerCase()
    return wanted.length > 0 && wanted.every((word) => text.includes(word))
  })
  const names = hits.map((tool) => tool.contract.identity.name)
  return names.length > 0
    ? names
    : nearestNames(
        words,
        deferred.map((tool) => tool.contract.identity.name),
        1,
      )
}
