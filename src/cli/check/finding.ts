// A rule is a row: id, level, what it looks for, why, and the function. A finding is one place where a rule speaks.
import type { Subject } from './subject.ts'

export const levels = ['error', 'warning', 'info'] as const

export type Level = (typeof levels)[number]

/** A place where a rule speaks: where, what is wrong, what to write instead. */
export interface Spot {
  /** JSON Pointer into the tool file. */
  readonly pointer: string
  readonly message: string
  readonly write: string
}

export interface RuleRow {
  readonly id: string
  readonly level: Level
  readonly what: string
  readonly why: string
  find(subject: Subject): readonly Spot[]
}

export interface Finding extends Spot {
  readonly rule: string
  readonly level: Level
}
