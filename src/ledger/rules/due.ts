// Which process gets work that another has left: a lost attempt, an effect to be read back, a saga that no process drives.
import { decide, type RuleTable } from './table.ts'

const yesOrNo = [true, false] as const

export type DueCase = {
  /** Its time has come. */
  readonly due: boolean
  /** Another process has looked at it last, and knows it for longer. */
  readonly watched: boolean
  /** That process has had its time to look again. */
  readonly waited: boolean
  /** The process that asks knows the contract, or the definition. */
  readonly known: boolean
  /** It has been due for so long that no process seems to know it, and the one that asks takes such work. */
  readonly orphan: boolean
}

export const dueRule: RuleTable<DueCase, 'taken' | 'left'> = {
  name: 'work_due',
  over: { due: yesOrNo, watched: yesOrNo, waited: yesOrNo, known: yesOrNo, orphan: yesOrNo },
  rows: [
    { id: 'not_yet', when: { due: false }, verdict: 'left' },
    { id: 'for_the_one_that_looked', when: { watched: true, waited: false }, verdict: 'left' },
    { id: 'known', when: { known: true }, verdict: 'taken' },
    { id: 'known_to_none', when: { orphan: true }, verdict: 'taken' },
    { id: 'for_others', when: {}, verdict: 'left' },
  ],
}

export const isTaken = (given: DueCase): boolean => decide(dueRule, given) === 'taken'

/** Of work that no process has looked at before others. */
export const openToEveryProcess = { watched: false, waited: false } as const
