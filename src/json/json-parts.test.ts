import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashJson } from './hash.ts'
import { hashInSteps, jsonBytes, jsonHead } from './json-parts.ts'
import { inOneGo } from './slices.ts'
import type { JsonValue } from './value.ts'

const large: JsonValue = {
  text: `${'"\\\n\u{1f600}'.repeat(9_000)}é`,
  list: Array.from({ length: 9_000 }, (_, index) => ({ b: index, a: [null, true, -0.5] })),
  '': {},
  nothing: [],
}

describe('JSON in parts', () => {
  it('is the text that is written in one go', () => {
    expect(inOneGo(jsonBytes(large)).toString()).toBe(JSON.stringify(large))
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(inOneGo(jsonBytes(value as JsonValue)).toString()).toBe(JSON.stringify(value))
      }),
    )
  })

  it('has the hash of the canonical text', () => {
    expect(inOneGo(hashInSteps(large))).toBe(hashJson(large))
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(inOneGo(hashInSteps(value as JsonValue))).toBe(hashJson(value as JsonValue))
      }),
    )
  })

  it('writes no more of a beginning than is asked for', () => {
    const head = jsonHead(large, 100)
    expect(JSON.stringify(large).startsWith(head)).toBe(true)
    expect(head.length).toBeGreaterThan(100)
    expect(head.length).toBeLessThan(40_000)
    expect(jsonHead([1], 100)).toBe('[1]')
  })

  it('can stop after each part of some kilobytes', () => {
    const steps = jsonBytes(large)
    let count = 0
    while (steps.next().done !== true) count++
    expect(count).toBeGreaterThan(20)
  })
})
