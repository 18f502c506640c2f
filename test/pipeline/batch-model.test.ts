// Random batches against a reference that runs their calls one after another: the same answers and the same effects, and from the facts
// alone that locks kept all calls apart and in order.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkExecutions, type Execution, executionOf } from '../../bench/batch/check-facts.ts'
import { type BatchOptions, type Proposal, ToolError } from '../../src/index.ts'
import { context, counted, open, reasonOf } from './bench-desk.ts'

interface Given {
  readonly kind: 'read' | 'add' | 'double' | 'fail'
  readonly thing: 'x' | 'y' | 'z'
  readonly turns: number
  readonly repeats: boolean
}

const call: fc.Arbitrary<Given> = fc.record({
  kind: fc.constantFrom('read', 'read', 'add', 'double', 'fail'),
  thing: fc.constantFrom('x', 'y', 'z'),
  turns: fc.nat({ max: 3 }),
  repeats: fc.boolean(),
})

const options: fc.Arbitrary<BatchOptions> = fc.record({
  maxParallel: fc.integer({ min: 1, max: 8 }),
  ordering: fc.constantFrom('preserve_terminal_order', 'allow_unordered', 'serial'),
})

/** Things with a number each: doubling and adding in another order gives another number. */
function shelf() {
  const numbers = new Map<string, number>([
    ['x', 1],
    ['y', 1],
    ['z', 1],
  ])
  const run = (kind: Given['kind'], thing: string): { n: number } => {
    const before = numbers.get(thing) ?? 0
    if (kind === 'fail') throw new ToolError('no', 'It does not work.', { effect: 'none' })
    const n = kind === 'add' ? before + 1 : kind === 'double' ? before * 2 : before
    numbers.set(thing, n)
    return { n }
  }
  return { numbers, run }
}

async function openShelf() {
  const { numbers, run } = shelf()
  const tool = (kind: Given['kind']) =>
    counted(kind === 'read' ? 'READ_ONLY' : 'MEDIUM_RISK_WRITE', {
      name: `${kind}_v1`,
      locks: ['/order_id'],
      concurrent: true,
      execute: async ({ order_id, amount = 0 }) => {
        // Read before the others had a chance, and written after: a call that runs beside it is overwritten.
        const before = numbers.get(order_id)
        for (let turn = 1; turn < amount; turn++) await new Promise((resolve) => setImmediate(resolve))
        if (before !== undefined) numbers.set(order_id, before)
        return run(kind, order_id)
      },
    }).source
  return { numbers, proviso: await open((['read', 'add', 'double', 'fail'] as const).map(tool), budgets) }
}

const budgets = { budgets: { write: 1_000_000 } }

/** What each call finds when they are made one after another, and what is left. */
function reference(calls: readonly (Given & { readonly n: number })[]) {
  const { numbers, run } = shelf()
  const done = new Map<number, unknown>()
  const found = calls.map(({ kind, thing, n }) => {
    const before = done.get(n)
    if (before !== undefined && kind !== 'read') return before
    try {
      const result = run(kind, thing)
      done.set(n, result)
      return result
    } catch {
      return 'execution_failed'
    }
  })
  return { found, numbers }
}

describe('random batches', () => {
  it('come to what their calls come to one after another, and keep apart what is locked [batch-keeps-order] [batch-answers-all] [EP-62]', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 25 }), options, async (given, how) => {
        // A repeated call is the one before it once more, under the same id.
        const calls: (Given & { readonly n: number })[] = []
        for (const each of given) {
          const last = calls.at(-1)
          calls.push(each.repeats && last !== undefined ? last : { ...each, n: calls.length })
        }
        const { numbers, proviso } = await openShelf()
        const proposals = calls.map(
          ({ kind, thing, turns, n }): Proposal => ({
            tool: `${kind}_v1`,
            arguments: { order_id: thing, amount: turns + 1, note: `n${n}` },
            callId: `c${n}`,
          }),
        )
        const answers = await proviso.callAll(proposals, context, how)
        const expected = reference(calls)
        expect(answers.map((answer) => reasonOf(answer) ?? answer.value)).toEqual(expected.found)
        expect(numbers).toEqual(expected.numbers)
        const ids = new Set(answers.map(({ observation }) => observation.tool_identity.call_id))
        const facts = await Promise.all([...ids].map((id) => proviso.calls.facts(id)))
        const findings = checkExecutions(facts.flatMap((of) => executionOf(of) ?? []))
        expect(findings).toMatchObject({ exclusivity_violations: 0, order_violations: 0 })
      }),
      { numRuns: 60 },
    )
  })
})

describe('the checker of facts', () => {
  const execution = (index: number, mode: 'shared' | 'exclusive', start: number, end: number): Execution => ({
    index,
    locks: [{ id: 'a', mode }],
    start,
    end,
  })

  it('finds a call beside a writer, and one that overtook an earlier one', () => {
    const fine = [execution(0, 'exclusive', 0, 5), execution(1, 'shared', 6, 9), execution(2, 'shared', 6, 8)]
    expect(checkExecutions(fine)).toMatchObject({ exclusivity_violations: 0, order_violations: 0, contended: 1 })
    const beside = [...fine, execution(3, 'exclusive', 7, 8)]
    expect(checkExecutions(beside)).toMatchObject({ exclusivity_violations: 1, order_violations: 1 })
    const overtaken = [execution(1, 'exclusive', 0, 5), execution(0, 'exclusive', 6, 9)]
    expect(checkExecutions(overtaken)).toMatchObject({ exclusivity_violations: 0, order_violations: 1 })
  })
})
