import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearestNames } from './nearest.ts'

describe('nearestNames', () => {
  it('puts first what is equal but for case and separators', () => {
    expect(nearestNames('top_issues', ['topIssue', 'topIssues', 'tips'])).toEqual(['topIssues', 'topIssue'])
    expect(nearestNames('SearchOrders', ['search-orders'])).toEqual(['search-orders'])
  })

  it('sees through namespaces on either side', () => {
    expect(nearestNames('functions.refund', ['refund', 'search'])).toEqual(['refund'])
    expect(nearestNames('create_issue', ['github__create_issue', 'create_user'])).toEqual(['github__create_issue'])
  })

  it('counts a missing, extra, wrong or exchanged letter as one edit', () => {
    for (const wrong of ['severty', 'severitty', 'sevarity', 'sevreity']) {
      expect(nearestNames(wrong, ['severity', 'summary', 'title'])).toEqual(['severity'])
    }
  })

  it('offers nothing that is merely short or merely there', () => {
    expect(nearestNames('id', ['to', 'ok'])).toEqual([])
    expect(nearestNames('amount', ['currency', 'reason'])).toEqual([])
    expect(nearestNames('', ['a'])).toEqual([])
    expect(nearestNames('---', ['___'])).toEqual([])
  })

  it('orders by distance, then by name, and stops at the limit', () => {
    expect(nearestNames('colour', ['colours', 'color', 'colour2', 'dolour'], 3)).toEqual([
      'color',
      'colour2',
      'colours',
    ])
    expect(nearestNames('colour', ['colours', 'color'], 1)).toEqual(['color'])
  })

  it('finds every name again after one edit', () => {
    const name = fc.stringMatching(/^[a-z]{4,40}$/)
    fc.assert(
      fc.property(name, fc.nat(), fc.constantFrom('drop', 'add', 'change', 'exchange'), (known, place, kind) => {
        const at = place % (known.length - 1)
        const middle = { drop: '', add: `${known[at]}z`, change: 'z', exchange: `${known[at + 1]}${known[at]}` }[kind]
        const wrong = known.slice(0, at) + middle + known.slice(at + (kind === 'exchange' ? 2 : 1))
        expect(nearestNames(wrong, [known])).toEqual([known])
      }),
    )
  })

  it('agrees with a plain table of distances', () => {
    const word = fc.stringMatching(/^[abc]{1,12}$/)
    fc.assert(
      fc.property(word, word, (a, b) => {
        const bound = Math.min(5, Math.floor(Math.max(a.length, b.length) / 3))
        expect(nearestNames(a, [b]).length === 1).toBe(a === b || distance(a, b) <= bound)
      }),
      { numRuns: 5_000 },
    )
  })

  it('bounds its work on immense names and lists', () => {
    const start = performance.now()
    nearestNames('x'.repeat(1_000_000), ['y'.repeat(1_000_000), 'x'.repeat(64)])
    nearestNames('tool_number', endlessNames())
    expect(performance.now() - start).toBeLessThan(2_000)
  })
})

function* endlessNames(): Generator<string> {
  for (let count = 0; ; count++) yield `tool_nomber${count}`
}

/** Optimal string alignment by the book: the whole table, no band. */
function distance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, row) =>
    Array.from({ length: b.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
  )
  const cell = (row: number, column: number): number => table[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= a.length; row++) {
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let cost = Math.min(
        cell(row - 1, column) + 1,
        cell(row, column - 1) + 1,
        cell(row - 1, column - 1) + (same ? 0 : 1),
      )
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        cost = Math.min(cost, cell(row - 2, column - 2) + 1)
      const line = table[row]
      if (line !== undefined) line[column] = cost
    }
  }
  return cell(a.length, b.length)
}
