// A rule of the linter is a row: id, level, what it looks for, why, and the function that finds it.
import type { ReadSubject, UnreadSubject } from './subject.ts'

export const lintLevels = ['error', 'warning', 'info'] as const

export type LintLevel = (typeof lintLevels)[number]

/** A place where a rule finds something: where, what is wrong, what to write instead. */
export interface LintSpot {
  /** JSON Pointer into the tool file. */
  readonly pointer: string
  readonly message: string
  readonly write: string
}

/** A rule in words, as --rules prints it. */
export interface LintRuleWords {
  readonly id: string
  readonly level: LintLevel
  readonly what: string
  readonly why: string
}

export interface LintRule extends LintRuleWords {
  find(subject: ReadSubject): readonly LintSpot[]
  /** In a file that could not be read as a tool file. */
  findUnread?(subject: UnreadSubject): readonly LintSpot[]
}

export interface LintFinding extends LintSpot {
  readonly rule: string
  readonly level: LintLevel
}

/** The one place of a rule that looks at one place. */
export const spotAt = (pointer: string, message: string, write: string): readonly LintSpot[] => [
  { pointer, message, write },
]
