// A regular expression as an automaton of its positions, over a small alphabet that tells all its classes apart. Invariant: each path that
// a backtracking engine can try is a path here; repetitions beyond a few times count as endless, so it may have more, and never fewer.
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'

export interface Positions {
  /** By position: the letters, as numbers, that it reads. Position 0 reads nothing: it is the start. */
  readonly reads: readonly ReadonlySet<number>[]
  /** By position: those that may come next, with in how many ways, at most two. */
  readonly next: readonly ReadonlyMap<number, number>[]
  /** Behind these the whole expression has matched, whatever comes. */
  readonly accepting: ReadonlySet<number>
  readonly letters: readonly string[]
  /** The start is tried at every place of the text; of a sticky one by its caller. */
  readonly searches: boolean
}

/** More than so many times is as good as endless. */
const fewTimes = 16

type State = { readonly reads: number; readonly outs: State[]; asserted: boolean }

export function positionsOf(source: string, flags: string): Positions {
  const unicode = flags.includes('v') ? { unicodeSets: true } : { unicode: flags.includes('u') }
  const pattern = new RegExpParser({ ecmaVersion: 2024 }).parsePattern(source, 0, source.length, unicode)
  const sets: AST.Node[] = []
  const letters = alphabet(pattern)
  const members: ReadonlySet<number>[] = [new Set()]
  const state = (reads = 0): State => ({ reads, outs: [], asserted: false })

  const setOf = (node: AST.Node): number => {
    const known = sets.indexOf(node)
    if (known !== -1) return known + 1
    const one = new RegExp(`^(?:${node.raw})$`, flags.replaceAll(/[gy]/g, ''))
    sets.push(node)
    members.push(new Set(letters.flatMap((letter, index) => (one.test(letter) ? [index] : []))))
    return sets.length
  }

  /** Builds backwards: what is to come is known. Gives the state where the part begins. */
  const build = (node: AST.Element | AST.Alternative, then: State): State => {
    switch (node.type) {
      case 'Alternative':
        return node.elements.reduceRight((after: State, element) => build(element, after), then)
      case 'CapturingGroup':
      case 'Group':
        return choice(node.alternatives, then)
      case 'Quantifier':
        return repeat(node, then)
      case 'Assertion':
        return assertion(node, then)
      case 'Backreference':
        throw new Error('A reference back is not judged')
      default: {
        const read = state(setOf(node))
        read.outs.push(then)
        return read
      }
    }
  }
  const choice = (alternatives: readonly AST.Alternative[], then: State): State => {
    const fork = state()
    for (const alternative of alternatives) fork.outs.push(build(alternative, then))
    return fork
  }
  const repeat = ({ min, max, element }: AST.Quantifier, then: State): State => {
    if (max <= fewTimes) {
      let begin = then
      for (let times = max; times > 0; times--) {
        const body = build(element, begin)
        if (times > min) {
          const fork = state()
          fork.outs.push(body, then)
          begin = fork
        } else begin = body
      }
      return begin
    }
    const again = state()
    const body = build(element, again)
    again.outs.push(body, then)
    return min === 0 ? again : body
  }
  const assertion = (node: AST.Assertion, then: State): State => {
    const gate = state()
    gate.asserted = true
    // Behind the end of the text nothing is read, and behind an assertion nothing counts as matched.
    if (node.kind === 'end' && !flags.includes('m')) return gate
    gate.outs.push(then)
    if (node.kind === 'lookbehind') {
      if (longestOf(node.alternatives) > 100) throw new Error('A look back without a bound is not judged')
    } else if (node.kind === 'lookahead') {
      // A dead end that is read on its own; where it fails, what comes after it is not tried.
      const dead = state()
      dead.asserted = true
      gate.outs.push(choice(node.alternatives, dead))
    }
    return gate
  }

  const end = state()
  const { next, accepting, followers } = follow(choice(pattern.alternatives, end), end)
  const reads = followers.map(({ reads: set }) => members[set] as ReadonlySet<number>)
  return { reads, next, accepting, letters, searches: !isAnchored(pattern) }
}

interface Followers extends Pick<Positions, 'next' | 'accepting'> {
  /** By position. */
  readonly followers: readonly State[]
}

/** Which reading states follow which, by every path of those that read nothing. */
function follow(begin: State, end: State): Followers {
  const start: State = { reads: 0, outs: [begin], asserted: false }
  const followers = [start]
  const indexes = new Map<State, number>([[start, 0]])
  const next: Map<number, number>[] = []
  const accepting = new Set<number>()
  for (let at = 0; at < followers.length; at++) {
    const ways = new Map<number, number>()
    next.push(ways)
    const walk = (state: State, path: readonly State[], asserted: boolean): void => {
      if (path.includes(state)) return
      if (state === end) {
        if (!asserted) accepting.add(at)
        return
      }
      if (state.reads > 0) {
        const index = indexes.get(state) ?? followers.push(state) - 1
        indexes.set(state, index)
        ways.set(index, Math.min(2, (ways.get(index) ?? 0) + 1))
        return
      }
      for (const out of state.outs) walk(out, [...path, state], asserted || state.asserted)
    }
    for (const out of followers[at]?.outs ?? []) walk(out, [], false)
  }
  return { next, accepting, followers }
}

const isAnchored = ({ alternatives }: AST.Pattern): boolean =>
  alternatives.every(({ elements: [first] }) => first?.type === 'Assertion' && first.kind === 'start')

export function longestOf(alternatives: readonly AST.Alternative[]): number {
  const lengthOf = (element: AST.Element): number => {
    if (element.type === 'Quantifier') return element.max * lengthOf(element.element)
    if (element.type === 'Group' || element.type === 'CapturingGroup') return longestOf(element.alternatives)
    return element.type === 'Assertion' ? 0 : 1
  }
  return Math.max(...alternatives.map(({ elements }) => elements.reduce((sum, one) => sum + lengthOf(one), 0)))
}

/** Letters of many kinds, so that two classes that have any in common have one of these in common. */
const manyKinds = [
  ...Array.from({ length: 128 }, (_, code) => code),
  ...[
    0x85, 0xa0, 0xad, 0xe9, 0xff, 0x130, 0x131, 0x17f, 0x212a, 0x300, 0x37e, 0x3b1, 0x391, 0x430, 0x410, 0x5d0, 0x627,
  ],
  ...[
    0x600, 0x660, 0x915, 0x94d, 0xe01, 0x1100, 0x180e, 0x1e00, 0x200b, 0x200c, 0x200d, 0x200e, 0x2014, 0x2028, 0x202e,
  ],
  ...[
    0x2060, 0x20ac, 0x2160, 0x2800, 0x3000, 0x3042, 0x4e2d, 0xac00, 0xe000, 0xfb01, 0xfe0f, 0xfeff, 0xff21, 0xffa0,
    0xffff,
  ],
  ...[0xd800, 0xdc00, 0x1f600, 0x1f3fd, 0x20000, 0xe0041, 0xe0100, 0x10ffff],
]

function alphabet(pattern: AST.Pattern): readonly string[] {
  const codes = new Set(manyKinds)
  visitRegExpAST(pattern, {
    onCharacterEnter: ({ value }) => void codes.add(value),
    onCharacterClassRangeEnter: ({ min, max }) => void codes.add(min.value).add(max.value),
  })
  return [...codes].flatMap((code) => {
    const letter = String.fromCodePoint(code)
    return [...new Set([letter, letter.toLowerCase(), letter.toUpperCase()])]
  })
}
