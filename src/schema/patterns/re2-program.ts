// Turns a parsed pattern into an RE2 program written only with explicit code points, groups, alternation and repetition.
// Invariant: no syntax whose meaning differs between ECMA-262 and RE2 reaches the RE2 parser.
import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'
import { type CodePointRanges, lastCodePoint } from './code-points.ts'
import type { PatternNode, PatternPart } from './parse-pattern.ts'

/** RE2 refuses counts above this, multiplied along nested repetitions. */
const maxCount = 1000

/** A program of this many steps costs some 10 µs per input character in the worst case. */
export const maxSteps = 20_000

const require = createRequire(import.meta.url)

/** Unanchored search for one part in linear time: `toRe2(part).test(text)`. */
export function toRe2(part: PatternPart): RE2JS {
  const { RE2JS } = require('re2js') as typeof import('re2js')
  return RE2JS.compile(printNode(part.node))
}

/** How many single-code-point steps the pattern has once its repetitions are written out. */
export function countSteps(node: PatternNode): number {
  switch (node.kind) {
    case 'concat':
    case 'alternatives':
      return node.nodes.reduce((sum, child) => sum + countSteps(child), 1)
    case 'repeat':
      return countSteps(node.node) * Math.max(1, node.max === Number.POSITIVE_INFINITY ? node.min + 1 : node.max)
    default:
      return 1
  }
}

function printNode(node: PatternNode): string {
  switch (node.kind) {
    case 'set':
      return printSet(node.ranges)
    case 'concat':
      return node.nodes.map((child) => (child.kind === 'alternatives' ? group(child) : printNode(child))).join('')
    case 'alternatives':
      return node.nodes.map(printNode).join('|')
    case 'repeat':
      return printRepeat(node.node, node.min, node.max)
    case 'start':
      return '\\A'
    case 'end':
      return '\\z'
    case 'word-boundary':
      return node.negate ? '\\B' : '\\b'
  }
}

function group(node: PatternNode): string {
  return `(?:${printNode(node)})`
}

function printSet(ranges: CodePointRanges): string {
  // An empty class is written as the complement of everything.
  if (ranges.length === 0) return `[^${printRange(0, lastCodePoint)}]`
  return `[${ranges.map(([from, to]) => printRange(from, to)).join('')}]`
}

function printRange(from: number, to: number): string {
  const first = `\\x{${from.toString(16)}}`
  return from === to ? first : `${first}-\\x{${to.toString(16)}}`
}

function printRepeat(body: PatternNode, min: number, max: number): string {
  const text = group(body)
  const chunk = Math.floor(maxCount / Math.max(1, nestedCount(body)))
  // Where the body alone uses up what RE2 allows, only copies are left.
  if (chunk < 2) return printCopies(text, min, max)
  const exact = splitCount(min, chunk).map((count) => `${text}{${count}}`)
  if (max === Number.POSITIVE_INFINITY) return `${exact.join('')}${text}*`
  const optional = splitCount(max - min, chunk).map((count) => `${text}{0,${count}}`)
  // The empty group stands for `x{0}`, so that an operator that follows has something to apply to.
  return [...exact, ...optional].join('') || '(?:)'
}

function printCopies(text: string, min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return `${text.repeat(min)}${text}*`
  return text.repeat(min) + `${text}?`.repeat(max - min) || '(?:)'
}

function splitCount(count: number, chunk: number): number[] {
  const counts = Array.from({ length: Math.floor(count / chunk) }, () => chunk)
  return count % chunk === 0 ? counts : [...counts, count % chunk]
}

/** The product of counts along the deepest nesting, as RE2's own check computes it. */
function nestedCount(node: PatternNode): number {
  switch (node.kind) {
    case 'concat':
    case 'alternatives':
      return node.nodes.reduce((most, child) => Math.max(most, nestedCount(child)), 1)
    case 'repeat': {
      const count = node.max === Number.POSITIVE_INFINITY ? node.min : node.max
      return Math.max(1, Math.min(count, maxCount)) * nestedCount(node.node)
    }
    default:
      return 1
  }
}
