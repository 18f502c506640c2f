// Texts for a formula on strings, for names of properties: all alternatives are tried, and their texts put together.
import type { Engine } from './engine.ts'
import type { Formula } from './formula.ts'
import { openTexts } from './texts.ts'
import type { WordAnswer } from './words.ts'

const maxAlternatives = 256

export function findTexts(engine: Engine, formula: Formula, wanted: number): WordAnswer {
  const words = new Set<string>()
  let complete = true
  let exhausted = false
  let alternatives = 0
  visit([formula], [])
  return { words: [...words].slice(0, wanted), complete: complete && words.size <= wanted, exhausted }

  /** Goes through the alternatives depth first; `literals` hold, `open` is still to be looked at. */
  function visit(open: readonly Formula[], literals: readonly Formula[]): void {
    if (words.size >= wanted) {
      complete = false
      return
    }
    const [first, ...rest] = open
    if (first === undefined) {
      ask(literals)
      return
    }
    switch (first.kind) {
      case 'constant':
        if (first.value) visit(rest, literals)
        return
      case 'literal':
        visit(rest, [...literals, first])
        return
      case 'and':
        visit([...first.parts, ...rest], literals)
        return
      case 'or':
        for (const part of first.parts) visit([part, ...rest], literals)
    }
  }

  function ask(literals: readonly Formula[]): void {
    if (++alternatives > maxAlternatives) {
      complete = false
      exhausted = true
      return
    }
    const domain = openTexts(engine)
    for (const formula of literals) {
      if (formula.kind !== 'literal') continue
      if (formula.literal.kind === 'whole') complete = false
      else if (!domain.admit(formula.literal)) return
    }
    const answer = domain.words(wanted)
    for (const word of answer.words) if (engine.holdsForText(formula, word)) words.add(word)
    complete &&= answer.complete
    exhausted ||= answer.exhausted
  }
}
