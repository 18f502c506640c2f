// What judging needs beyond the schema: patterns and formats, by the functions that serve the compiled validator too.
import type { JsonObject } from '../../json/value.ts'
import { fitsFormat } from '../formats.ts'
import type { FormatMode } from '../normal.ts'
import { patternTest } from '../pattern-test.ts'

export interface Rules {
  matches(pattern: string, text: string): boolean
  fits(format: string, value: string | number): boolean
  /** The own keys of an object. Those of the last large one are kept: listing 100,000 takes about 20 ms. */
  keys(object: JsonObject): readonly string[]
}

export function createRules(formats: FormatMode): Rules {
  let large: JsonObject | undefined
  let largeKeys: readonly string[] = []
  return {
    matches: (pattern, text) => patternTest(pattern)(text),
    fits: (format, value) => formats === 'annotate' || fitsFormat(format, value),
    keys(object) {
      if (object === large) return largeKeys
      const keys = Object.keys(object)
      if (keys.length > 100) {
        large = object
        largeKeys = keys
      }
      return keys
    },
  }
}
