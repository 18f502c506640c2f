// Makes the snapshot of tools that one run may see. What is left out says why.
import type { Principal } from '../contract/call.ts'
import type { Surface, SurfaceEntry } from '../contract/surface.ts'
import type { Tool } from '../contract/tool.ts'
import type { EpochMs } from '../json/clock.ts'

export interface SurfaceInput {
  readonly tools: Iterable<Tool>
  readonly principal: Principal
  readonly discovered: ReadonlySet<string>
  /** Tools the host has blocked, each with its reason. */
  readonly blocked: ReadonlyMap<string, string>
  readonly now: EpochMs
}

export function buildSurface(input: SurfaceInput): Surface {
  const entries = new Map<string, SurfaceEntry>()
  const aliases = new Map<string, string>()
  for (const tool of input.tools) {
    const { name } = tool.contract.identity
    entries.set(name, entryOf(tool, input))
    for (const alias of tool.binding.aliases) aliases.set(alias, name)
  }
  return { entries, aliases }
}

function entryOf(tool: Tool, { principal, discovered, blocked, now }: SurfaceInput): SurfaceEntry {
  const { name, lifecycle } = tool.contract.identity
  const { roles, deferred, searchHint } = tool.binding
  if (roles !== undefined && !roles.some((role) => principal.roles.includes(role))) {
    return {
      status: 'excluded',
      tool,
      reason: 'role_not_allowed',
      note: 'None of the roles of this principal may see it.',
    }
  }
  const instead = lifecycle.replacement === null ? '' : ` Use ${lifecycle.replacement} instead.`
  const sunset = lifecycle.sunset_date === null ? undefined : Date.parse(lifecycle.sunset_date)
  if (lifecycle.status === 'sunsetted' || (sunset !== undefined && sunset <= now)) {
    return { status: 'blocked', tool, reason: 'contract_sunsetted', note: `This tool is no longer offered.${instead}` }
  }
  const reason = blocked.get(name)
  if (reason !== undefined) return { status: 'blocked', tool, reason: 'policy_blocked', note: reason }
  if (deferred && !discovered.has(name)) {
    const hint = searchHint === undefined ? '' : ` It is about: ${searchHint}.`
    return {
      status: 'deferred',
      tool,
      reason: 'deferred_until_discovered',
      note: `The schema of this tool is not loaded yet; discover it first.${hint}`,
    }
  }
  const until = lifecycle.sunset_date === null ? '' : ` It ends on ${lifecycle.sunset_date}.`
  const deprecated =
    lifecycle.status === 'deprecated' ? `deprecated: this tool will go away.${until}${instead}` : undefined
  return { status: 'loaded', tool, deprecated }
}

/** A surface of one tool: the one a recorded call was judged by. */
export function onlySurface(tool: Tool): Surface {
  return {
    entries: new Map([[tool.contract.identity.name, { status: 'loaded', tool, deprecated: undefined }]]),
    aliases: new Map(),
  }
}
