// Which record of a call is kept when a pass of it is written: the one that the pass brings, or the one from before.
import { decide, type RuleTable } from './table.ts'

export type StandingCase = {
  /** The same entry was written before. */
  readonly again: boolean
  /** The pass only learned of another pass that is under way. */
  readonly looks_on: boolean
  /** The pass was never admitted. */
  readonly yields: boolean
  /** Its end came late. */
  readonly late: boolean
  /** It says that the effect happened. */
  readonly happened: boolean
  /** A pass of its number, or a later one, has written a record. */
  readonly newer: boolean
}

export type Standing = 'written' | 'stays'

const yesOrNo = [true, false] as const

export const standingRule: RuleTable<StandingCase, Standing> = {
  name: 'standing_record',
  over: {
    again: yesOrNo,
    looks_on: yesOrNo,
    yields: yesOrNo,
    late: yesOrNo,
    happened: yesOrNo,
    newer: yesOrNo,
  },
  rows: [
    { id: 'sent_again', when: { again: true }, verdict: 'stays' },
    { id: 'looked_on', when: { looks_on: true }, verdict: 'stays' },
    { id: 'yields_to_newer', when: { yields: true, newer: true }, verdict: 'stays' },
    { id: 'late_and_not_happened', when: { late: true, happened: false, newer: true }, verdict: 'stays' },
    { id: 'newest', when: {}, verdict: 'written' },
  ],
}

export const standingOf = (given: StandingCase): Standing => decide(standingRule, given)
