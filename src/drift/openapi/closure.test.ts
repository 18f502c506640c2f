// What leads where, against a walk over everything; and no more work than there are references.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createClosure } from './closure.ts'

type Parts = ReadonlyMap<string, { readonly hash: string; readonly references: readonly string[] }>

const closureOf = (parts: Parts) => createClosure((name) => parts.get(name) ?? { hash: 'none', references: [] })

function reached(parts: Parts, from: string): ReadonlySet<string> {
  const seen = new Set([from])
  for (const name of seen) for (const next of parts.get(name)?.references ?? []) seen.add(next)
  return seen
}

const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const
const graph = fc
  .array(fc.uniqueArray(fc.constantFrom(...names)), { minLength: names.length, maxLength: names.length })
  .map(
    (edges) => new Map(names.map((name, index) => [name, { hash: `hash of ${name}`, references: edges[index] ?? [] }])),
  )

describe('a hash of a part with all that it leads to', () => {
  it('changes with exactly the parts that can be reached, in circles as well', () => {
    fc.assert(
      fc.property(graph, fc.constantFrom(...names), fc.constantFrom(...names), (parts, from, changed) => {
        const before = closureOf(parts)(from)
        const own = parts.get(changed)
        const after = new Map(parts).set(changed, { hash: 'another', references: own?.references ?? [] })
        expect(closureOf(after)(from) !== before).toBe(reached(parts, from).has(changed))
      }),
    )
  })

  it('is the same in any order of questions', () => {
    fc.assert(
      fc.property(graph, fc.shuffledSubarray([...names], { minLength: names.length }), (parts, order) => {
        const asked = closureOf(parts)
        const found = new Map(order.map((name) => [name, asked(name)]))
        for (const name of names) expect(found.get(name)).toBe(closureOf(parts)(name))
      }),
    )
  })

  it('reads every part once, in a chain of a hundred thousand and where everything leads to everything', () => {
    let reads = 0
    const count = 100_000
    const chain = createClosure((name) => {
      reads++
      return { hash: name, references: [String((Number(name) + 1) % count)] }
    })
    chain('0')
    expect([reads, chain('7') === chain('0')]).toEqual([count, true])

    const hub = Array.from({ length: 500 }, (_, index) => `part ${index}`)
    let followed = 0
    const all = createClosure((name) => ({
      hash: name,
      get references() {
        followed++
        return hub
      },
    }))
    for (const name of hub) all(name)
    expect(followed).toBeLessThan(hub.length * hub.length * 3)
  })
})
