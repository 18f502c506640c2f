// What judging needs beyond the schema: patterns and formats, by the functions that serve the compiled validator too.
// Each costs effort by the length of what it reads; what cannot be afforded any more is not run.
import type { JsonObject } from '../../json/value.ts'
import { fitsFormat } from '../formats/formats.ts'
import type { FormatMode } from '../normal.ts'
import { patternTest, simulatedSteps, type TextTest } from '../patterns/pattern-test.ts'
import { type Effort, getOrMake } from './effort.ts'

export interface Rules {
  matches(pattern: string, text: string): boolean
  fits(format: string, value: string | number): boolean
  /** The own keys of an object. Those of the last large one are kept: listing 100,000 takes about 20 ms. */
  keys(object: JsonObject): readonly string[]
}

interface PricedTest {
  readonly test: TextTest
  /** The steps of effort that any text costs, and each character of it. */
  readonly start: number
  readonly perCharacter: number
}

/** A character costs the built-in engine and formats some 6 ns, the parser behind the format `regex` some 0.1 µs. */
const perReadCharacter = 1 / 16
const perParsedCharacter = 1
const keysPerStep = 2
const toCompile = 100

function priced(pattern: string): PricedTest {
  const test = patternTest(pattern)
  const steps = simulatedSteps(pattern)
  if (steps === 0) return { test, start: 3, perCharacter: perReadCharacter }
  return { test, start: 15, perCharacter: 1 + steps / 50 }
}

export function createRules(formats: FormatMode, effort: Effort): Rules {
  let large: JsonObject | undefined
  let largeKeys: readonly string[] = []
  const tests = new Map<string, PricedTest>()
  return {
    matches(pattern, text) {
      if (!tests.has(pattern) && !effort.spend(toCompile)) return false
      const { test, start, perCharacter } = getOrMake(tests, pattern, () => priced(pattern))
      return effort.spend(start + text.length * perCharacter) && test(text)
    },
    fits(format, value) {
      if (formats === 'annotate') return true
      const length = typeof value === 'string' ? value.length : 0
      return (
        effort.spend(1 + length * (format === 'regex' ? perParsedCharacter : perReadCharacter)) &&
        fitsFormat(format, value)
      )
    },
    keys(object) {
      if (object === large) return largeKeys
      const keys = Object.keys(object)
      effort.spend(keys.length / keysPerStep)
      if (keys.length > 100) {
        large = object
        largeKeys = keys
      }
      return keys
    },
  }
}
