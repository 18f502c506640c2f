// Finds the tool by name or alias on the surface of this run, in the version that the run gets. A name is only ever a Map key. Whether the
// version has come to its end is judged by the moment of the call, however old the surface is.
import type { OpenedCall, ResolvedCall } from '../../contract/call/stages.ts'
import { isDated, stageAt } from '../../contract/release/lifecycle.ts'
import type { Route, SurfaceEntry } from '../../contract/tool/surface.ts'
import type { VersionMisfit } from '../../drift/versions/choose.ts'
import type { EpochMs } from '../../json/clock.ts'
import { nearestNames } from '../../json/nearest.ts'
import { entryFor, isHidden } from '../../surface/build-surface.ts'
import type { Deps } from '../deps.ts'
import { type Gate, type Gives, passWith, stop, type Verdict } from '../phase.ts'

/** Which version, under which contract, and how the call came by it. */
interface Resolution {
  readonly version: string
  /** Its hash, where it is not the current version; that of the current one is in the record. */
  readonly contract?: string
  /** Hash of the schema that its tenant is held to besides. */
  readonly narrowed?: string
  readonly route: Route['reason']
  readonly release?: string
  /** The moment of the call, where the version has an end. */
  readonly at?: EpochMs
  readonly misfit?: VersionMisfit
}

type Given = Gives<ResolvedCall, 'tool', 'warnings'>

export const resolve: Gate<OpenedCall, Given, Resolution | undefined> = {
  name: 'resolve',
  does: 'Finds the tool by name or alias on the surface of this run, in the version that the run gets.',
  stopsWith: [
    { class: 'STRUCTURAL_VIOLATION', reasons: ['unknown_tool', 'schema_not_loaded'] },
    { class: 'POLICY_VIOLATION', reasons: ['blocked_tool', 'contract_sunsetted', 'release_mismatch'] },
  ],
  gather(call, deps) {
    const entry = entryNamed(call)
    if (entry === undefined) return undefined
    const { tool, route } = entry
    if (route === undefined && call.claim === undefined) return resolution(call, entry, undefined, deps)
    return deps.versions.misfit(tool, route, call.claim).then((misfit) => resolution(call, entry, misfit, deps))
  },
  decide(call, seen) {
    const entry = entryNamed(call)
    if (entry === undefined || entry.status === 'excluded') return unknownTool(call)
    const { tool } = entry
    if (seen?.misfit !== undefined) {
      const { reason, note } = seen.misfit
      return stop('POLICY_VIOLATION', reason, note, { gives: { tool } })
    }
    switch (entry.status) {
      case 'loaded': {
        const stage = stageAt(tool.contract, seen?.at)
        if (stage.kind === 'ended')
          return stop('POLICY_VIOLATION', 'contract_sunsetted', stage.note, { gives: { tool } })
        const notes = [stage.kind === 'deprecated' ? stage.note : undefined, entry.route?.moved]
        const warnings = notes.filter((note) => note !== undefined)
        return passWith(warnings.length === 0 ? { tool } : { tool, warnings })
      }
      case 'deferred':
        return stop('STRUCTURAL_VIOLATION', 'schema_not_loaded', entry.note, { gives: { tool } })
      case 'blocked': {
        const { reason } = entry
        const shown = reason === 'contract_sunsetted' || reason === 'release_mismatch' ? reason : 'blocked_tool'
        return stop('POLICY_VIOLATION', shown, entry.note, { gives: { tool } })
      }
    }
  },
}

const entryNamed = ({ proposal, surface, principal }: OpenedCall): SurfaceEntry | undefined =>
  entryFor(surface, proposal.tool, principal)

function resolution(
  { claim }: OpenedCall,
  { tool, route }: SurfaceEntry,
  misfit: VersionMisfit | undefined,
  { clock }: Deps,
): Resolution {
  const release = claim?.release ?? route?.release
  return {
    version: tool.contract.identity.version,
    ...(route === undefined ? {} : { contract: tool.contractHash }),
    ...(tool.narrowed === undefined ? {} : { narrowed: tool.narrowed.hash }),
    route: route?.reason ?? 'current',
    ...(release === undefined ? {} : { release }),
    ...(isDated(tool.contract) ? { at: clock.now() } : {}),
    ...(misfit === undefined ? {} : { misfit }),
  }
}

/** Excluded tools are not mentioned: a run must not learn of what it may not see. */
function unknownTool({ proposal, surface, principal }: OpenedCall): Verdict<Given> {
  const visible: string[] = []
  for (const [name, entry] of surface.entries) if (!isHidden(entry, principal)) visible.push(name)
  const near = nearestNames(proposal.tool, visible)
  const advice =
    near.length === 0
      ? 'Choose one of the tools offered.'
      : `Did you mean ${near.map((name) => `\`${name}\``).join(' or ')}?`
  return stop('STRUCTURAL_VIOLATION', 'unknown_tool', [
    {
      field: '$',
      expected: near.length === 0 ? 'the name of an offered tool' : near.join(' or '),
      actual: 'an unknown name',
      message: `There is no tool of this name. ${advice}`,
    },
  ])
}
