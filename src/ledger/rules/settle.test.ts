// What follows from how an end fits: the whole table, so that a reason that is added is looked at from every side.
import { describe, expect, it } from 'vitest'
import { consequences, everyFit, settleRule, statusConsequences } from './settle.ts'
import { casesOf, decide } from './table.ts'

describe('what follows from an end', () => {
  it('commits the transaction of a tool only where its attempt was pending up to now, and this end is written', () => {
    expect(everyFit.filter((fit) => consequences[fit].commits)).toEqual(['settled', 'settled_without_effect'])
    for (const given of casesOf(settleRule)) {
      const { commits, writes } = consequences[decide(settleRule, given)]
      if (commits && given.slot === 'there') expect([given.pending, writes]).toEqual([true, true])
    }
  })

  it('changes nothing by an end that is not written, but for what was spent twice', () => {
    for (const fit of everyFit) {
      const { writes, counts, answers, asksOwn, readsBack, frees } = consequences[fit]
      if (writes) continue
      expect([fit, answers, asksOwn, readsBack, frees]).toEqual([fit, false, false, false, false])
      expect([fit, counts]).toEqual([fit, fit === 'duplicate' ? 'again' : undefined])
    }
  })

  it('gives an approval back only where nothing happened and the operation may be tried again', () => {
    const says = (fit: string) =>
      casesOf(settleRule).flatMap((given) => (decide(settleRule, given) === fit ? given.says : []))
    const freeing = everyFit.filter((fit) => consequences[fit].frees)
    expect(freeing.flatMap((fit) => [...new Set(says(fit))])).toEqual(['none'])
    const statuses = Object.entries(statusConsequences)
    expect(statuses.filter(([, { frees }]) => frees).map(([status]) => status)).toEqual(['FAILED_RETRYABLE'])
    expect(statuses.filter(([, { ends }]) => !ends).map(([status]) => status)).toEqual(['PENDING'])
  })

  it('asks for later generations only where the database looks for them', () => {
    for (const given of casesOf(settleRule)) {
      if (given.stands === 'none' && given.says === 'happened') continue
      expect(decide(settleRule, { ...given, started_over: true })).toBe(
        decide(settleRule, { ...given, started_over: false }),
      )
    }
  })

  it('settles every end that a plain statement writes, with nothing else to do', () => {
    const plain = { sent: 'first', slot: 'there', pending: true, attempt: 'same', says: 'happened', own: true } as const
    const fitsOfPlain = casesOf(settleRule).map((given) => decide(settleRule, { ...given, ...plain }))
    expect(new Set(fitsOfPlain)).toEqual(new Set(['settled']))
    const { writes, counts, asks } = consequences.settled
    expect([writes, counts, asks, statusConsequences.COMPLETED]).toEqual([
      true,
      undefined,
      false,
      { ends: true, frees: false },
    ])
  })
})
