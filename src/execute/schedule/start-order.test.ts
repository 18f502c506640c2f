import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createStartOrder, type StartFacts } from './start-order.ts'

const call = fc.record({
  alone: fc.boolean(),
  heeds: fc.boolean(),
  gives: fc.boolean(),
  after: fc.array(fc.nat({ max: 20 }), { maxLength: 2 }),
})

describe('the order in which calls of a batch start', () => {
  it('starts every call once, each under its conditions, and never gets stuck', () => {
    fc.assert(
      fc.property(
        fc.array(call, { maxLength: 20 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 5 }),
        fc.infiniteStream(fc.nat()),
        (calls, serial, room, choices) => {
          const facts: readonly StartFacts[] = calls.map(({ alone, heeds, gives }) => ({
            alone,
            heeds,
            gives: () => gives,
          }))
          const before = (index: number) => (calls[index]?.after ?? []).filter((other) => other < index)
          const none: StartFacts = { alone: false, heeds: false, gives: () => false }
          const factsOf = (index: number) => facts[index] ?? none
          const order = createStartOrder({ size: calls.length, serial, facts: factsOf, after: before })
          const running: number[] = []
          const started = new Set<number>()
          const ended = new Set<number>()
          const judged = new Set<number>()
          const allBefore = (index: number, holds: (other: number) => boolean) =>
            calls.slice(0, index).every((_, other) => holds(other))
          for (;;) {
            for (let next = order.next(); next !== undefined; next = order.next()) {
              const index = next
              const { alone, heeds, gives } = factsOf(index)
              expect(started.has(index)).toBe(false)
              expect(before(index).every((other) => ended.has(other))).toBe(true)
              if (serial || alone) expect(allBefore(index, (other) => ended.has(other))).toBe(true)
              expect(allBefore(index, (other) => !factsOf(other).alone || ended.has(other))).toBe(true)
              if (heeds) expect(allBefore(index, (other) => !factsOf(other).gives() || ended.has(other))).toBe(true)
              if (gives()) expect(allBefore(index, (other) => !factsOf(other).heeds || judged.has(other))).toBe(true)
              started.add(index)
              running.push(index)
              if (running.length >= room) break
            }
            if (running.length === 0) break
            const place = choices.next().value % running.length
            const index = running[place] ?? 0
            if (judged.has(index) || choices.next().value % 2 === 0) {
              judged.add(index)
              ended.add(index)
              running.splice(place, 1)
              order.ended(index)
            } else {
              judged.add(index)
              order.judged(index)
            }
          }
          expect(ended.size).toBe(calls.length)
        },
      ),
    )
  })

  it('lets readers of the run go together once one of them has marked it', () => {
    let marked = false
    const reader: StartFacts = { alone: false, heeds: true, gives: () => !marked }
    const order = createStartOrder({ size: 3, serial: false, facts: () => reader, after: () => [] })
    expect([order.next(), order.next()]).toEqual([0, undefined])
    marked = true
    order.ended(0)
    expect([order.next(), order.next()]).toEqual([1, 2])
  })
})
