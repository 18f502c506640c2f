// The engine: conjunctions of claims, split by JSON type, searched, remembered. Recursion is a least fixpoint: while a
// conjunction is being searched it counts as empty, for a value that needs itself can never be built.
import type { JsonValue } from '../json/value.ts'
import { endlessEffort } from '../schema/explain/effort.ts'
import { createJudge, type Judge } from '../schema/explain/judge.ts'
import { createRules } from '../schema/explain/rules.ts'
import type { Preprocessed } from '../schema/normal.ts'
import { type Automaton, buildAutomaton } from './automaton.ts'
import { createBudget } from './budget.ts'
import { createCompiler } from './compile.ts'
import { jsonTypes } from './domains.ts'
import type { DistinctValues, Engine } from './engine.ts'
import { holdsFor } from './evaluate.ts'
import { createFormulas, trueClaim } from './formula.ts'
import { findTexts } from './key-texts.ts'
import { listValues } from './listed-values.ts'
import type { Claim } from './literal.ts'
import { empty, found, type Gap, type Outcome, unknown } from './outcome.ts'
import { createPool } from './schema-pool.ts'
import { isPlainlyContradictory, searchType } from './search.ts'
import type { WordAnswer } from './words.ts'

/** Nesting of values, which is nesting of calls. */
const maxDepth = 150
const maxGlance = 8

interface Frame {
  readonly key: string
  readonly conjunction: readonly Claim[]
  /** Frames whose emptiness was assumed on the way. */
  readonly assumed: Set<Frame>
}

export function createEngine(r: Preprocessed, l: Preprocessed, steps: number): Engine {
  const formulas = createFormulas()
  const pool = createPool(r, l)
  const budget = createBudget(steps)
  const answers = new Map<string, Outcome>()
  const provisional = new Map<string, ReadonlySet<Frame>>()
  const frames = new Map<string, Frame>()
  const glances = new Map<string, boolean>()
  // The search has its own budget; the judge must never give up in the middle of an answer.
  const effort = endlessEffort()
  const judges = new Map<Preprocessed, Judge>()
  const verdicts = new Map<Claim, WeakMap<object, boolean>>()
  const automata = new Map<string, Automaton | undefined>()
  const textAnswers = new Map<string, WordAnswer>()
  const textTests = new Map<number, Map<string, boolean>>()
  const lists = new Map<Claim, readonly JsonValue[] | undefined>()
  const stack: Frame[] = []
  let glanceDepth = 0
  let lastPlace: Gap | undefined

  const engine: Engine = {
    formulas,
    pool,
    budget,
    solve,
    distinct,
    isPlainlyEmpty,
    accepts,
    texts(formula, wanted) {
      const key = `${formula.id} ${wanted}`
      const known = textAnswers.get(key)
      if (known !== undefined) return known
      const fresh = findTexts(engine, formula, wanted)
      textAnswers.set(key, fresh)
      return fresh
    },
    holdsForText(formula, text) {
      const tests = textTests.get(formula.id) ?? new Map<string, boolean>()
      textTests.set(formula.id, tests)
      const known = tests.get(text)
      if (known !== undefined) return known
      const fresh = holdsFor(engine, formula, text)
      tests.set(text, fresh)
      return fresh
    },
    automatonOf({ part }) {
      if (!automata.has(part.source)) automata.set(part.source, buildAutomaton(part.node))
      return automata.get(part.source)
    },
    outOfBudget() {
      lastPlace ??= placeOf(stack.at(-1)?.conjunction ?? [])
      return lastPlace
    },
    gapAt: (literal, reason) => compiler.gapAt(literal, reason),
  }
  const compiler = createCompiler(engine)
  return engine

  function solve(claims: readonly Claim[]): Outcome {
    const conjunction = normalize(claims)
    if (conjunction === undefined) return empty
    const key = conjunction.join(' ')
    const known = answers.get(key)
    if (known !== undefined) return known
    const open = frames.get(key)
    if (open !== undefined) {
      stack.at(-1)?.assumed.add(open)
      return empty
    }
    const assumed = provisional.get(key)
    if (assumed !== undefined && [...assumed].every((frame) => frames.get(frame.key) === frame)) {
      for (const frame of assumed) stack.at(-1)?.assumed.add(frame)
      return empty
    }
    if (!budget.spend()) return unknown(engine.outOfBudget())
    if (stack.length >= maxDepth) return unknown({ construct: 'depth', reason: 'The schemas nest too deeply' })
    return enter(key, conjunction)
  }

  function enter(key: string, conjunction: readonly Claim[]): Outcome {
    const frame: Frame = { key, conjunction, assumed: new Set() }
    frames.set(key, frame)
    stack.push(frame)
    const outcome = solveByType(conjunction)
    stack.pop()
    frames.delete(key)
    // The least value of this conjunction cannot contain another value of it.
    frame.assumed.delete(frame)
    if (frame.assumed.size === 0 || outcome.kind === 'value') answers.set(key, outcome)
    else {
      for (const other of frame.assumed) stack.at(-1)?.assumed.add(other)
      if (outcome.kind === 'empty') provisional.set(key, frame.assumed)
    }
    return outcome
  }

  /** L's part of a conjunction where it has one: that is what the proof is about. */
  function placeOf(conjunction: readonly Claim[]): Gap {
    const claim = conjunction.find((one) => one < 0) ?? conjunction[0] ?? trueClaim
    const { node, schema, side } = pool.entry(claim)
    const reason = 'The work budget is used up before an answer was found'
    return { construct: 'budget', reason, side, pointer: schema.sourcePointer(node) ?? '' }
  }

  function solveByType(conjunction: readonly Claim[]): Outcome {
    const candidates = finiteCandidates(conjunction)
    if (candidates !== undefined) {
      const value = candidates.find((candidate) => conjunction.every((claim) => accepts(claim, candidate)))
      return value === undefined ? empty : found(value)
    }
    let gap: Gap | undefined
    for (const type of jsonTypes) {
      const formula = formulas.and(conjunction.map((claim) => compiler.compile(claim, type)))
      const outcome = formula === formulas.no ? empty : searchType(engine, type, formula)
      if (outcome.kind === 'value') return outcome
      if (outcome.kind === 'unknown') gap ??= outcome.gap
    }
    return gap === undefined ? empty : unknown(gap)
  }

  /** The only values that can obey, if a claim lists them; the shortest such list. */
  function finiteCandidates(conjunction: readonly Claim[]): readonly JsonValue[] | undefined {
    let best: readonly JsonValue[] | undefined
    for (const claim of conjunction) {
      const own = claim < 0 ? undefined : listed(claim)
      if (own !== undefined && (best === undefined || own.length < best.length)) best = own
    }
    return best
  }

  function listed(claim: Claim): readonly JsonValue[] | undefined {
    if (!lists.has(claim)) {
      const { node, schema } = pool.entry(claim)
      lists.set(claim, listValues(node, schema))
    }
    return lists.get(claim)
  }

  function distinct(claims: readonly Claim[], wanted: number): DistinctValues {
    const values: JsonValue[] = []
    const excluding: Claim[] = []
    while (values.length < wanted) {
      const outcome = solve([...claims, ...excluding])
      if (outcome.kind === 'empty') return { values, complete: true }
      if (outcome.kind === 'unknown') return { values, complete: false, gap: outcome.gap }
      values.push(outcome.value)
      excluding.push(-pool.claimOf({ const: outcome.value }, r))
    }
    return { values, complete: false }
  }

  function isPlainlyEmpty(claims: readonly Claim[]): boolean {
    const conjunction = normalize(claims)
    if (conjunction === undefined) return true
    const key = conjunction.join(' ')
    const known = glances.get(key) ?? (answers.get(key)?.kind === 'empty' ? true : undefined)
    if (known !== undefined) return known
    if (glanceDepth >= maxGlance || !budget.spend(0.2)) return false
    // While it is being looked at, nothing is plain about it.
    glances.set(key, false)
    glanceDepth++
    const answer = looksEmpty(conjunction)
    glanceDepth--
    glances.set(key, answer)
    return answer
  }

  function looksEmpty(conjunction: readonly Claim[]): boolean {
    const candidates = finiteCandidates(conjunction)
    if (candidates !== undefined) {
      return !candidates.some((candidate) => conjunction.every((claim) => accepts(claim, candidate)))
    }
    return jsonTypes.every((type) => {
      const formula = formulas.and(conjunction.map((claim) => compiler.compile(claim, type)))
      return formula === formulas.no || isPlainlyContradictory(engine, type, formula)
    })
  }

  /** Answers about arrays and objects are kept: the items of a long array are often one and the same object. */
  function accepts(claim: Claim, value: JsonValue): boolean {
    if (typeof value !== 'object' || value === null) return judgeClaim(claim, value)
    const known = verdicts.get(claim) ?? new WeakMap<object, boolean>()
    verdicts.set(claim, known)
    const answer = known.get(value) ?? judgeClaim(claim, value)
    known.set(value, answer)
    return answer
  }

  function judgeClaim(claim: Claim, value: JsonValue): boolean {
    const { node, schema } = pool.entry(claim)
    if (typeof node === 'boolean') return node === claim > 0
    const judge = judges.get(schema) ?? createJudge(schema, createRules(schema.formats, effort), effort)
    judges.set(schema, judge)
    return judge.accepts(node, value) === claim > 0
  }

  /** Sorted, without repetition, references followed; undefined when two claims contradict each other. */
  function normalize(claims: readonly Claim[]): readonly Claim[] | undefined {
    const own = new Set<Claim>()
    for (const claim of claims) {
      const followed = compiler.follow(claim)
      if (followed === -trueClaim || own.has(-followed)) return undefined
      if (followed !== trueClaim) own.add(followed)
    }
    return [...own].sort((a, b) => a - b)
  }
}
