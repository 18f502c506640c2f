// Strings: a length, patterns as automata, formats as checks, and finite sets.
// Invariant: formats are never approximated; a text is an example only after every literal was tested on it.

import { patternPartTest, usablePattern } from '../schema/pattern-test.ts'
import { codePointLength } from '../schema/text-length.ts'
import type { Domain, Engine } from './engine.ts'
import { formatExamples, formatImplies, formatShape, textFits } from './format-facts.ts'
import { hasValue, type Literal, type LiteralOf } from './literal.ts'
import { empty, found, type Outcome, unknown } from './outcome.ts'
import { findWords, type WordAnswer } from './words.ts'

export interface TextDomain extends Domain {
  /** Up to so many different texts. */
  words(wanted: number): WordAnswer
}

const nothing: WordAnswer = { words: [], complete: true, exhausted: false }

export function openTexts(engine: Engine): TextDomain {
  let min = 0
  let max = Number.POSITIVE_INFINITY
  let allowed: readonly string[] | undefined
  const matches: LiteralOf<'match'>[] = []
  const formats: LiteralOf<'format'>[] = []
  const literals: Literal[] = []
  const fitsAll = (text: string): boolean => literals.every((literal) => fitsText(literal, text))

  return { admit, refuses, solve, words }

  function admit(literal: Literal): boolean {
    const refused = refuses(literal)
    literals.push(literal)
    if (literal.kind === 'size') {
      min = Math.max(min, literal.min)
      max = Math.min(max, literal.max)
    } else if (literal.kind === 'match') matches.push(literal)
    else if (literal.kind === 'format') formats.push(literal)
    else if (literal.kind === 'in' && literal.holds) {
      const values = literal.values.filter((value) => typeof value === 'string')
      allowed = (allowed ?? values).filter((value) => hasValue(values, value))
    }
    return !refused
  }

  function refuses(literal: Literal): boolean {
    if (allowed !== undefined) return !allowed.some((text) => fitsText(literal, text) && fitsAll(text))
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
      const fitting = allowed.filter(fitsAll)
      return { words: fitting.slice(0, wanted), complete: fitting.length <= wanted, exhausted: false }
    }
    if (min > max || contradictoryFormats()) return nothing
    const parts: { automaton: NonNullable<ReturnType<Engine['automatonOf']>>; holds: boolean }[] = []
    const examples = exampleTexts(wanted)
    if (examples.length >= wanted) return { words: examples, complete: false, exhausted: false }
    for (const literal of [...matches, ...shapesOf(formats)]) {
      const automaton = engine.automatonOf(literal)
      if (automaton === undefined) return { words: examples, complete: false, exhausted: true }
      parts.push({ automaton, holds: literal.holds })
    }
    const answer = findWords({ parts, min, max, wanted, fits: fitsAll }, engine.budget)
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

  function solve(): Outcome {
    const { words: texts, complete } = words(1)
    if (texts[0] !== undefined) return found(texts[0])
    if (complete) return empty
    const format = formats.find(({ holds }) => holds) ?? formats[0]
    if (format !== undefined)
      return unknown(engine.gapAt(format, `No text could be built for the format ${format.name}`))
    const match = matches[0]
    return unknown(
      match === undefined ? engine.outOfBudget() : engine.gapAt(match, 'The pattern is too large for its automaton'),
    )
  }
}

/** What the demanded formats look like, as patterns that may match more than the format. */
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
