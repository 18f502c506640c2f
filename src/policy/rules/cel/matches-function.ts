// `matches`: the pattern is a literal in RE2's syntax, compiled once, and found in linear time in any text.
// Invariant: the built-in engine runs only patterns that mean the same to it and that it provably runs in linear time.
import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'
import { isDeterministic, longest } from '../../../schema/patterns/determinism.ts'
import { type PatternNode, parsePattern } from '../../../schema/patterns/parse-pattern.ts'
import { bool } from '../shapes/shape.ts'
import { sum, times, units } from '../shapes/work.ts'
import type { Code, FunctionCode } from './code.ts'

/** What RE2 takes for each instruction at each character once its cache of states overflows: 100 to 130 ns, measured. */
const unitsPerInstruction = 8

/** What the built-in engine takes for each character of an attempt. */
const unitsPerStep = 1 / 4

/** Longer texts make the built-in engine run out of its backtracking stack. */
const maxNativeLength = 500_000

const require = createRequire(import.meta.url)

export function matchesFunction([of, pattern]: readonly Code[]): FunctionCode | string {
  if (typeof pattern?.literal !== 'string')
    return 'a pattern is a literal, so that it is compiled when the rule is registered'
  const { RE2JS } = require('re2js') as typeof import('re2js')
  let program: RE2JS
  try {
    program = RE2JS.compile(pattern.literal)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read'
    return `the pattern is not accepted by RE2, which runs in linear time: ${reason}`
  }
  const length = of?.shape.kind === 'text' ? of.shape.length : { most: 0 }
  const native = length.most <= maxNativeLength ? nativeTest(pattern.literal) : undefined
  const perCharacter = native?.unitsPerCharacter ?? program.programSize() * unitsPerInstruction
  return {
    shape: bool,
    work: sum(units(10), times(length, units(perCharacter))),
    run: native?.test ?? ((text: string) => program.test(text)),
  }
}

export interface NativeTest {
  readonly unitsPerCharacter: number
  test(text: string): boolean
}

/** The built-in engine for a pattern, where it may be used. */
export function nativeTest(source: string): NativeTest | undefined {
  const parsed = readsAlike(source) ? parsePattern(source) : undefined
  if (!parsed?.ok || parsed.pattern.guards.length > 0 || !isDeterministic(parsed.pattern.node)) return undefined
  const { node } = parsed.pattern
  const expression = new RegExp(source, 'u')
  return { unitsPerCharacter: unitsPerStep * attempts(node), test: (text) => expression.test(text) }
}

/** From how many places a character may be looked at: one for each branch, or each start that may reach it. */
function attempts(node: PatternNode): number {
  const branches = node.kind === 'alternatives' ? node.nodes : [node]
  return branches.reduce((total, branch) => {
    const anchored = branch.kind === 'concat' && branch.nodes[0]?.kind === 'start'
    return total + (anchored ? 1 : Math.max(1, longest(branch)))
  }, 0)
}

/** A longer pattern is run by re2js, without a look at its syntax. */
const longestJudged = 1_000

/** Only syntax that means the same to RE2 and to ECMA-262: no dot, no `\\s`, no flags, no names, no empty classes. */
function readsAlike(source: string): boolean {
  return (
    source.length <= longestJudged &&
    /^(?:[\w\u00a0-\ud7ff @#%&=:;,<>~'"`!/{}*+|$)-]|\^|\((?!\?)|\(\?:|\?|\\[dwDWb.\-/\\^$()[\]{}|*+?]|\[\^?(?:[\w\u00a0-\ud7ff @#%&=:;,<>~'"`!/{}*+|$().?]|-|\\[dwDW.\-/\\^$()[\]{}|*+?])+\])*$/.test(
      source,
    )
  )
}
