// Which step of a semantic version a set of findings asks for, and whether the declared one is at least that. Below 1.0.0 the second number
// takes the part of the first, as is common practice.
import { type DriftFinding, type VersionStep, versionSteps } from '../finding.ts'
import { compareSemver, readSemver, type SemanticVersion } from '../versions/semver.ts'

export interface VersionCheck {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly needed: VersionStep
  /** What the two versions declare; undefined where they cannot be compared. */
  readonly declared: VersionStep | 'backwards' | undefined
  /** A declared step may be larger than needed. Without versions nothing can announce a breaking change. */
  readonly fits: boolean
  /** The least version that would do. */
  readonly suggested: string | undefined
}

export function neededStep(findings: readonly DriftFinding[]): VersionStep {
  return versionSteps.find((step) => findings.some((finding) => finding.step === step)) ?? 'none'
}

export function checkVersion(
  findings: readonly DriftFinding[],
  from: string | undefined,
  to: string | undefined,
): VersionCheck {
  const needed = neededStep(findings)
  const [old, renewed] = [readLoosely(from), readLoosely(to)]
  const declared = old === undefined || renewed === undefined ? undefined : declaredStep(old, renewed)
  return {
    from,
    to,
    needed,
    declared,
    fits: declared === undefined ? needed !== 'major' : declared !== 'backwards' && atLeast(declared, needed),
    suggested: old === undefined ? undefined : nextVersion(old, needed),
  }
}

const atLeast = (declared: VersionStep, needed: VersionStep): boolean =>
  versionSteps.indexOf(declared) <= versionSteps.indexOf(needed)

/** As far as its numbers go: `v52` and `2.4` are read as 52.0.0 and 2.4.0. */
function readLoosely(text: string | undefined): SemanticVersion | undefined {
  if (text === undefined) return undefined
  const exact = readSemver(text)
  if (exact !== undefined) return exact
  const [, major, minor = '0', patch = '0'] =
    /^v?([0-9]{1,15})(?:\.([0-9]{1,15}))?(?:\.([0-9]{1,15}))?(?![0-9])/i.exec(text) ?? []
  return major === undefined ? undefined : { core: [BigInt(major), BigInt(minor), BigInt(patch)], prerelease: [] }
}

function declaredStep(from: SemanticVersion, to: SemanticVersion): VersionStep | 'backwards' {
  const order = compareSemver(from, to)
  if (order > 0) return 'backwards'
  if (order === 0) return 'none'
  // A prerelease promises nothing yet.
  if (from.prerelease.length > 0) return 'major'
  const [major, minor, patch] = from.core
  const isEarly = major === 0n
  if (to.core[0] !== major) return 'major'
  if (to.core[1] !== minor) return isEarly ? 'major' : 'minor'
  return to.core[2] === patch ? 'none' : isEarly ? 'minor' : 'patch'
}

function nextVersion({ core: [major, minor, patch], prerelease }: SemanticVersion, needed: VersionStep): string {
  if (needed === 'none') return `${major}.${minor}.${patch}${prerelease.length === 0 ? '' : `-${prerelease.join('.')}`}`
  if (prerelease.length > 0) return `${major}.${minor}.${patch}`
  if (major === 0n) return needed === 'major' ? `0.${minor + 1n}.0` : `0.${minor}.${patch + 1n}`
  if (needed === 'major') return `${major + 1n}.0.0`
  return needed === 'minor' ? `${major}.${minor + 1n}.0` : `${major}.${minor}.${patch + 1n}`
}
