// Finds texts that several automata accept or refuse, of a given length, shortest and plainest first.
// Invariant: `complete` means that there are no other words; running out of budget is never complete.
import { type CodePointRanges, lastCodePoint } from '../../schema/patterns/code-points.ts'
import type { Budget } from '../solver/budget.ts'
import { type Automaton, includes } from './automaton.ts'

export interface WordQuestion {
  readonly parts: readonly { readonly automaton: Automaton; readonly holds: boolean }[]
  readonly min: number
  readonly max: number
  readonly wanted: number
  /** Words that count; others are passed over. */
  fits(word: string): boolean
}

export interface WordAnswer {
  readonly words: readonly string[]
  /** No word is missing from the list. */
  readonly complete: boolean
  /** The limit that ended the search before there were enough words. */
  readonly stopped: WordLimit | undefined
}

/** The work, the states of automata together, the length of texts, texts that other constraints exclude, alternatives. */
export type WordLimit = 'budget' | 'states' | 'length' | 'excluded' | 'alternatives'

/** States of the product, and words passed over, before the search gives up. */
const maxProduct = 8000
const maxPassedOver = 2000
const maxLengthSearched = 20_000

const stepsPerMove = 0.02
const stepsPerPair = 0.04
const stepsPerCut = 0.005
const stepsPerWord = 0.1

interface Letter {
  /** A code point of the class. */
  readonly first: number
  /** A few of its members, the plainest first. */
  readonly samples: readonly string[]
}

interface Product {
  /** For each state the states that the letters lead to. */
  readonly moves: readonly (readonly number[])[]
  readonly accepting: readonly boolean[]
  readonly letters: readonly Letter[]
}

export function findWords(question: WordQuestion, budget: Budget): WordAnswer {
  const { min, max, wanted } = question
  const product = buildProduct(question, budget)
  if (typeof product === 'string') return { words: [], complete: false, stopped: product }
  const { moves, accepting, letters } = product
  if (moves.length === 0) return { words: [], complete: true, stopped: undefined }
  const words: string[] = []
  let passedOver = 0
  let sampled = false
  let isSpent = false
  // layers[n]: from which states a text of exactly n more letters is accepted.
  const layers: (readonly boolean[])[] = [accepting]
  let barren = 0
  for (let length = 0; length <= max; length++) {
    if (length > maxLengthSearched) return { words, complete: false, stopped: 'length' }
    if (!budget.spend(0.1 + moves.length * letters.length * stepsPerMove)) isSpent = true
    if (isSpent) return { words, complete: false, stopped: 'budget' }
    if (length > 0) layers.push(previousLayer(layers[length - 1] as readonly boolean[], moves))
    const reachable = layers[length]?.[0] === true
    if (length >= min && reachable) spell(length)
    if (words.length >= wanted) return { words, complete: false, stopped: undefined }
    if (passedOver > maxPassedOver) return { words, complete: false, stopped: 'excluded' }
    barren = reachable ? 0 : barren + 1
    // An infinite language has a word in every window as long as there are states.
    if (barren > moves.length) break
  }
  if (isSpent) return { words, complete: false, stopped: 'budget' }
  return { words, complete: !sampled, stopped: sampled && words.length < wanted ? 'excluded' : undefined }

  /** All words of one length, as far as they are wanted; depth first, with a stack of its own. */
  function spell(length: number): void {
    const path: { state: number; letter: number; sample: number }[] = [{ state: 0, letter: 0, sample: 0 }]
    const text: string[] = []
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      if (words.length >= wanted || passedOver > maxPassedOver || isSpent) return
      const rest = length - text.length
      if (rest === 0) {
        const word = text.join('')
        if (!budget.spend(stepsPerWord + length * stepsPerMove)) isSpent = true
        if (question.fits(word)) words.push(word)
        else passedOver++
        path.pop()
        text.pop()
        continue
      }
      const step = nextStep(top, rest)
      if (step === undefined) {
        path.pop()
        text.pop()
        continue
      }
      text.push(step.sample)
      path.push({ state: step.to, letter: 0, sample: 0 })
    }
  }

  function nextStep(
    top: { state: number; letter: number; sample: number },
    rest: number,
  ): { readonly to: number; readonly sample: string } | undefined {
    const layer = layers[rest - 1] as readonly boolean[]
    for (; top.letter < letters.length; top.letter++, top.sample = 0) {
      const to = moves[top.state]?.[top.letter] as number
      if (layer[to] !== true) continue
      const { samples } = letters[top.letter] as Letter
      const sample = samples[top.sample]
      if (sample === undefined) {
        if (samples.length >= samplesPerLetter) sampled = true
        continue
      }
      top.sample++
      return { to, sample }
    }
    return undefined
  }
}

function previousLayer(layer: readonly boolean[], moves: readonly (readonly number[])[]): readonly boolean[] {
  return moves.map((targets) => targets.some((target) => layer[target] === true))
}

/** Pairs of a part and its state, one after the other; parts that no further text can change are left out. */
type Tuple = readonly number[]

function buildProduct({ parts }: WordQuestion, budget: Budget): Product | WordLimit {
  const letters = lettersOf(
    parts.map(({ automaton }) => automaton),
    budget,
  )
  const tuples: Tuple[] = []
  const numbers = new Map<string, number>()
  const moves: (readonly number[])[] = []
  const accepting: boolean[] = []
  enter(parts.flatMap(({ automaton }, index) => [index, automaton.start]))
  for (let at = 0; at < tuples.length; at++) {
    const from = tuples[at] as Tuple
    if (at > maxProduct) return 'states'
    if (!budget.spend(1 + letters.length * (0.125 + (from.length / 2) * stepsPerPair))) return 'budget'
    const targets: number[] = []
    for (const { first } of letters) {
      const tuple = advance(parts, from, first)
      if (tuple === undefined) return 'states'
      targets.push(tuple === 'dead' ? nowhere : enter(tuple))
    }
    moves.push(targets)
  }
  return withoutDeadEnds({ moves, accepting, letters })

  function enter(tuple: Tuple): number {
    const key = tuple.join(' ')
    const known = numbers.get(key)
    if (known !== undefined) return known
    numbers.set(key, tuples.length)
    accepting.push(isAccepting(parts, tuple))
    return tuples.push(tuple) - 1
  }
}

function isAccepting(parts: WordQuestion['parts'], tuple: Tuple): boolean {
  for (let at = 0; at < tuple.length; at += 2) {
    const { automaton, holds } = parts[tuple[at] as number] as WordQuestion['parts'][number]
    if (automaton.accepts(tuple[at + 1] as number) !== holds) return false
  }
  return true
}

/** The tuple after one more letter; dead when a part is decided the wrong way, undefined when there are too many states. */
function advance(parts: WordQuestion['parts'], from: Tuple, codePoint: number): Tuple | 'dead' | undefined {
  const to: number[] = []
  for (let at = 0; at < from.length; at += 2) {
    const index = from[at] as number
    const { automaton, holds } = parts[index] as WordQuestion['parts'][number]
    const state = automaton.next(from[at + 1] as number, codePoint)
    if (state === undefined) return undefined
    const fate = automaton.fate(state)
    if (fate === 'open') to.push(index, state)
    else if ((fate === 'matches') !== holds) return 'dead'
  }
  return to
}

/** Keeps the states from which an accepting one can be reached; of a product that accepts nothing, no state is left. */
function withoutDeadEnds({ moves, accepting, letters }: Product): Product {
  const alive = new Set<number>()
  const sources = moves.map((): number[] => [])
  for (const [from, targets] of moves.entries()) for (const to of targets) sources[to]?.push(from)
  for (const [state, accepts] of accepting.entries()) if (accepts) alive.add(state)
  for (const state of alive) for (const from of sources[state] ?? []) alive.add(from)
  if (!alive.has(0)) return { moves: [], accepting: [], letters }
  const kept = [...alive].sort((a, b) => a - b)
  const renamed = new Map(kept.map((state, index) => [state, index]))
  return {
    moves: kept.map((state) => (moves[state] as readonly number[]).map((to) => renamed.get(to) ?? nowhere)),
    accepting: kept.map((state) => accepting[state] === true),
    letters,
  }
}

/** A state that is in no layer. */
const nowhere = -1

const plain = [...'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. /:@,+#!?=&%$*~();\'"<>[]{}|^`\\']
const ranks: ReadonlyMap<number, number> = new Map(plain.map((sign, rank) => [sign.charCodeAt(0), rank]))
const samplesPerLetter = 200

/** The classes within which all code points are alike to every automaton, plainest first. */
function lettersOf(automata: readonly Automaton[], budget: Budget): readonly Letter[] {
  const sets = distinctSets(automata, budget)
  const cuts = new Set([0, 0xd800, 0xe000])
  for (const ranges of sets) {
    for (const [from, to] of ranges) cuts.add(from).add(to + 1)
  }
  const starts = [...cuts].filter((cut) => cut <= lastCodePoint).sort((a, b) => a - b)
  budget.spend(starts.length * sets.length * stepsPerCut)
  const classes = new Map<string, [number, number][]>()
  for (const [index, first] of starts.entries()) {
    const last = (starts[index + 1] ?? lastCodePoint + 1) - 1
    const isSurrogate = first >= 0xd800 && first <= 0xdfff
    const key = `${isSurrogate} ${sets.map((ranges) => (includes(ranges, first) ? 1 : 0)).join('')}`
    const own = classes.get(key)
    if (own === undefined) classes.set(key, [[first, last]])
    else own.push([first, last])
  }
  return [...classes.values()].map(letterOf).sort((a, b) => rankOf(a.first) - rankOf(b.first))
}

function distinctSets(automata: readonly Automaton[], budget: Budget): readonly CodePointRanges[] {
  const sets = new Map<string, CodePointRanges>()
  for (const { sets: own } of automata) {
    budget.spend(own.size * stepsPerMove)
    for (const [text, ranges] of own) sets.set(text, ranges)
  }
  return [...sets.values()]
}

function letterOf(ranges: readonly (readonly [number, number])[]): Letter {
  const isMember = (code: number): boolean => ranges.some(([from, to]) => code >= from && code <= to)
  const samples = plain.filter((sign) => isMember(sign.charCodeAt(0)))
  // Control characters come last: people read witnesses.
  const others = ranges.filter(([, to]) => to >= 32).concat(ranges.filter(([, to]) => to < 32))
  for (const [from, to] of others) {
    for (let code = from; code <= to && samples.length < samplesPerLetter; code++) {
      if (!ranks.has(code)) samples.push(String.fromCodePoint(code))
    }
  }
  return { first: samples[0]?.codePointAt(0) as number, samples }
}

function rankOf(code: number): number {
  if (code >= 0xd800 && code <= 0xdfff) return 3_000_000
  return ranks.get(code) ?? (code < 32 ? 2_000_000 : 1_000_000)
}
