// The engine: conjunctions of claims, split by JSON type, searched, remembered. Recursion is a least fixpoint: while a
// conjunction is being searched it counts as empty, for a value that needs itself can never be built.
import { canonicalize } from '../../json/canonical.ts'
import type { JsonValue } from '../../json/value.ts'
import { createJudge } from '../../schema/judge/accept.ts'
import type { Judge } from '../../schema/judge/judge.ts'
import type { Preprocessed } from '../../schema/normal.ts'
import { createCompiler } from '../keywords/compile.ts'
import { keywordPlace } from '../keywords/keyword-place.ts'
import { createTagReader } from '../keywords/tag-reader.ts'
import { areApart } from '../keywords/tags.ts'
import { findTexts } from '../objects/key-texts.ts'
import { createPool } from '../references/schema-pool.ts'
import { type Automaton, buildAutomaton } from '../texts/automaton.ts'
import type { WordAnswer } from '../texts/words.ts'
import { createBudget, paidEffort } from './budget.ts'
import { createCandidates } from './candidates.ts'
import { jsonTypes } from './domains.ts'
import type { DistinctValues, ProverEngine } from './engine.ts'
import { holdsFor } from './evaluate.ts'
import { type SchemaClaim, trueClaim } from './formula.ts'
import { createFormulas } from './formulas.ts'
import { empty, type Gap, type ProofSide, type SearchOutcome, unknown, valueFound } from './outcome.ts'
import { isPlainlyContradictory, searchSeveral, searchType } from './search.ts'

/** Levels of a value; calls nest as deeply. */
const maxDepth = 150
const maxGlance = 8
const stepsPerClaim = 0.02
const stepsPerConjunct = 0.1
const stepsPerConstant = 0.005
const stepsPerAutomatonStep = 0.05

interface Frame {
  readonly key: string
  readonly conjunction: readonly SchemaClaim[]
  /** Frames that counted as empty while this one was searched. */
  readonly assumed: Set<Frame>
}

export function createEngine(r: Preprocessed, l: Preprocessed, steps: number): ProverEngine {
  const budget = createBudget(steps)
  const formulas = createFormulas(budget.spend)
  const pool = createPool(r, l)
  const answers = new Map<string, SearchOutcome>()
  const provisional = new Map<string, ReadonlySet<Frame>>()
  const frames = new Map<string, Frame>()
  const glances = new Map<string, boolean>()
  const effort = paidEffort(budget)
  const judges = new Map<Preprocessed, Judge>()
  const verdicts = new Map<SchemaClaim, WeakMap<object, boolean>>()
  const automata = new Map<string, Automaton | undefined>()
  const textAnswers = new Map<string, WordAnswer>()
  const textTests = new Map<number, Map<string, boolean>>()
  const severals = new Map<string, DistinctValues>()
  const stack: Frame[] = []
  let glanceDepth = 0
  let lastPlace: Gap | undefined

  const candidates = createCandidates({ pool, budget, accepts })
  const engine: ProverEngine = {
    formulas,
    pool,
    budget,
    solve,
    distinct,
    isPlainlyEmpty,
    accepts,
    constant: (value) => pool.claimOf({ const: value }, r),
    tags: createTagReader({
      compile: (claim, type) => compiler.compile(claim, type),
      listed: candidates.listed,
      spend: budget.spend,
    }),
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
      if (!automata.has(part.source)) {
        const fresh = buildAutomaton(part.node)
        budget.spend((fresh?.size ?? 0) * stepsPerAutomatonStep)
        automata.set(part.source, fresh)
      }
      return automata.get(part.source)
    },
    outOfBudget() {
      const reason = 'The work budget is used up before an answer was found'
      lastPlace ??= { construct: 'budget', reason, ...placeOf(stack.at(-1)?.conjunction ?? []) }
      return lastPlace
    },
    gapAt: (literal, reason) => compiler.gapAt(literal, reason),
  }
  const compiler = createCompiler(engine)
  return engine

  function solve(claims: readonly SchemaClaim[]): SearchOutcome {
    const conjunction = normalize(claims)
    if (conjunction === undefined) return empty
    const key = conjunction.join(' ')
    const isPaid = budget.spend(stepsPerClaim * claims.length)
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
    if (!isPaid || !budget.spend(1 + conjunction.length * stepsPerConjunct)) return unknown(engine.outOfBudget())
    if (isApart(conjunction)) {
      answers.set(key, empty)
      return empty
    }
    if (stack.length >= maxDepth) return unknown({ construct: 'depth', reason: 'The schemas nest too deeply' })
    return enter(key, conjunction)
  }

  function enter(key: string, conjunction: readonly SchemaClaim[]): SearchOutcome {
    const frame: Frame = { key, conjunction, assumed: new Set() }
    frames.set(key, frame)
    stack.push(frame)
    const outcome = withPlace(solveByType(conjunction), conjunction)
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

  /** The place of L's part of a conjunction, if it has one: the proof is about that part. */
  function placeOf(conjunction: readonly SchemaClaim[]): { readonly side: ProofSide; readonly pointer: string } {
    for (const claim of [...conjunction.filter((one) => one < 0), ...conjunction]) {
      const { node, schema, side } = pool.entry(claim)
      const pointer = schema.sourcePointer(node)
      // A schema that the prover made itself, for example a constant to exclude, has no place.
      if (pointer !== undefined) return { side, pointer }
    }
    return { side: 'l', pointer: '' }
  }

  function withPlace(outcome: SearchOutcome, conjunction: readonly SchemaClaim[]): SearchOutcome {
    if (outcome.kind !== 'unknown' || outcome.gap.pointer !== undefined) return outcome
    // Schemas that must hold come before schemas that must not.
    const entries = conjunction.toSorted((a, b) => b - a).map(pool.entry)
    return unknown({ ...outcome.gap, ...(keywordPlace(entries, outcome.gap.construct) ?? placeOf(conjunction)) })
  }

  /** True only if no value obeys: some place would have to hold two constants. */
  function isApart(conjunction: readonly SchemaClaim[]): boolean {
    if (conjunction.length < 2) return false
    const tags = conjunction.map((claim) => engine.tags.ofClaims([claim]))
    for (const own of tags) for (const values of own.values()) budget.spend(values.size * stepsPerConstant)
    return areApart(tags)
  }

  function solveByType(conjunction: readonly SchemaClaim[]): SearchOutcome {
    const listed = candidates.fitting(conjunction, 1)
    if (listed === 'spent') return unknown(engine.outOfBudget())
    if (listed !== undefined) {
      const [value] = listed.values()
      return value === undefined ? empty : valueFound(value)
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

  function distinct(claims: readonly SchemaClaim[], wanted: number): DistinctValues {
    const conjunction = normalize(claims)
    if (conjunction === undefined) return { values: [], complete: true }
    const key = conjunction.join(' ')
    const known = severals.get(key)
    if (known !== undefined && (known.complete || known.values.length >= wanted)) return known
    // A frame of its own shows whether another frame counted as empty meanwhile: then the list is not final.
    const frame: Frame = { key: `several ${key}`, conjunction, assumed: new Set() }
    // Values of a recursive schema are varied by values of itself: that question is answered one by one.
    const isRecursive = stack.length >= maxDepth || stack.some((other) => other.key === frame.key)
    stack.push(frame)
    const fresh = listDistinct(conjunction, wanted, !isRecursive)
    stack.pop()
    if (frame.assumed.size === 0) severals.set(key, fresh)
    for (const other of frame.assumed) stack.at(-1)?.assumed.add(other)
    return fresh
  }

  /** As many at a time as the domains hand out, then one by one, excluding what was found. */
  function listDistinct(conjunction: readonly SchemaClaim[], wanted: number, manyAtOnce: boolean): DistinctValues {
    const listed = candidates.fitting(conjunction, Number.POSITIVE_INFINITY)
    if (listed === 'spent') return { values: [], complete: false, gap: engine.outOfBudget() }
    if (listed !== undefined) return { values: [...listed.values()], complete: true }
    const values = new Map<string, JsonValue>()
    let isAll = manyAtOnce
    for (const type of manyAtOnce ? jsonTypes : []) {
      const formula = formulas.and(conjunction.map((claim) => compiler.compile(claim, type)))
      if (formula === formulas.no) continue
      const several = searchSeveral(engine, type, formula, wanted - values.size)
      for (const value of several.values) values.set(canonicalize(value), value)
      if (values.size >= wanted) return { values: [...values.values()], complete: false }
      isAll &&= several.complete
    }
    if (isAll) return { values: [...values.values()], complete: true }
    const excluding = [...values.values()].map((value) => -engine.constant(value))
    for (;;) {
      const outcome = solve([...conjunction, ...excluding])
      if (outcome.kind === 'empty') return { values: [...values.values()], complete: true }
      if (outcome.kind === 'unknown') return { values: [...values.values()], complete: false, gap: outcome.gap }
      values.set(canonicalize(outcome.value), outcome.value)
      if (values.size >= wanted) return { values: [...values.values()], complete: false }
      excluding.push(-engine.constant(outcome.value))
    }
  }

  function isPlainlyEmpty(claims: readonly SchemaClaim[]): boolean {
    const conjunction = normalize(claims)
    if (conjunction === undefined) return true
    const key = conjunction.join(' ')
    budget.spend(stepsPerClaim * claims.length)
    const known = glances.get(key) ?? (answers.get(key)?.kind === 'empty' ? true : undefined)
    if (known !== undefined) return known
    if (glanceDepth >= maxGlance || !budget.spend(0.2)) return false
    if (isApart(conjunction)) {
      glances.set(key, true)
      return true
    }
    // While the conjunction is being looked at, it counts as not plainly empty.
    glances.set(key, false)
    glanceDepth++
    const answer = looksEmpty(conjunction)
    glanceDepth--
    glances.set(key, answer)
    return answer
  }

  function looksEmpty(conjunction: readonly SchemaClaim[]): boolean {
    const listed = candidates.fitting(conjunction, 1)
    if (listed !== undefined) return listed !== 'spent' && listed.size === 0
    return jsonTypes.every((type) => {
      const formula = formulas.and(conjunction.map((claim) => compiler.compile(claim, type)))
      return formula === formulas.no || isPlainlyContradictory(engine, type, formula)
    })
  }

  /** Answers about arrays and objects are kept: the items of a long array are often one and the same object. */
  function accepts(claim: SchemaClaim, value: JsonValue): boolean {
    if (typeof value !== 'object' || value === null) return judgeClaim(claim, value)
    const known = verdicts.get(claim) ?? new WeakMap<object, boolean>()
    verdicts.set(claim, known)
    const answer = known.get(value) ?? judgeClaim(claim, value)
    known.set(value, answer)
    return answer
  }

  function judgeClaim(claim: SchemaClaim, value: JsonValue): boolean {
    const { node, schema } = pool.entry(claim)
    if (typeof node === 'boolean') return node === claim > 0
    const judge = judges.get(schema) ?? createJudge(schema, effort)
    judges.set(schema, judge)
    return judge.accepts(node, value) === claim > 0
  }

  /** Sorted, without repetition, references followed; undefined when two claims contradict each other. */
  function normalize(claims: readonly SchemaClaim[]): readonly SchemaClaim[] | undefined {
    const own = new Set<SchemaClaim>()
    for (const claim of claims) {
      const followed = compiler.follow(claim)
      if (followed === -trueClaim || own.has(-followed)) return undefined
      if (followed !== trueClaim) own.add(followed)
    }
    return [...own].sort((a, b) => a - b)
  }
}
