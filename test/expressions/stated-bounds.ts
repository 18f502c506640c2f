// Regular expressions that are not linear by their form, each with what bounds the text that it meets; and those that are made at run time
// of what others write, each with what decides that it may run. A test holds the source to this table, and the bounds to the clock.

export interface StatedBound {
  readonly path: string
  /** How the expression begins. */
  readonly code: string
  /** Characters of the longest text that it meets. */
  readonly most: number
  readonly why: string
}

export const statedBounds: readonly StatedBound[] = [
  {
    path: 'src/ledger/embedded/binaries.ts',
    code: '/\\.new-',
    most: 255,
    why: 'A name in a folder of our own: no file system has a longer one.',
  },
  {
    path: 'src/policy/rules/cel/matches-function.ts',
    code: '/^(?:[\\w',
    most: 1_000,
    why: 'A longer pattern is not asked about: re2js runs it.',
  },
]

export interface MadeLater {
  readonly path: string
  readonly code: string
  readonly by: 're2js' | 'linear' | 'bounded'
  readonly why: string
}

/** What is made when a module is loaded is found by the test itself, and judged like a literal. */
export const madeLater: readonly MadeLater[] = [
  {
    path: 'src/schema/patterns/pattern-test.ts',
    code: "new RegExp(part.source, 'u')",
    by: 'linear',
    why: 'Only parts that `isDeterministic` has found to read each character once; re2js runs all others.',
  },
  {
    path: 'src/policy/rules/cel/matches-function.ts',
    code: "new RegExp(source, 'u')",
    by: 'linear',
    why: 'Only a pattern that `isDeterministic` has found to read each character once; re2js runs all others.',
  },
  {
    path: 'src/schema/patterns/code-points.ts',
    code: 'new RegExp(`',
    by: 'linear',
    why: 'One class, asked about one character, or over a text of our own that holds every character once.',
  },
]
