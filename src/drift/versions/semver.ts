// Semantic versions (semver.org 2.0.0): read whole or not at all, and put in order. What follows a plus sign orders nothing.

export interface SemanticVersion {
  readonly core: readonly [major: bigint, minor: bigint, patch: bigint]
  /** The parts of a prerelease; empty where it is none. */
  readonly prerelease: readonly string[]
}

const whole = '(?:0|[1-9][0-9]*)'
const word = '[0-9A-Za-z-]+'
const prereleaseWord = `(?:${whole}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`
/** Also for schemas that are published: what they let through is what is read here. */
export const semverPattern = `^(${whole})\\.(${whole})\\.(${whole})(?:-(${prereleaseWord}(?:\\.${prereleaseWord})*))?(?:\\+${word}(?:\\.${word})*)?$`
const syntax = new RegExp(semverPattern)
/** Longer than any real version. */
const maxLength = 256

export function readSemver(text: string): SemanticVersion | undefined {
  const found = text.length > maxLength ? null : syntax.exec(text)
  if (found === null) return undefined
  const [, major = '', minor = '', patch = '', prerelease] = found
  return {
    core: [BigInt(major), BigInt(minor), BigInt(patch)],
    prerelease: prerelease === undefined ? [] : prerelease.split('.'),
  }
}

/** Negative where `a` comes first. */
export function compareSemver(a: SemanticVersion, b: SemanticVersion): number {
  for (let place = 0; place < 3; place++) {
    const [left, right] = [a.core[place] ?? 0n, b.core[place] ?? 0n]
    if (left !== right) return left < right ? -1 : 1
  }
  return comparePrereleases(a.prerelease, b.prerelease)
}

/** A prerelease comes before what it leads to; numbers come before words, and fewer parts before more. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length
  for (let place = 0; place < Math.max(a.length, b.length); place++) {
    const [left, right] = [a[place], b[place]]
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1
    if (left === right) continue
    const [leftNumber, rightNumber] = [isNumber(left), isNumber(right)]
    if (leftNumber && rightNumber) return BigInt(left) < BigInt(right) ? -1 : 1
    if (leftNumber !== rightNumber) return leftNumber ? -1 : 1
    return left < right ? -1 : 1
  }
  return 0
}

const isNumber = (text: string) => /^\d+$/.test(text)
