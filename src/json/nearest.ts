// The declared names nearest to a name that was not declared, for "did you mean". Work is bounded for any names:
// only the first 64 characters of each count, and distances are computed only within a narrow band.

const countedLength = 64
const countedNames = 10_000
const separators = /[-_.:/\s]+/g
const namespace = /^.*(?:[.:/]|__)/s

/** Three rows of the distance table, used again for every pair. */
const rows = [0, 1, 2].map(() => new Uint8Array(countedLength + 1)) as [Uint8Array, Uint8Array, Uint8Array]

interface Candidate {
  readonly name: string
  readonly distance: number
}

/**
 * Names equal but for case and separators come first (`top_issues`, `topIssues`), then those equal but for a namespace
 * (`functions.refund`, `refund`), then those within a few edits, nearest first.
 */
export function nearestNames(wanted: string, known: Iterable<string>, limit = 3): readonly string[] {
  const target = fold(wanted)
  if (target === '') return []
  const targetBase = foldBase(wanted)
  const candidates: Candidate[] = []
  let counted = 0
  for (const name of known) {
    if (++counted > countedNames) break
    const folded = fold(name)
    if (folded === '') continue
    const isQualified = folded === targetBase || (folded.endsWith(target) && foldBase(name) === target)
    const distance = folded === target ? 0 : isQualified ? 0.5 : distanceWithin(target, folded)
    if (distance !== undefined) candidates.push({ name, distance })
  }
  candidates.sort((a, b) => a.distance - b.distance || compareText(a.name, b.name))
  return candidates.slice(0, limit).map((candidate) => candidate.name)
}

/**
 * Edits between two folded names, an exchange of neighbours counting as one (optimal string alignment); undefined
 * beyond one edit per three letters, or five. Only cells within the bound of the diagonal are filled.
 */
function distanceWithin(a: string, b: string): number | undefined {
  const bound = Math.min(5, Math.floor(Math.max(a.length, b.length) / 3))
  if (Math.abs(a.length - b.length) > bound) return undefined
  let [before, above, here] = rows
  for (let column = 0; column <= b.length; column++) above[column] = column
  for (let row = 1; row <= a.length; row++) {
    const first = Math.max(1, row - bound)
    const last = Math.min(b.length, row + bound)
    here[first - 1] = first === 1 ? row : bound + 1
    let least = here[first - 1] as number
    for (let column = first; column <= last; column++) {
      const same = a.charCodeAt(row - 1) === b.charCodeAt(column - 1)
      let cost = (above[column - 1] as number) + (same ? 0 : 1)
      cost = Math.min(cost, (above[column] as number) + 1, (here[column - 1] as number) + 1)
      if (!same && row > 1 && column > 1 && isExchange(a, row, b, column)) {
        cost = Math.min(cost, (before[column - 2] as number) + 1)
      }
      here[column] = cost
      if (cost < least) least = cost
    }
    if (last < b.length) here[last + 1] = bound + 1
    if (least > bound) return undefined
    const spare = before
    before = above
    above = here
    here = spare
  }
  const distance = above[b.length] as number
  return distance <= bound ? distance : undefined
}

function isExchange(a: string, row: number, b: string, column: number): boolean {
  return a.charCodeAt(row - 1) === b.charCodeAt(column - 2) && a.charCodeAt(row - 2) === b.charCodeAt(column - 1)
}

function fold(name: string): string {
  return name.slice(0, countedLength).replace(separators, '').toLowerCase().slice(0, countedLength)
}

/** The folded name without what stands before its last dot, colon, slash or double underscore. */
function foldBase(name: string): string {
  return fold(name.slice(0, countedLength).replace(namespace, ''))
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
