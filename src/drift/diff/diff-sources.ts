// The answer of `proviso diff`: what has changed between two versions, and whether the versions that are declared announce it. A tool file
// has a version of its own; of every other source the version of the whole counts.
import type { Finding } from '../finding.ts'
import type { SourceSnapshot } from '../snapshot.ts'
import { compareSources } from './compare-sources.ts'
import { matchTools } from './match-tools.ts'
import { checkVersion, neededStep, type VersionCheck } from './version-step.ts'

export interface NamedCheck extends VersionCheck {
  /** The tool whose version it is, or undefined for the source as a whole. */
  readonly tool: string | undefined
}

export interface SourceDiff {
  readonly findings: readonly Finding[]
  readonly needed: VersionCheck['needed']
  readonly versions: readonly NamedCheck[]
  readonly fits: boolean
}

export function diffSources(before: SourceSnapshot, after: SourceSnapshot): SourceDiff {
  const findings = compareSources(before, after, 'version')
  const versions = before.kind === 'tool-file' ? perTool(before, after, findings) : [whole(before, after, findings)]
  return { findings, needed: neededStep(findings), versions, fits: versions.every(({ fits }) => fits) }
}

function whole(before: SourceSnapshot, after: SourceSnapshot, findings: readonly Finding[]): NamedCheck {
  return { tool: undefined, ...checkVersion(findings, before.version, after.version) }
}

function perTool(before: SourceSnapshot, after: SourceSnapshot, findings: readonly Finding[]): readonly NamedCheck[] {
  const { matched, removed } = matchTools(before, after)
  const about = (tool: string): readonly Finding[] => findings.filter((finding) => finding.tool === tool)
  return [
    ...matched.map(
      (pair): NamedCheck => ({
        tool: pair.before.name,
        ...checkVersion(about(pair.before.name), pair.before.version, pair.after.version),
      }),
    ),
    ...removed.map((tool): NamedCheck => {
      const check = checkVersion(about(tool.name), tool.version, undefined)
      // Whoever still called it was refused already.
      const wasSunsetted = tool.contract?.identity.lifecycle.status === 'sunsetted'
      return { tool: tool.name, ...check, suggested: undefined, fits: wasSunsetted }
    }),
  ]
}
