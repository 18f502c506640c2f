// Patterns, parsed once as ECMA-262 with the `u` flag and expanded to code-point sets, for validator and prover alike.
// Invariant: a parsed pattern accepts exactly what `new RegExp(source, 'u').test` accepts, and can run in linear time.
import { createRequire } from 'node:module'
import type { AST, RegExpParser } from '@eslint-community/regexpp'
import {
  anyButLineTerminators,
  type CodePointRange,
  type CodePointRanges,
  complementOf,
  digits,
  propertyRanges,
  spaces,
  unionOf,
  wordCharacters,
} from './code-points.ts'

export type PatternNode =
  /** Exactly one code point out of the ranges; lone surrogates count as code points. */
  | { readonly kind: 'set'; readonly ranges: CodePointRanges }
  | { readonly kind: 'concat'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'alternatives'; readonly nodes: readonly PatternNode[] }
  /** `max` is Infinity where there is no bound; greediness does not change what is accepted. */
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  /** Between a word character (ASCII) and another or the edge; negated: anywhere else. */
  | { readonly kind: 'word-boundary'; readonly negate: boolean }

/** A source and its tree. */
export interface PatternPart {
  readonly source: string
  readonly node: PatternNode
}

/** Lookaheads right after a leading `^` are conditions on the whole text, and so need no lookahead to run. */
interface PatternGuard extends PatternPart {
  readonly negate: boolean
}

/** A text matches when `node` is found in it, every plain guard is found too, and no negated guard is. */
export interface Pattern extends PatternPart {
  readonly guards: readonly PatternGuard[]
}

export type ParsedPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly reason: string }

const maxSourceLength = 10_000
const maxNesting = 200

const require = createRequire(import.meta.url)
let parser: RegExpParser | undefined

/** The parser is loaded at the first pattern: importing the package must not pay for it. */
function loadParser(): RegExpParser {
  if (parser === undefined) {
    const regexpp: typeof import('@eslint-community/regexpp') = require('@eslint-community/regexpp')
    parser = new regexpp.RegExpParser({ ecmaVersion: 2025 })
  }
  return parser
}

/** Reads a pattern, or says in words why it cannot be read or cannot run in linear time. */
export function parsePattern(source: string): ParsedPattern {
  if (source.length > maxSourceLength) {
    return { ok: false, reason: `it has ${source.length} characters; ${maxSourceLength} is the limit` }
  }
  try {
    const tree = loadParser().parsePattern(source, 0, source.length, { unicode: true, unicodeSets: false })
    const guards = leadingLookaheads(tree)
    if (guards.length === 0)
      return { ok: true, pattern: { source, node: alternativesOf(tree.alternatives, 0), guards: [] } }
    const rest = (tree.alternatives[0]?.elements ?? []).slice(1 + guards.length)
    const pattern: Pattern = {
      source: `^${rest.map((element) => element.raw).join('')}`,
      node: { kind: 'concat', nodes: [{ kind: 'start' }, ...rest.map((element) => elementOf(element, 0))] },
      guards: guards.map(guardOf),
    }
    return { ok: true, pattern }
  } catch (error) {
    if (error instanceof NotLinear) return { ok: false, reason: error.message }
    if (error instanceof SyntaxError) return { ok: false, reason: `it is no ECMA-262 pattern (${syntaxReason(error)})` }
    throw error
  }
}

/** Carries the reason out of the walk; it never leaves this file. */
class NotLinear extends Error {}

function syntaxReason(error: SyntaxError): string {
  return error.message.replace(/^Invalid regular expression: .*: (?=[A-Z])/su, '')
}

function leadingLookaheads(tree: AST.Pattern): readonly AST.LookaheadAssertion[] {
  const [first, ...elements] = tree.alternatives.length === 1 ? (tree.alternatives[0]?.elements ?? []) : []
  if (first?.type !== 'Assertion' || first.kind !== 'start') return []
  const guards: AST.LookaheadAssertion[] = []
  for (const element of elements) {
    if (element.type !== 'Assertion' || element.kind !== 'lookahead') break
    guards.push(element)
  }
  return guards
}

function guardOf(lookahead: AST.LookaheadAssertion): PatternGuard {
  const body = lookahead.raw.slice('(?='.length, -1)
  const nodes: PatternNode[] = [{ kind: 'start' }, alternativesOf(lookahead.alternatives, 1)]
  return { negate: lookahead.negate, source: `^(?:${body})`, node: { kind: 'concat', nodes } }
}

function alternativesOf(alternatives: readonly AST.Alternative[], depth: number): PatternNode {
  if (depth > maxNesting) throw new NotLinear(`its groups nest deeper than ${maxNesting}`)
  const nodes = alternatives.map((alternative) => concatOf(alternative.elements, depth))
  return nodes.length === 1 ? (nodes[0] as PatternNode) : { kind: 'alternatives', nodes }
}

function concatOf(elements: readonly AST.Element[], depth: number): PatternNode {
  const nodes = elements.map((element) => elementOf(element, depth))
  return nodes.length === 1 ? (nodes[0] as PatternNode) : { kind: 'concat', nodes }
}

function elementOf(element: AST.Element, depth: number): PatternNode {
  switch (element.type) {
    case 'Assertion':
      return assertionOf(element)
    case 'Quantifier':
      return { kind: 'repeat', node: elementOf(element.element, depth + 1), min: element.min, max: element.max }
    case 'Group':
      if (element.modifiers !== null) throw new NotLinear(`the modifier group ${element.raw} is not supported`)
      return alternativesOf(element.alternatives, depth + 1)
    case 'CapturingGroup':
      return alternativesOf(element.alternatives, depth + 1)
    case 'Backreference':
      throw new NotLinear(`the backreference ${element.raw} cannot run in linear time`)
    case 'Character':
      return { kind: 'set', ranges: [[element.value, element.value]] }
    case 'CharacterSet':
      return { kind: 'set', ranges: characterSet(element) }
    case 'CharacterClass':
      return { kind: 'set', ranges: characterClass(element) }
    case 'ExpressionCharacterClass':
      throw new NotLinear(`the class ${element.raw} needs the v flag`)
  }
}

function assertionOf(assertion: AST.Assertion): PatternNode {
  switch (assertion.kind) {
    case 'start':
      return { kind: 'start' }
    case 'end':
      return { kind: 'end' }
    case 'word':
      return { kind: 'word-boundary', negate: assertion.negate }
    default:
      throw new NotLinear(`the ${assertion.kind} ${assertion.raw} cannot run in linear time`)
  }
}

function characterSet(set: AST.CharacterSet): CodePointRanges {
  if (set.kind === 'any') return anyButLineTerminators
  const positive = set.kind === 'property' ? propertyRanges(propertyText(set)) : escapes[set.kind]
  return set.negate ? complementOf(positive) : positive
}

const escapes = { digit: digits, word: wordCharacters, space: spaces } as const

function propertyText({ key, value }: AST.UnicodePropertyCharacterSet): string {
  return value === null ? key : `${key}=${value}`
}

function characterClass(characters: AST.CharacterClass): CodePointRanges {
  const ranges: CodePointRange[] = []
  for (const element of characters.elements) {
    switch (element.type) {
      case 'Character':
        ranges.push([element.value, element.value])
        break
      case 'CharacterClassRange':
        ranges.push([element.min.value, element.max.value])
        break
      case 'CharacterSet':
        ranges.push(...characterSet(element))
        break
      default:
        throw new NotLinear(`the class ${characters.raw} needs the v flag`)
    }
  }
  const union = unionOf(ranges)
  return characters.negate ? complementOf(union) : union
}
