// What the walk finds wrong, as data: cheap to make and to throw away, since most findings of a union's alternatives are.
// Invariant: a list holds no finding twice and at most `limit + 1` of them; the last one only says that more follow.
// A list is also full when the effort is spent: what would be added then may not be true.
import { type ErrorKind, type Keyword, kindOfKeyword } from '../field-error.ts'
import type { Effort } from '../judge/effort.ts'
import type { NormalObject } from '../normal.ts'
import type { Place, PlaceNumbers } from './place.ts'

export interface Finding {
  readonly keyword: Keyword
  readonly kind: ErrorKind
  readonly place: Place
  /** The schema that carries the keyword, or one made up to describe what a whole union expects. */
  readonly node: NormalObject
  /** The property that brings this one along (dependentRequired). */
  readonly because?: string
  /** Positions of equal items, or of the alternatives that match, or a number of items. */
  readonly numbers?: readonly number[]
  /** Per alternative of a union: the properties that it lacks. */
  readonly lacking?: readonly (readonly string[])[]
  readonly note?: Note
}

/** Why a union reports the errors of this alternative and not of another; kept once, for the innermost union. */
export type Note =
  | { readonly kind: 'closest'; readonly count: number; readonly title: string | undefined }
  | { readonly kind: 'chosen'; readonly by: Place }

type FindingDetail = Partial<Pick<Finding, 'kind' | 'because' | 'numbers' | 'lacking'>>

export interface Findings {
  readonly all: readonly Finding[]
  isFull(): boolean
  add(keyword: Keyword, place: Place, node: NormalObject, detail?: FindingDetail): void
  take(finding: Finding): void
}

const stepsToTake = 6

export function collectFindings(limit: number, numberOf: PlaceNumbers, effort: Effort): Findings {
  const all: Finding[] = []
  const seen = new Set<string>()
  const findings: Findings = {
    all,
    isFull: () => all.length > limit || effort.isSpent(),
    add(keyword, place, node, detail) {
      if (!findings.isFull()) findings.take({ keyword, kind: kindOfKeyword(keyword), place, node, ...detail })
    },
    take(finding) {
      if (findings.isFull() || !effort.spend(stepsToTake)) return
      const key = `${numberOf(finding.place)} ${finding.keyword} ${bounds(finding)}`
      if (seen.has(key)) return
      seen.add(key)
      all.push(finding)
    },
  }
  return findings
}

/** Two allOf parts may bound the same number differently: both are reported. Other repetitions say nothing new. */
function bounds(finding: Finding): string {
  const { keyword, node } = finding
  if (keyword === 'oneOf' || keyword === 'anyOf' || keyword === 'not') return (finding.numbers ?? []).join()
  const bound = keyword === 'false' ? undefined : node[keyword as keyof NormalObject]
  return typeof bound === 'number' || typeof bound === 'string' ? String(bound) : ''
}
