// The shape of a row of the rule table, and what a rule is given to look at.
import type { JsonValue } from '../../json/value.ts'
import type { ChangeDirection, DriftLevel, DriftQuestion, VersionStep } from '../finding.ts'
import type { SourceSnapshot, ToolSnapshot } from '../snapshot.ts'
import type { NoteChange } from './field-notes.ts'
import type { Difference } from './schema-difference.ts'

/** One place where a rule speaks. */
export interface ChangeSpot {
  readonly pointer: string
  readonly message: string
  readonly witness?: JsonValue
  readonly before?: JsonValue
  readonly after?: JsonValue
}

/** What two versions of a schema make of each other; every part is worked out when it is first asked for. */
export interface SchemaPair {
  /** Whether anything was written differently. */
  readonly changed: boolean
  /** Values that were right and are no longer. */
  readonly lost: Difference
  /** Values that were wrong and are right now. */
  readonly gained: Difference
  /** What is told differently about fields that are on both sides. */
  readonly notes: readonly NoteChange[]
  /** Pointers of fields that only the new schema declares, and only the old one. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** False where a schema is too large for `notes`, `added` and `removed` to be all. */
  readonly complete: boolean
}

export interface ToolPair {
  readonly before: ToolSnapshot
  readonly after: ToolSnapshot
  readonly input: SchemaPair
  readonly output: SchemaPair
}

export interface SourcePair {
  readonly before: SourceSnapshot
  readonly after: SourceSnapshot
  /** Tools that belong together, also where the name has changed. */
  readonly matched: readonly { readonly before: ToolSnapshot; readonly after: ToolSnapshot }[]
  readonly added: readonly ToolSnapshot[]
  readonly removed: readonly ToolSnapshot[]
}

interface RowBase {
  readonly id: string
  readonly level: Readonly<Record<DriftQuestion, DriftLevel>>
  readonly direction: ChangeDirection
  readonly step: VersionStep
  /** What has changed where the rule speaks. */
  readonly title: string
  readonly why: string
  /** Which of the ten changes that break a contract this is. */
  readonly breaks?: BreakingChange
}

/** A rule about one tool, before and after. */
export interface ToolRule extends RowBase {
  readonly over: 'tool'
  /** Speaks only where no other rule does. */
  readonly last?: true
  find(pair: ToolPair): readonly ChangeSpot[]
}

/** A rule about a list of tools. */
export interface ListRule extends RowBase {
  readonly over: 'list'
  find(pair: SourcePair): readonly (ChangeSpot & { readonly tool: string })[]
}

export type DriftRule = ToolRule | ListRule

/** The ten changes with which a version of a contract is a breaking one. */
export const breakingChanges = [
  'required fields',
  'argument names or types',
  'enum values',
  'default behaviour',
  'authorization scopes',
  'side-effect class',
  'idempotency requirements',
  'output schema',
  'error taxonomy',
  'transaction or compensation semantics',
] as const

export type BreakingChange = (typeof breakingChanges)[number]
