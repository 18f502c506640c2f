// Which of the twelve discrepancies a difference is: the first row that fits, so that there is always exactly one. Pure.
import type { Discrepancy } from '../../contract/verification/verification.ts'
import type { PreparedPredicate } from '../../contract/verification/verifier.ts'
import { readPointer } from '../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { equalJson } from '../../schema/equality.ts'
import { orderOf } from './predicates.ts'

/** What reading a source has shown. */
export interface ObservedState {
  /** What the tool reported to its caller. */
  readonly reported: 'success' | 'failure'
  /** Null: there is no such target. */
  readonly state: JsonObject | null
  /** Undefined where it was not read. */
  readonly before: JsonObject | null | undefined
  readonly creates: boolean
  readonly met: readonly PreparedPredicate[]
  readonly unmet: readonly PreparedPredicate[]
  /** How many could not be judged, because the value that they compare with is gone. */
  readonly undetermined: number
}

interface Row {
  readonly discrepancy: Discrepancy
  readonly meaning: string
  when(reading: ObservedState): boolean
}

const isAbout = (about: PreparedPredicate['about']) => (predicate: PreparedPredicate) => predicate.about === about
const effectSubjects: ReadonlySet<PreparedPredicate['about']> = new Set(['value', 'amount', 'version', 'count'])

/** Whether the place is as it was before the call. */
function isUntouched({ state, before }: ObservedState, { path }: PreparedPredicate): boolean {
  if (state === null || before === undefined || before === null) return false
  return isUnchanged(readPointer(state, path), readPointer(before, path))
}

export const isUnchanged = (now: JsonValue | undefined, then: JsonValue | undefined): boolean =>
  now === undefined || then === undefined ? now === then : equalJson(now, then)

/** All that should have changed is as before. */
function nothingChanged(reading: ObservedState): boolean {
  const { state, before, met, unmet } = reading
  if (state === null || before === undefined || before === null) return false
  const effects = [...met, ...unmet].filter(({ about }) => effectSubjects.has(about))
  return effects.length > 0 && effects.every((predicate) => isUntouched(reading, predicate))
}

const exceeds =
  ({ state }: ObservedState) =>
  (predicate: PreparedPredicate) => {
    const found = state === null ? undefined : readPointer(state, predicate.path)
    if (found === undefined || predicate.expected === undefined) return false
    return (orderOf(found, predicate.expected) ?? 0) > 0
  }

export const discrepancyRows: readonly Row[] = [
  {
    discrepancy: 'duplicate_side_effect',
    meaning: 'The effect is there more often than once.',
    when: (reading) => reading.unmet.filter(isAbout('count')).some(exceeds(reading)),
  },
  {
    discrepancy: 'wrong_target',
    meaning: 'Something else was changed than the call named.',
    when: ({ unmet, state }) => state !== null && unmet.some(isAbout('target')),
  },
  {
    discrepancy: 'target_missing',
    meaning: 'What was to be changed is not there.',
    when: ({ state, creates }) => state === null && !creates,
  },
  {
    discrepancy: 'no_op_success',
    meaning: 'The tool reported success, and nothing has changed.',
    when: (reading) => reading.state === null || (reading.unmet.length > 0 && nothingChanged(reading)),
  },
  {
    discrepancy: 'stale_state',
    meaning: 'What was read is no newer than before the call.',
    when: ({ unmet }) => unmet.some(isAbout('version')),
  },
  {
    discrepancy: 'partial_application',
    meaning: 'Some of it has changed as expected, and some has not changed at all.',
    when: (reading) =>
      reading.met.some((one) => effectSubjects.has(one.about) && !isUntouched(reading, one)) &&
      reading.unmet.some((one) => isUntouched(reading, one)),
  },
  {
    discrepancy: 'value_mismatch',
    meaning: 'It has changed, but not to what was expected.',
    when: ({ unmet }) => unmet.length > 0,
  },
  {
    discrepancy: 'no_op_failure',
    meaning: 'The tool reported failure or nothing at all, and the effect is there.',
    when: ({ reported, met }) => reported === 'failure' && met.length > 0,
  },
  {
    discrepancy: 'unknown',
    meaning: 'Nothing of what was read tells whether the effect is there.',
    when: ({ met }) => met.length === 0,
  },
]

/** Null where the world is as it should be. */
export function discrepancyOf(reading: ObservedState): Discrepancy | null {
  return discrepancyRows.find((row) => row.when(reading))?.discrepancy ?? null
}
