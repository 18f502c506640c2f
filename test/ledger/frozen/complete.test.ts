// The data name every combination once, in the order of their dimensions, and nothing else.
import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { claimFamilies, families, sweptFamilies } from './families.ts'
import { keyOf, linesOf, rowsOf } from './rows.ts'

const postgresFamilies = [...sweptFamilies, ...claimFamilies]
const all = [...families, ...postgresFamilies]

it.each(all.map((family) => [family.name, family] as const))(
  '%s has every combination once [verdicts-are-frozen]',
  (_, family) => {
    expect(rowsOf(family).map(({ given }) => keyOf(given))).toEqual(family.combinations().map(keyOf))
    const keys = new Set(family.combinations().map(keyOf))
    expect(keys.size).toBe(family.combinations().length)
  },
)

it('says for every row what came of it, and why where the engines differ', () => {
  const wrong = all.flatMap((family) =>
    rowsOf(family).filter(({ verdict, memory, postgres, because }) => {
      if (postgresFamilies.includes(family))
        return postgres === undefined || verdict !== undefined || memory !== undefined
      if (verdict !== undefined) return memory !== undefined || postgres !== undefined || because !== undefined
      return memory === undefined || postgres === undefined || because === undefined || because.length < 20
    }),
  )
  expect(wrong).toEqual([])
})

it('has one line for each row, as JSON is written', () => {
  for (const family of all) for (const line of linesOf(family)) expect(line).toBe(JSON.stringify(JSON.parse(line)))
})

it('has no file without a family', () => {
  const files = readdirSync(new URL('./data/', import.meta.url)).sort()
  expect(files).toEqual(all.map(({ name }) => `${name}.jsonl`).sort())
})
