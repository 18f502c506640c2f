// A pattern as an automaton that is made deterministic while it is walked. Anchors and word boundaries are exact wherever
// they stand: a state remembers what kind of code point came before, and closes over assertions when the next is known.
import { type CodePointRanges, lastCodePoint, wordCharacters } from '../../schema/patterns/code-points.ts'
import type { PatternNode } from '../../schema/patterns/parse-pattern.ts'

type Assertion = 'start' | 'end' | 'boundary' | 'inside'

type Step =
  | { readonly op: 'read'; readonly ranges: CodePointRanges; to: number }
  | { readonly op: 'fork'; to: number; other: number }
  | { readonly op: 'assert'; readonly what: Assertion; to: number }
  | { readonly op: 'match' }

export interface Automaton {
  readonly start: number
  /** Steps of the pattern, its repetitions written out. */
  readonly size: number
  /** Code points that lie in the same sets are alike to the automaton. The key is the text of the set. */
  readonly sets: ReadonlyMap<string, CodePointRanges>
  /** The state after one more code point; undefined when there are too many states. */
  next(state: number, codePoint: number): number | undefined
  /** Whether the text read so far matches. */
  accepts(state: number): boolean
  /** Whether every continuation of the text matches, or none does. */
  fate(state: number): 'matches' | 'never' | 'open'
}

/** Steps of one pattern once its repetitions are written out; deterministic states of one automaton. */
const maxSteps = 6000
const maxStates = 6000

/** The neighbour of a position: none, a word character, or any other. */
const edge = 0
const word = 1
const other = 2

interface State {
  readonly steps: readonly number[]
  readonly before: number
  /** The pattern was found already: every continuation of the text matches. */
  readonly matched: boolean
}

/** Undefined when the pattern is too large. */
export function buildAutomaton(node: PatternNode): Automaton | undefined {
  const program = writeProgram(node)
  if (program === undefined) return undefined
  const seesWords = program.some((step) => step.op === 'assert' && (step.what === 'boundary' || step.what === 'inside'))
  const states: State[] = []
  const numbers = new Map<string, number>()
  const moves = new Map<number, number>()
  const ends = new Map<number, boolean>()
  const sets = new Map<string, CodePointRanges>()
  for (const step of program) if (step.op === 'read') sets.set(step.ranges.join(' '), step.ranges)
  if (seesWords) sets.set(wordCharacters.join(' '), wordCharacters)
  const beginsAnywhere = [word, other].some((before) =>
    [edge, word, other].some((after) => close({ steps: [], before, matched: false }, after).length > 0),
  )
  const start = numberOf({ steps: [], before: edge, matched: false }) as number
  return { start, size: program.length, sets, next, accepts, fate }

  function next(from: number, codePoint: number): number | undefined {
    const key = from * (lastCodePoint + 1) + codePoint
    const known = moves.get(key)
    if (known !== undefined) return known
    const state = states[from] as State
    const fresh = state.matched ? from : numberOf(advance(state, codePoint))
    if (fresh !== undefined) moves.set(key, fresh)
    return fresh
  }

  function accepts(from: number): boolean {
    const state = states[from] as State
    if (state.matched) return true
    const known = ends.get(from)
    if (known !== undefined) return known
    const answer = close(state, edge) === 'match'
    ends.set(from, answer)
    return answer
  }

  function fate(of: number): 'matches' | 'never' | 'open' {
    const { matched, steps, before } = states[of] as State
    if (matched) return 'matches'
    return steps.length === 0 && before !== edge && !beginsAnywhere ? 'never' : 'open'
  }

  function advance(state: State, codePoint: number): State {
    const kind = includes(wordCharacters, codePoint) ? word : other
    const reached = close(state, kind)
    if (reached === 'match') return { steps: [], before: other, matched: true }
    const steps = new Set<number>()
    for (const at of reached) {
      const step = (program as readonly Step[])[at] as Step
      if (step.op === 'read' && includes(step.ranges, codePoint)) steps.add(step.to)
    }
    return { steps: [...steps].sort((a, b) => a - b), before: seesWords ? kind : other, matched: false }
  }

  /** Everything reachable without reading, between what came before and what comes next. */
  function close(state: State, after: number): readonly number[] | 'match' {
    const seen = new Set<number>([...state.steps, 0])
    const reads: number[] = []
    for (const at of seen) {
      const step = (program as readonly Step[])[at] as Step
      if (step.op === 'match') return 'match'
      if (step.op === 'read') reads.push(at)
      else if (step.op === 'fork') seen.add(step.to).add(step.other)
      else if (holds(step.what, state.before, after)) seen.add(step.to)
    }
    return reads
  }

  function numberOf(state: State): number | undefined {
    const key = state.matched ? 'matched' : `${state.before} ${state.steps.join(' ')}`
    const known = numbers.get(key)
    if (known !== undefined) return known
    if (states.length >= maxStates) return undefined
    numbers.set(key, states.length)
    return states.push(state) - 1
  }
}

function holds(what: Assertion, before: number, after: number): boolean {
  switch (what) {
    case 'start':
      return before === edge
    case 'end':
      return after === edge
    case 'boundary':
      return (before === word) !== (after === word)
    case 'inside':
      return (before === word) === (after === word)
  }
}

/** The pattern starts at step 0, which is tried again at every position: matching is a search. */
function writeProgram(node: PatternNode): readonly Step[] | undefined {
  const program: Step[] = []
  // Step 0 only leads to where the pattern begins, which is known last.
  const entry = { op: 'fork' as const, to: 0, other: 0 }
  program.push(entry, { op: 'match' })
  const begin = write(node, 1)
  if (begin === undefined) return undefined
  entry.to = begin
  entry.other = begin
  return program

  function add(step: Step): number | undefined {
    if (program.length >= maxSteps) return undefined
    return program.push(step) - 1
  }

  /** Writes the node so that it continues at `to`; returns where it begins. */
  function write(part: PatternNode, to: number): number | undefined {
    switch (part.kind) {
      case 'set':
        return add({ op: 'read', ranges: part.ranges, to })
      case 'concat':
        return part.nodes.reduceRight<number | undefined>(
          (then, child) => (then === undefined ? undefined : write(child, then)),
          to,
        )
      case 'alternatives':
        return part.nodes.reduceRight<number | undefined>((rest, child, index) => {
          if (index === part.nodes.length - 1) return write(child, to)
          const begin = write(child, to)
          return begin === undefined || rest === undefined ? undefined : add({ op: 'fork', to: begin, other: rest })
        }, to)
      case 'repeat':
        return writeRepeat(part.node, part.min, part.max, to)
      case 'start':
        return add({ op: 'assert', what: 'start', to })
      case 'end':
        return add({ op: 'assert', what: 'end', to })
      case 'word-boundary':
        return add({ op: 'assert', what: part.negate ? 'inside' : 'boundary', to })
    }
  }

  function writeRepeat(body: PatternNode, min: number, max: number, to: number): number | undefined {
    let then: number | undefined = to
    if (max === Number.POSITIVE_INFINITY) then = writeLoop(body, to)
    else {
      for (let copy = min; copy < max && then !== undefined; copy++) {
        const begin = write(body, then)
        then = begin === undefined ? undefined : add({ op: 'fork', to: begin, other: to })
      }
    }
    for (let copy = 0; copy < min && then !== undefined; copy++) then = write(body, then)
    return then
  }

  function writeLoop(body: PatternNode, to: number): number | undefined {
    const loop = { op: 'fork' as const, to, other: to }
    const at = add(loop)
    if (at === undefined) return undefined
    const begin = write(body, at)
    if (begin === undefined) return undefined
    loop.other = begin
    return at
  }
}

export function includes(ranges: CodePointRanges, codePoint: number): boolean {
  let low = 0
  let high = ranges.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const [from, to] = ranges[middle] as readonly [number, number]
    if (codePoint < from) high = middle - 1
    else if (codePoint > to) low = middle + 1
    else return true
  }
  return false
}
