import { expect, it } from 'vitest'
import { usablePattern } from '../../schema/patterns/pattern-test.ts'
import { createSeeded, type Seeded } from '../generate/seeded.ts'
import { createBudget } from '../solver/budget.ts'
import { type Automaton, buildAutomaton } from './automaton.ts'
import { findWords } from './words.ts'

const patterns = [
  '',
  'a',
  '^a',
  'a$',
  '^a$',
  '^a|b$',
  '^(a|b)$',
  '(^a|b)c',
  'a(b|$)',
  '^[^a]*$',
  '^.*$',
  'a{2,3}',
  '^(ab?){2}$',
  '\\bab\\b',
  'a\\Bb',
  '^$',
  '^\\s*$',
  '\\d+',
  '(?:^|-)a+(?:-|$)',
  '^(a|ab)(c|bcd)$',
  'a*',
  '^a{0}$',
  'b^a',
  'a$b',
  '[]',
  '[^]',
  '^(?:a|)$',
]
const alphabet = ['a', 'b', 'c', 'd', '-', '1', '\n', ' ', 'é', '😀']

function automatonOf(source: string): Automaton {
  const parsed = usablePattern(source)
  const automaton = parsed.ok ? buildAutomaton(parsed.pattern.node) : undefined
  if (automaton === undefined) throw new Error(`no automaton for ${source}`)
  return automaton
}

function matches(automaton: Automaton, text: string): boolean {
  let state = automaton.start
  for (const sign of text) state = automaton.next(state, sign.codePointAt(0) as number) as number
  return automaton.accepts(state)
}

it.each(patterns)('agrees with the built-in engine on %j', (source) => {
  const automaton = automatonOf(source)
  const expected = new RegExp(source, 'u')
  const texts = ['', ...alphabet]
  for (const one of alphabet)
    for (const two of alphabet) for (const three of ['', ...alphabet]) texts.push(one + two + three)
  texts.push('abcd', 'abab', 'abbcd', 'aaaa', '-aa-', 'x-aa', 'abc', 'aaaaa')
  expect(texts.filter((text) => matches(automaton, text) !== expected.test(text))).toEqual([])
})

it.each([
  ['^[ab]{2}$', 4],
  ['^(a|ab)(b|)$', 3],
  ['^$', 1],
  ['a$b', 0],
])('lists all words of the finite language %j', (source, count) => {
  const question = {
    parts: [{ automaton: automatonOf(source), holds: true }],
    min: 0,
    max: Number.POSITIVE_INFINITY,
    wanted: 100,
    fits: () => true,
  }
  const answer = findWords(question, createBudget(100_000))
  expect(answer).toMatchObject({ complete: true, stopped: undefined })
  expect(new Set(answer.words).size).toBe(count)
})

it('never calls a search complete that ran out of budget [unknown-is-never-empty]', () => {
  const question = {
    parts: [{ automaton: automatonOf('^(a|b)*a(a|b){9}$'), holds: true }],
    min: 0,
    max: 3,
    wanted: 1,
    fits: () => true,
  }
  expect(findWords(question, createBudget(10))).toEqual({ words: [], complete: false, stopped: 'budget' })
})

it('finds words of an exact length', () => {
  const parts = [
    { automaton: automatonOf('^(ab)*$'), holds: true },
    { automaton: automatonOf('aba'), holds: false },
  ]
  const answer = findWords({ parts, min: 1, max: 50, wanted: 3, fits: () => true }, createBudget(100_000))
  expect(answer).toEqual({ words: ['ab'], complete: true, stopped: undefined })
})

const pieces = ['a', 'b', '-', '1', '.', '\\w', '\\W', '\\s', '[ab]', '[^a]', '^', '$', '\\b', '\\B']

function randomPattern(seeded: Seeded, depth: number): string {
  const piece = (): string => {
    if (depth === 0 || seeded.chance(0.6)) return seeded.pick(pieces)
    return `(?:${randomPattern(seeded, depth - 1)})${seeded.pick(['', '*', '+', '?', '{2}', '{0,2}'])}`
  }
  const sequence = (): string => Array.from({ length: seeded.below(4) }, piece).join('')
  return seeded.chance(0.4) ? `${sequence()}|${sequence()}` : sequence()
}

it('agrees with the built-in engine on random patterns, anchors and boundaries anywhere', () => {
  const seeded = createSeeded(23)
  const signs = ['a', 'b', '-', '1', '\n', 'é']
  const texts = [
    '',
    ...signs,
    ...signs.flatMap((one) => signs.flatMap((two) => [one + two, `${one}${two}a`, `b${one}${two}`])),
  ]
  const wrong: string[] = []
  for (let round = 0; round < 600; round++) {
    const source = randomPattern(seeded, 2)
    const automaton = automatonOf(source)
    const expected = new RegExp(source, 'u')
    const text = texts.find((one) => matches(automaton, one) !== expected.test(one))
    if (text !== undefined) wrong.push(`${source} on ${JSON.stringify(text)}`)
  }
  expect(wrong).toEqual([])
})

it.each(patterns)('calls a text decided only where nothing that follows changes it, for %j', (source) => {
  const automaton = automatonOf(source)
  const expected = new RegExp(source, 'u')
  const ends = ['', ...alphabet, ...alphabet.flatMap((one) => alphabet.map((two) => one + two))]
  for (const begin of ['', ...alphabet, 'ab', 'ba', 'a-', 'aa', 'ab-ab', '1a', 'abcd']) {
    let state = automaton.start
    for (const sign of begin) state = automaton.next(state, sign.codePointAt(0) as number) as number
    const fate = automaton.fate(state)
    if (fate === 'open') continue
    expect(ends.filter((end) => expected.test(begin + end) !== (fate === 'matches'))).toEqual([])
  }
})

it('drops patterns that can no longer match, so that many of them are no more work than a few', () => {
  const parts = Array.from({ length: 60 }, (_, index) => ({ automaton: automatonOf(`^w${index}x`), holds: false }))
  const budget = createBudget(2000)
  const some = { automaton: automatonOf('^w'), holds: true }
  const answer = findWords({ parts: [some, ...parts], min: 4, max: 4, wanted: 1, fits: () => true }, budget)
  expect(answer).toMatchObject({ words: ['waaa'], stopped: undefined })
})
