// The two rules that need an engine: patterns and formats. The same functions serve the compiled validator.
import { fitsFormat } from '../formats.ts'
import type { FormatMode } from '../normal.ts'
import { patternTest } from '../pattern-test.ts'

export interface Rules {
  matches(pattern: string, text: string): boolean
  fits(format: string, value: string | number): boolean
}

export function createRules(formats: FormatMode): Rules {
  return {
    matches: (pattern, text) => patternTest(pattern)(text),
    fits: (format, value) => formats === 'annotate' || fitsFormat(format, value),
  }
}
