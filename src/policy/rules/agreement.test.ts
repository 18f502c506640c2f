// The evaluator of cel-js is the judge: what both can run must come out alike.
import { Environment } from '@marcbachmann/cel-js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { randomArgs, randomInput, randomRule } from '../../../test/policy/random-rules.ts'
import { caller } from '../../../test/policy/rule-fixture.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { compileRules } from './compile-rules.ts'
import { judgeRules } from './judge-rules.ts'

/** As a CEL program would be handed the arguments: integers as such, numbers as doubles. */
function toCel(args: JsonObject): Record<string, unknown> {
  const whole = (value: JsonValue): unknown => {
    if (typeof value === 'number') return BigInt(value)
    if (Array.isArray(value)) return value.map(whole)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, whole(member)]))
  }
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, key === 'd' ? value : whole(value)]))
}

const environment = new Environment({ unlistedVariablesAreDyn: true })

function judgedByCel(when: string, values: JsonObject): boolean | 'error' {
  try {
    const result: unknown = environment.evaluate(when, { args: toCel(values) })
    return result === true || result === false ? result : 'error'
  } catch {
    return 'error'
  }
}

function judgedHere(when: string, values: JsonObject): boolean | 'error' | { readonly refused: string } {
  const compilation = compileRules([{ id: 'r', when, message: 'm' }], { input: randomInput })
  if (!compilation.ok) return { refused: compilation.faults.map(({ reason }) => reason).join(' ') }
  const judgement = judgeRules(compilation.rules, { args: values, context: caller })
  return judgement.kind === 'error' ? 'error' : judgement.kind === 'pass'
}

it('judges every expression as cel-js does, errors included', () => {
  let judged = 0
  fc.assert(
    fc.property(randomRule(false), randomArgs, (when, values) => {
      const here = judgedHere(when, values)
      // Only size is refused here: nothing in these expressions may be absent.
      if (typeof here === 'object') return expect(here.refused).toMatch(/units of work|no CEL|never equal/)
      judged++
      expect(here).toBe(judgedByCel(when, values))
    }),
    { numRuns: 3_000 },
  )
  expect(judged).toBeGreaterThan(2_000)
})

it('never lets a call pass that cel-js would refuse, where members may be absent', () => {
  let judged = 0
  fc.assert(
    fc.property(randomRule(true), randomArgs, (when, values) => {
      const here = judgedHere(when, values)
      if (typeof here === 'object') return
      judged++
      const there = judgedByCel(when, values)
      if (here !== 'error') expect(here).toBe(there)
    }),
    { numRuns: 3_000 },
  )
  expect(judged).toBeGreaterThan(500)
})
