import fc from 'fast-check'
import { expect, it } from 'vitest'
import { randomArgs, randomInput, randomRule } from '../../../../test/policy/random-rules.ts'
import { caller } from '../../../../test/policy/rule-fixture.ts'
import { type Code, type RuleScope, Unacceptable } from '../cel/code.ts'
import { compileExpression } from '../cel/compile-expression.ts'
import { noFacts } from '../cel/facts.ts'
import { parseRule } from '../cel/parse-rule.ts'
import { shapeOfSchema } from './schema-shape.ts'

/** Compiles so that every run of a part is counted, those of literals aside. */
function counted(when: string): { readonly code: Code; readonly steps: () => number } | undefined {
  let steps = 0
  const scope: RuleScope = {
    variables: new Map([
      ['args', { shape: shapeOfSchema(randomInput, 'args'), path: 'args', run: ({ values }) => values.args }],
    ]),
    facts: noFacts,
    seen: { args: false, context: false, state: false, locals: 0 },
    compile: (node, inside) => {
      const code = compileExpression(node, inside)
      if (code.literal !== undefined) return code
      const run: Code['run'] = (frame) => {
        steps++
        return code.run(frame)
      }
      return { ...code, run }
    },
  }
  try {
    return { code: scope.compile(parseRule(when), scope), steps: () => steps }
  } catch (error) {
    if (error instanceof Unacceptable) return undefined
    throw error
  }
}

it('never takes more steps than units were counted before', () => {
  let judged = 0
  fc.assert(
    fc.property(randomRule(true), randomArgs, (when, args) => {
      const rule = counted(when)
      if (rule === undefined) return
      judged++
      try {
        rule.code.run({ values: { args, context: caller }, locals: [] })
      } catch {
        expect(rule.code.canFail, when).toBe(true)
      }
      expect(rule.steps()).toBeLessThanOrEqual(rule.code.work.units)
    }),
    { numRuns: 3_000 },
  )
  expect(judged).toBeGreaterThan(1_500)
})
