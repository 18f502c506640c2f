import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Fact } from '../../../contract/call/fact.ts'
import type { EpochMs } from '../../../json/clock.ts'
import { factsText, storedFacts } from './facts-row.ts'

const fact = (change: Partial<Fact>): Fact => ({
  callId: 'call',
  pass: 1,
  seq: 1,
  phase: 'resolve',
  at: 1_000 as EpochMs,
  micros: 5,
  verdict: { kind: 'pass' },
  evidence: undefined,
  ...change,
})

it('gives back every fact as it was, in a third of the bytes where facts only passed', () => {
  const facts = [
    fact({}),
    fact({ seq: 2, phase: 'parse', at: 1_003 as EpochMs }),
    fact({ seq: 3, evidence: { a: [null, 0, ''] } }),
    fact({ seq: 4, verdict: { kind: 'late', effect: 'none' } }),
    fact({ seq: 5, pass: 2, verdict: { kind: 'again', from: 'parse' }, evidence: [] }),
    fact({ seq: 6, pass: 2, at: 990 as EpochMs }),
  ]
  expect(storedFacts('call', Buffer.from(factsText(facts)))).toEqual(facts)
  expect(storedFacts('call', Buffer.from(factsText([])))).toEqual([])
  const ended = [fact({ seq: 7, at: 1_010 as EpochMs })]
  expect(storedFacts('call', Buffer.from(`${factsText(facts)}\n${factsText(ended)}`))).toEqual([...facts, ...ended])
  const passed = Array.from({ length: 14 }, (_, index) => fact({ seq: index + 1 }))
  expect(factsText(passed).length * 3).toBeLessThan(JSON.stringify(passed).length)
})

it('writes what the engine would print of the same rows', () => {
  const evidence = fc.option(fc.jsonValue(), { nil: undefined })
  const verdict = fc.constantFrom<Fact['verdict']>(
    { kind: 'pass' },
    { kind: 'again', from: 'parse' },
    {
      kind: 'stop',
      class: 'TIMEOUT',
      reason: 'timeout',
      errors: [{ field: '$', expected: '"', actual: '\\', message: '\u2028\n' }],
    },
  )
  fc.assert(
    fc.property(
      fc.array(fc.record({ pass: fc.constantFrom(1, 2), at: fc.nat(), micros: fc.nat(), verdict, evidence })),
      (given) => {
        const facts = given.map((each, index) => fact({ ...each, seq: index + 1, at: each.at as EpochMs }))
        const { pass = 1, at = 0 } = facts[0] ?? {}
        const rows = facts.map((each) => {
          const passed = each.verdict.kind === 'pass' ? null : each.verdict
          const row: unknown[] = [each.seq, each.phase, each.at - at, each.micros]
          if (each.pass !== pass) return [...row, passed, each.evidence ?? null, each.pass]
          if (each.evidence !== undefined) return [...row, passed, each.evidence]
          return passed === null ? row : [...row, passed]
        })
        expect(factsText(facts)).toBe(JSON.stringify({ pass, at, facts: rows }))
      },
    ),
  )
})
