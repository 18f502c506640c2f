// The fast part of `npm run measure:effects`: of every row of every table a few answers, and a checker that is checked itself.
import { describe, expect, it } from 'vitest'
import { deedsOf } from '../../bench/effects/effect-table.ts'
import { faultOf, type JudgedCase, judgeTable } from '../../bench/effects/judge-tables.ts'
import { effectTables } from '../../bench/effects/tables.ts'

describe.each(effectTables)('what comes back to $executor', (table) => {
  it('is never told as another effect than the world shows, whatever it is [effect-as-the-world] [TC-185, TC-441]', async () => {
    const judged = await judgeTable(table, { casesPerRow: 4 })
    expect(judged.filter(({ fault }) => fault !== undefined)).toEqual([])
    expect(new Set(judged.map(({ said }) => said))).toEqual(new Set(['none', 'happened', 'unknown']))
  })

  it('has a word for each none and each happened', async () => {
    const stage = await table.open()
    await stage.close()
    for (const { came, effect, because } of stage.rows)
      expect([came, because !== undefined]).toEqual([came, effect === 'none' || effect === 'happened'])
  })
})

describe('the judge', () => {
  const said = (effect: JudgedCase['said'], seen: number, expected: JudgedCase['expected'] = effect as 'none') =>
    faultOf({ said: effect, seen, expected })
  it('sees a deed that is denied, one that is claimed, one that is done twice, and a word that is not that of the row', () => {
    expect(said('none', 1)).toBe('contradicts_the_world')
    expect(said('happened', 0)).toBe('contradicts_the_world')
    expect(said('unknown', 2)).toBe('done_twice')
    expect(said('unknown', 0, 'none')).toBe('not_what_the_row_says')
    expect([said('none', 0, 'any'), said('none', 1, 'any')]).toEqual([undefined, 'contradicts_the_world'])
    expect([said('none', 0), said('happened', 1), said('unknown', 0), said('unknown', 1)]).toEqual(
      Array.from({ length: 4 }),
    )
  })

  it('has both done where no word is believed', () => {
    expect((['none', 'happened', 'unknown', 'any'] as const).map((effect) => deedsOf({ effect }))).toEqual([
      ['left'],
      ['done'],
      ['done', 'left'],
      ['done', 'left'],
    ])
  })
})
