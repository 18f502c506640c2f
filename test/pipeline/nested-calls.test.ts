// Calls that a tool makes while it runs: under its locks, and never in a circle of waiting.
import { describe, expect, it } from 'vitest'
import type { Answer, Proviso } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import { classOf, context, counted, named, nextTurn, open, reasonOf } from './bench-desk.ts'

describe('calls that tools make', () => {
  it('run under the locks of the tool that makes them, one after another [nested-calls-do-not-deadlock]', async () => {
    let proviso: Proviso | undefined
    let running = 0
    let most = 0
    const inner = counted('LOW_RISK_INTERNAL', {
      name: 'inner_v1',
      locks: ['/order_id'],
      execute: async () => {
        most = Math.max(most, ++running)
        await nextTurn()
        running--
        return {}
      },
    })
    let answers: readonly Answer[] = []
    const outer = counted('LOW_RISK_INTERNAL', {
      name: 'outer_v1',
      locks: ['/order_id'],
      execute: async ({ order_id }) => {
        const made = ['i1', 'i2'].map((id) => named('inner_v1', `${order_id}${id}`, { order_id }))
        answers = [
          ...answers,
          ...(await Promise.all(made.map(async (each) => proviso?.call(each, context)))).filter(
            (each) => each !== undefined,
          ),
          ...((await proviso?.callAll([named('inner_v1', `${order_id}i3`, { order_id, note: 'x' })], context)) ?? []),
        ]
        return {}
      },
    })
    proviso = await open([outer.source, inner.source])
    const given = [named('outer_v1', 'a'), named('outer_v1', 'b'), named('inner_v1', 'c')]
    expect((await proviso.callAll(given, context)).map(classOf)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
    expect([answers.map(classOf), most]).toEqual([Array(6).fill('SUCCESS'), 1])
  })

  it('are refused where they would wait for a call that waits for them [nested-calls-do-not-deadlock]', async () => {
    let proviso: Proviso | undefined
    let arrived = 0
    const inner = counted('LOW_RISK_INTERNAL', { name: 'inner_v1', locks: ['/order_id'], concurrent: true })
    const reasons: (string | undefined)[] = []
    const outer = counted('LOW_RISK_INTERNAL', {
      name: 'outer_v1',
      locks: ['/order_id'],
      concurrent: true,
      execute: async ({ order_id }) => {
        arrived++
        while (arrived < 2) await nextTurn()
        const other = order_id === 'x' ? 'y' : 'x'
        const answer = await proviso?.call(named('inner_v1', `in-${order_id}`, { order_id: other }), context)
        reasons.push(answer === undefined ? 'none' : reasonOf(answer))
        return {}
      },
    })
    proviso = await open([outer.source, inner.source], { ledger: memory() })
    const answers = await proviso.callAll([named('outer_v1', 'x'), named('outer_v1', 'y')], context)
    expect(answers.map(classOf)).toEqual(['SUCCESS', 'SUCCESS'])
    expect(reasons.toSorted()).toEqual(['would_deadlock', undefined])
  })
})
