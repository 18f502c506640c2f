// Formulas for names of properties, and for an object that has one.
import type { NormalObject } from '../../schema/normal.ts'
import { usablePattern } from '../../schema/patterns/pattern-test.ts'
import type { KeywordContext } from '../keywords/keyword-context.ts'
import type { Formula } from '../solver/formula.ts'

/** A text that is one of the names. */
export function named({ literal }: KeywordContext, names: readonly string[]): Formula {
  return literal({ kind: 'in', values: names, holds: true })
}

/** A text in which the pattern is found. */
export function matches({ formulas, literal }: KeywordContext, source: string): Formula {
  const parsed = usablePattern(source)
  if (!parsed.ok) throw new Error(`A pattern that preprocessing refuses was compiled: ${parsed.reason}`)
  const { guards, ...part } = parsed.pattern
  return formulas.and([
    literal({ kind: 'match', part, holds: true }),
    ...guards.map(({ negate, ...guard }) => literal({ kind: 'match', part: guard, holds: !negate })),
  ])
}

/** An object with a property of that name. */
export function has(context: KeywordContext, name: string): Formula {
  return context.literal({ kind: 'some', keys: named(context, [name]), claim: context.claim(true) })
}

/** The names that `properties` and `patternProperties` speak about. */
export function declaredKeys(
  context: KeywordContext,
  { properties = {}, patternProperties = {} }: NormalObject,
): Formula {
  return context.formulas.or([
    named(context, Object.keys(properties)),
    ...Object.keys(patternProperties).map((pattern) => matches(context, pattern)),
  ])
}
