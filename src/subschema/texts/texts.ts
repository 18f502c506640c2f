// Strings: a length, patterns as automata, formats as checks, and finite sets.
// Invariant: formats are never approximated; a text is an example only after every literal was tested on it.

import { codePointLength } from '../../schema/measures.ts'
import { patternPartTest, usablePattern } from '../../schema/patterns/pattern-test.ts'
import type { DistinctValues, Domain, ProverEngine } from '../solver/engine.ts'
import { hasValue, type Literal, type LiteralOf } from '../solver/formula.ts'
import { empty, type Gap, type SearchOutcome, unknown, valueFound } from '../solver/outcome.ts'
import { formatExamples, formatImplies, formatShape, textFits } from './format-facts.ts'
import { findWords, type WordAnswer, type WordLimit } from './words.ts'

export interface TextDomain extends Domain {
  /** Up to so many different texts. */
  words(wanted: number): WordAnswer
}

const nothing: WordAnswer = { words: [], complete: true, stopped: undefined }

export function openTexts(engine: ProverEngine): TextDomain {
  let min = 0
  let max = Number.POSITIVE_INFINITY
  let allowed: readonly string[] | undefined
  const matches: LiteralOf<'match'>[] = []
  const formats: LiteralOf<'format'>[] = []
  const literals: Literal[] = []
  let lengthFrom: LiteralOf<'size'> | undefined
  let tooLarge: LiteralOf<'match'> | undefined
  const fitsAll = (text: string): boolean => literals.every((literal) => fitsText(literal, text))
  const fitsPaid = (text: string): boolean => {
    engine.budget.spend(literals.length * (stepsPerTest + text.length * stepsPerSign))
    return fitsAll(text)
  }

  return { take, refuses, solve, words, several }

  function take(literal: Literal): void {
    literals.push(literal)
    // Listed texts are tested on each literal as it comes, and need no second test.
    payForList()
    allowed = allowed?.filter((text) => fitsText(literal, text))
    if (literal.kind === 'size') {
      if (literal.min > min) lengthFrom = literal
      min = Math.max(min, literal.min)
      max = Math.min(max, literal.max)
    } else if (literal.kind === 'match') matches.push(literal)
    else if (literal.kind === 'format') formats.push(literal)
    else if (literal.kind === 'in' && literal.holds) {
      allowed ??= literal.values.filter((value) => typeof value === 'string').filter(fitsAll)
    }
  }

  function payForList(): void {
    engine.budget.spend((allowed?.length ?? 0) * stepsPerTest)
  }

  function refuses(literal: Literal): boolean {
    payForList()
    if (allowed !== undefined) return !allowed.some((text) => fitsText(literal, text))
    switch (literal.kind) {
      case 'size':
        return Math.max(min, literal.min) > Math.min(max, literal.max)
      case 'in':
        return literal.holds && !literal.values.some((value) => typeof value === 'string' && fitsAll(value))
      case 'match':
        return matches.some(({ part, holds }) => holds !== literal.holds && part.source === literal.part.source)
      case 'format':
        return formats.some(
          ({ name, holds }) =>
            holds !== literal.holds && (holds ? formatImplies(name, literal.name) : formatImplies(literal.name, name)),
        )
      default:
        return false
    }
  }

  function words(wanted: number): WordAnswer {
    if (allowed !== undefined) {
      return { words: allowed.slice(0, wanted), complete: allowed.length <= wanted, stopped: undefined }
    }
    if (min > max || contradictoryFormats()) return nothing
    const parts: { automaton: NonNullable<ReturnType<ProverEngine['automatonOf']>>; holds: boolean }[] = []
    const examples = exampleTexts(wanted)
    if (examples.length >= wanted) return { words: examples, complete: false, stopped: undefined }
    for (const literal of [...matches, ...shapesOf(formats)]) {
      const automaton = engine.automatonOf(literal)
      if (automaton === undefined) {
        tooLarge = literal
        return { words: examples, complete: false, stopped: 'states' }
      }
      parts.push({ automaton, holds: literal.holds })
    }
    const answer = findWords({ parts, min, max, wanted, fits: fitsPaid }, engine.budget)
    if (answer.complete || answer.words.length >= examples.length) return answer
    return { ...answer, words: examples }
  }

  function contradictoryFormats(): boolean {
    return formats.some(
      (one) => one.holds && formats.some((other) => !other.holds && formatImplies(one.name, other.name)),
    )
  }

  function exampleTexts(wanted: number): readonly string[] {
    const demanded = formats.filter(({ holds }) => holds)
    return demanded.flatMap(({ name }) => formatExamples[name]?.filter(fitsAll) ?? []).slice(0, wanted)
  }

  function solve(): SearchOutcome {
    const { words: texts, complete, stopped } = words(1)
    if (texts[0] !== undefined) return valueFound(texts[0])
    return complete ? empty : unknown(gapFor(stopped))
  }

  function several(wanted: number): DistinctValues {
    const { words: values, complete, stopped } = words(wanted)
    return complete || values.length >= wanted ? { values, complete } : { values, complete, gap: gapFor(stopped) }
  }

  /** Says which limit was reached. */
  function gapFor(stopped: WordLimit | undefined): Gap {
    if (stopped === 'budget') return engine.outOfBudget()
    if (stopped === 'length' && lengthFrom !== undefined) {
      return engine.gapAt(lengthFrom, 'Texts as long as this are not searched for beside a pattern')
    }
    if (tooLarge !== undefined) return engine.gapAt(tooLarge, 'The pattern is too large for its automaton')
    const format = formats.find(({ holds }) => holds) ?? formats[0]
    if (format !== undefined) return engine.gapAt(format, `No text could be built for the format ${format.name}`)
    const excluding = literals.find(({ kind }) => kind === 'in')
    if (stopped === 'excluded' && excluding !== undefined) {
      return engine.gapAt(excluding, 'Too many texts are excluded one by one')
    }
    const [match] = matches
    if (match === undefined) return engine.outOfBudget()
    return engine.gapAt(match, matches.length === 1 ? 'The pattern has too many states' : manyPatterns(matches.length))
  }
}

/** Testing one literal on a text, and each character of it. */
const stepsPerTest = 0.02
const stepsPerSign = 0.001

function manyPatterns(count: number): string {
  return `The ${count} patterns that meet here have too many states together`
}

/** The demanded formats as patterns, which may match more than the format. */
function shapesOf(formats: readonly LiteralOf<'format'>[]): readonly LiteralOf<'match'>[] {
  return formats.flatMap(({ name, holds }) => {
    const source = holds ? formatShape(name) : undefined
    const parsed = source === undefined ? undefined : usablePattern(source)
    return parsed?.ok === true ? [{ kind: 'match' as const, part: parsed.pattern, holds: true }] : []
  })
}

export function fitsText(literal: Literal, text: string): boolean {
  switch (literal.kind) {
    case 'size': {
      const length = codePointLength(text)
      return length >= literal.min && length <= literal.max
    }
    case 'in':
      return hasValue(literal.values, text) === literal.holds
    case 'match':
      return patternPartTest(literal.part)(text) === literal.holds
    case 'format':
      return textFits(literal.name, text) === literal.holds
    default:
      return false
  }
}
