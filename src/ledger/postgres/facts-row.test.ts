import { expect, it } from 'vitest'
import type { Fact } from '../../contract/fact.ts'
import type { EpochMs } from '../../json/clock.ts'
import { factsOf, factsText } from './facts-row.ts'

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
  expect(factsOf('call', Buffer.from(factsText(facts)))).toEqual(facts)
  expect(factsOf('call', Buffer.from(factsText([])))).toEqual([])
  expect(factsOf('call', Buffer.from(factsText(facts, { call: 'ab' })))).toEqual(facts)
  const passed = Array.from({ length: 14 }, (_, index) => fact({ seq: index + 1 }))
  expect(factsText(passed).length * 3).toBeLessThan(JSON.stringify(passed).length)
})
