// Texts for a formula on strings, for names of properties: all alternatives are tried, and their texts put together.
import { type ProverEngine, takeLiteral } from '../solver/engine.ts'
import { stepsPerFormula } from '../solver/evaluate.ts'
import type { Formula } from '../solver/formula.ts'
import { openTexts } from '../texts/texts.ts'
import type { WordAnswer, WordLimit } from '../texts/words.ts'

const maxAlternatives = 256
/** Formulas on one path; calls nest as deeply. */
const maxTaken = 1000

export function findTexts(engine: ProverEngine, formula: Formula, wanted: number): WordAnswer {
  const words = new Set<string>()
  let complete = true
  let stopped: WordLimit | undefined
  let alternatives = 0
  let isOver = false
  const taken = new Set<number>()
  visit([formula], [])
  return { words: [...words].slice(0, wanted), complete: complete && words.size <= wanted, stopped }

  /** Goes through the alternatives depth first; `literals` hold, `open` is still to be looked at. */
  function visit(open: readonly Formula[], literals: readonly Formula[]): void {
    if (words.size >= wanted) {
      complete = false
      return
    }
    if (isOver) return
    if (!engine.budget.spend(stepsPerFormula * (open.length + literals.length))) {
      stop('budget')
      return
    }
    let next = 0
    while (next < open.length && isTaken(open[next] as Formula)) next++
    const first = open[next]
    if (first === undefined) {
      ask(literals)
      return
    }
    if (taken.size >= maxTaken) {
      stop('alternatives')
      return
    }
    taken.add(first.id)
    take(first, open.slice(next + 1), literals)
    taken.delete(first.id)
  }

  /** A formula that was taken before on this path holds at its end, and so does a choice that contains it. */
  function isTaken(one: Formula): boolean {
    return taken.has(one.id) || (one.kind === 'or' && one.parts.some(({ id }) => taken.has(id)))
  }

  function take(first: Formula, rest: readonly Formula[], literals: readonly Formula[]): void {
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
        for (const part of first.parts) {
          if (isOver) return
          visit([part, ...rest], literals)
        }
    }
  }

  /** Alternatives that were not tried may have texts. */
  function stop(why: WordLimit): void {
    isOver = true
    complete = false
    stopped ??= why
  }

  function ask(literals: readonly Formula[]): void {
    if (++alternatives > maxAlternatives) {
      stop('alternatives')
      return
    }
    const domain = openTexts(engine)
    for (const formula of literals) {
      if (formula.kind !== 'literal') continue
      if (formula.literal.kind === 'whole') complete = false
      else if (!takeLiteral(domain, formula.literal)) return
    }
    const answer = domain.words(wanted)
    for (const word of answer.words) if (engine.holdsForText(formula, word)) words.add(word)
    complete &&= answer.complete
    stopped ??= answer.stopped
  }
}
