// Runs patterns: on the built-in engine where that is provably linear, else on RE2.
// Invariant: every test is linear in the text, and patterns for which that cannot be are named by `usablePattern`.
import type { RE2JS } from 're2js'
import { boundedCache } from '../../json/bounded-cache.ts'
import { isDeterministic, longest } from './determinism.ts'
import { type ParsedPattern, type Pattern, type PatternPart, parsePattern } from './parse-pattern.ts'
import { countSteps, maxSteps, toRe2 } from './re2-program.ts'

export type TextTest = (text: string) => boolean

/** Texts of a million characters make the built-in engine run out of its backtracking stack. */
const maxNativeLength = 500_000

const usable = boundedCache<ParsedPattern>(1000)
const simulated = boundedCache<number>(1000)
const tests = boundedCache<TextTest>(1000)
const partTests = boundedCache<TextTest>(1000)

/** Parses a pattern and makes sure that it can run; the reason completes "The pattern cannot be used: …". */
export function usablePattern(source: string): ParsedPattern {
  return usable(source, () => {
    const parsed = parsePattern(source)
    if (!parsed.ok) return parsed
    const { pattern } = parsed
    for (const part of [pattern, ...pattern.guards]) {
      const steps = countSteps(part.node)
      if (steps <= maxSteps || (isDeterministic(part.node) && longest(part.node) <= maxNativeLength)) continue
      return { ok: false, reason: `its repetitions come to ${steps} steps; ${maxSteps} is the limit` }
    }
    return parsed
  })
}

/** How many steps RE2 may have to keep track of at each character; 0 where the built-in engine runs the pattern. */
export function simulatedSteps(source: string): number {
  return simulated(source, () => {
    const parsed = usablePattern(source)
    if (!parsed.ok) return 0
    return [parsed.pattern, ...parsed.pattern.guards]
      .filter((part) => !isDeterministic(part.node))
      .reduce((sum, part) => sum + countSteps(part.node), 0)
  })
}

/** The test for a pattern that `usablePattern` accepts; any other throws. */
export function patternTest(source: string): TextTest {
  return tests(source, () => {
    const parsed = usablePattern(source)
    if (!parsed.ok) throw new Error(`A pattern that preprocessing refuses was compiled: ${parsed.reason}`)
    return compile(parsed.pattern)
  })
}

function compile(pattern: Pattern): TextTest {
  const found = compilePart(pattern)
  if (pattern.guards.length === 0) return found
  const guards = pattern.guards.map((guard) => ({ negate: guard.negate, found: compilePart(guard) }))
  return (text) => found(text) && guards.every((guard) => guard.found(text) !== guard.negate)
}

/** The test for one part of such a pattern, a guard for example. */
export function patternPartTest(part: PatternPart): TextTest {
  return partTests(part.source, () => compilePart(part))
}

function compilePart(part: PatternPart): TextTest {
  let program: RE2JS | undefined
  const linear: TextTest = (text) => {
    program ??= toRe2(part)
    return program.test(text)
  }
  if (!isDeterministic(part.node)) return linear
  const native = new RegExp(part.source, 'u')
  if (longest(part.node) <= maxNativeLength) return (text) => native.test(text)
  return (text) => (text.length <= maxNativeLength ? native.test(text) : linear(text))
}
