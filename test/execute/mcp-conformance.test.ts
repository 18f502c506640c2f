// The fast part of `npm run check:mcp`: the scenarios of the MCP project's conformance suite that the executor once failed, and a judge that
// is judged itself.
import { describe, expect, it } from 'vitest'
import { type Marks, missedBy, play, suites } from '../../bench/mcp-conformance/play.ts'

const suiteOf = (revision: string) => {
  const suite = suites.findLast((one) => one.revision === revision)
  if (suite === undefined) throw new Error(`No suite judges ${revision}.`)
  return suite
}

describe('the executor before the conformance suite', () => {
  it.each([
    ['2026-07-28', 'http-custom-headers', 18],
    ['2026-07-28', 'sep-2322-client-request-state', 5],
    ['2025-11-25', 'elicitation-sep1034-client-defaults', 5],
  ])(
    'passes every check: %s %s [mcp-arguments-in-headers] [mcp-host-answers-questions]',
    async (revision, scenario, checks) => {
      const marks = await play(suiteOf(revision), scenario, 'executor')
      expect(marks.problems).toEqual([])
      expect(marks.passed).toBe(checks)
    },
  )
})

it('a check that the bare client passes more often counts as missed', () => {
  const marks = (...passedChecks: string[]) => ({ passedChecks }) as unknown as Marks
  expect(missedBy(marks('a', 'b'), marks('a', 'b'))).toEqual([])
  expect(missedBy(marks('a', 'c'), marks('a', 'a', 'b'))).toEqual(['a', 'b'])
})
