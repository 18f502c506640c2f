// The answer of `proviso diff`: what has changed between two versions, and whether the versions that are declared announce it. A tool file
// has a version of its own; of every other source the version of the whole counts.
import type { DriftFinding } from '../finding.ts'
import type { SourceSnapshot } from '../snapshot.ts'
import { compareSources, compareTools } from './compare.ts'
import { matchTools } from './match-tools.ts'
import { checkVersion, neededStep, type VersionCheck } from './version-step.ts'

export interface NamedCheck extends VersionCheck {
  /** The tool whose version it is, or undefined for the source as a whole. */
  readonly tool: string | undefined
}

export interface SourceDiff {
  readonly findings: readonly DriftFinding[]
  readonly needed: VersionCheck['needed']
  readonly versions: readonly NamedCheck[]
  readonly fits: boolean
}

export function diffSources(before: SourceSnapshot, after: SourceSnapshot): SourceDiff {
  const findings = compareSources(before, after, 'version')
  const versions = before.kind === 'tool-file' ? perTool(before, after, findings) : [whole(before, after, findings)]
  return { findings, needed: neededStep(findings), versions, fits: versions.every(({ fits }) => fits) }
}

function whole(before: SourceSnapshot, after: SourceSnapshot, findings: readonly DriftFinding[]): NamedCheck {
  return { tool: undefined, ...checkVersion(findings, before.version, after.version) }
}

function perTool(
  before: SourceSnapshot,
  after: SourceSnapshot,
  findings: readonly DriftFinding[],
): readonly NamedCheck[] {
  const { matched, added, removed } = matchTools(before, after)
  const listed = findings.filter(({ direction }) => direction === 'list')
  return [
    ...matched.map(({ before: old, after: renewed }): NamedCheck => {
      const names = old.name === renewed.name ? [] : [old.name, renewed.name]
      const own = [...compareTools(old, renewed, 'version'), ...listed.filter(({ tool }) => names.includes(tool))]
      return { tool: old.name, ...checkVersion(own, old.version, renewed.version) }
    }),
    ...removed.map((tool): NamedCheck => {
      const own = listed.filter(({ rule, tool: name }) => rule === 'tool-removed' && name === tool.name)
      // Calls of a sunsetted tool were refused already.
      const wasSunsetted = tool.contract?.identity.lifecycle.status === 'sunsetted'
      return {
        tool: tool.name,
        ...checkVersion(own, tool.version, undefined),
        suggested: undefined,
        fits: wasSunsetted,
      }
    }),
    ...added.flatMap((tool): readonly NamedCheck[] => {
      // No version announces a name that is taken for another.
      const own = listed.filter(({ rule, tool: name }) => rule !== 'tool-added' && name === tool.name)
      return own.length === 0 ? [] : [{ tool: tool.name, ...checkVersion(own, undefined, tool.version) }]
    }),
  ]
}
