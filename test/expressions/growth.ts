// How the work of a backtracking engine grows with its text. It tries every path of the automaton that a text allows until one is accepted,
// so the work is linear where no text has more than so many paths to one place of it. Where there are more, a text that shows it is given.
import { RegExpParser } from '@eslint-community/regexpp'
import { longestOf, type Positions, positionsOf } from './positions.ts'

export type Growth =
  | { readonly kind: 'linear' }
  /** `before`, then `again` as often as one likes, takes more than linear work. */
  | { readonly kind: 'more'; readonly before: string; readonly again: string }

export function growthOf(source: string, flags: string): Growth {
  const all = positionsOf(source, flags)
  const loops = loopsOf(all)
  for (const loop of loops) {
    const again = twoWaysRound(all, loop) ?? searchedAgain(all, loop)
    if (again !== undefined) return { kind: 'more', ...again }
    for (const before of loops) {
      const passed = passedOn(all, before, loop)
      if (passed !== undefined) return { kind: 'more', ...passed }
    }
  }
  return { kind: 'linear' }
}

/** Characters that it reads at most, with what it looks at ahead. */
export function longestMatch(source: string, flags: string): number {
  const unicode = flags.includes('v') ? { unicodeSets: true } : { unicode: flags.includes('u') }
  return longestOf(new RegExpParser({ ecmaVersion: 2024 }).parsePattern(source, 0, source.length, unicode).alternatives)
}

type Witness = { readonly before: string; readonly again: string }

const waysOn = ({ next }: Positions, from: number): ReadonlyMap<number, number> => next[from] ?? new Map()

/** Groups of positions that can be read again and again. */
function loopsOf(all: Positions): readonly ReadonlySet<number>[] {
  const reach = all.next.map((_, from) => {
    const seen = new Set<number>()
    const open = [...waysOn(all, from).keys()]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue
      seen.add(at)
      open.push(...waysOn(all, at).keys())
    }
    return seen
  })
  const loops: ReadonlySet<number>[] = []
  for (let at = 1; at < reach.length; at++) {
    if (!reach[at]?.has(at) || loops.some((loop) => loop.has(at))) continue
    loops.push(new Set([...(reach[at] as Set<number>)].filter((other) => reach[other]?.has(at))))
  }
  return loops
}

/** A letter that all of these read. */
function common({ reads, letters }: Positions, positions: readonly number[]): string | undefined {
  const [first, ...rest] = positions.map((at) => reads[at] as ReadonlySet<number>)
  for (const letter of first ?? []) if (rest.every((set) => set.has(letter))) return letters[letter]
  return undefined
}

interface Step<T> {
  readonly at: T
  readonly text: string
}

/** The text of a path from one tuple of positions to another, each component taking a step for each letter. */
function textBetween(
  all: Positions,
  from: readonly number[],
  isGoal: (at: readonly number[]) => boolean,
  moves: (at: readonly number[]) => readonly (readonly number[])[],
): string | undefined {
  const open: Step<readonly number[]>[] = [{ at: from, text: '' }]
  const seen = new Set<string>()
  for (let step = open.shift(); step !== undefined; step = open.shift()) {
    for (const at of moves(step.at)) {
      const key = at.join()
      if (seen.has(key)) continue
      const letter = common(
        all,
        at.filter((position) => position > 0),
      )
      if (letter === undefined) continue
      seen.add(key)
      const text = step.text + letter
      if (isGoal(at)) return text
      open.push({ at, text })
    }
  }
  return undefined
}

const within = (all: Positions, from: number, loop: ReadonlySet<number>): readonly number[] =>
  [...waysOn(all, from).keys()].filter((to) => loop.has(to))

/** One round of the loop that can be read in two ways: the paths double with every round. */
function twoWaysRound(all: Positions, loop: ReadonlySet<number>): Witness | undefined {
  for (const at of loop) {
    // Two ways without a letter in between.
    for (const [to, ways] of waysOn(all, at)) {
      if (ways < 2 || !loop.has(to)) continue
      const back =
        to === at
          ? ''
          : textBetween(
              all,
              [to],
              ([one]) => one === at,
              ([one = 0]) => within(all, one, loop).map((x) => [x]),
            )
      if (back !== undefined) return { before: '', again: (common(all, [to]) ?? '') + back }
    }
    // The third component says whether the two have parted.
    const pairs = ([one = 0, other = 0, parted = 0]: readonly number[]) =>
      within(all, one, loop).flatMap((x) =>
        within(all, other, loop).map((y) => [x, y, parted === -1 || x !== y ? -1 : 0]),
      )
    const again = textBetween(all, [at, at, 0], ([x, y, parted]) => x === at && y === at && parted === -1, pairs)
    if (again !== undefined) return { before: '', again }
  }
  return undefined
}

/** Rounds that pass no place where the whole has matched: behind such a place there is nothing to try again. */
const unmatched = (all: Positions, from: number, loop: ReadonlySet<number>): readonly number[] =>
  within(all, from, loop).filter((to) => !all.accepting.has(to))

/** A loop that can be entered at every place of what it reads: each start reads the rest again, where it does not match at once. */
function searchedAgain(all: Positions, loop: ReadonlySet<number>): Witness | undefined {
  if (!all.searches) return undefined
  for (const goal of loop) {
    if (all.accepting.has(goal)) continue
    // The start may wait: it has not begun yet.
    const moves = ([one = 0, other = 0]: readonly number[]) => {
      const firsts = one === 0 ? [0, ...waysOn(all, 0).keys()] : [...waysOn(all, one).keys()]
      return firsts.flatMap((x) => unmatched(all, other, loop).map((y) => [x, y]))
    }
    const again = textBetween(all, [0, goal], ([x, y]) => x === goal && y === goal, moves)
    if (again !== undefined) return { before: again, again }
  }
  return undefined
}

/** Two loops that read the same, one behind the other: where the first ends and the second begins is tried at every place. */
function passedOn(all: Positions, first: ReadonlySet<number>, second: ReadonlySet<number>): Witness | undefined {
  if (first === second) return undefined
  for (const from of first) {
    for (const to of second) {
      if (all.accepting.has(to)) continue
      const moves = ([one = 0, middle = 0, other = 0]: readonly number[]) =>
        within(all, one, first).flatMap((x) =>
          [...waysOn(all, middle).keys()].flatMap((y) => unmatched(all, other, second).map((z) => [x, y, z])),
        )
      const again = textBetween(all, [from, from, to], ([x, y, z]) => x === from && y === to && z === to, moves)
      if (again !== undefined) return { before: '', again }
    }
  }
  return undefined
}
