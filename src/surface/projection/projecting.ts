// What one projection has found out so far: which constraints it had to leave out, and why it cannot be had at all.
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'
import type { Subset } from '../dialects/dialect-table.ts'
import type { ToldKeyword } from './constraint-text.ts'

export type ProjectionRefusalCode =
  | 'recursion'
  | 'free_form_object'
  | 'untyped'
  | 'null_is_a_value'
  | 'optional_in_union'
  | 'unsatisfiable'
  | 'too_large'
  | 'too_many_properties'
  | 'too_deep'
  | 'too_many_enum_values'
  | 'too_much_text'
  | 'too_many_optional'
  | 'too_many_unions'

/** Why a schema cannot be put into a provider's strict subset. */
export interface ProjectionRefusal {
  readonly code: ProjectionRefusalCode
  /** Into the tool's own schema. */
  readonly pointer: string
  readonly message: string
}

/** A constraint that the provider does not hold the model to. */
export interface OnlyLocal {
  /** Into the tool's own schema, the keyword included. */
  readonly pointer: string
  readonly constraint: string
}

/** A schema that is written, not read: keywords are set one by one. */
export type SchemaDraft = { [word: string]: JsonValue }

export interface ProjectionPlace {
  /** Where values of this place stand; `*` for any index or key. */
  readonly path: readonly string[]
  readonly isRoot: boolean
  readonly inUnion: boolean
  /** Whether a property that may be absent was passed since the definition began. */
  readonly belowOptional: boolean
  readonly inDefinition: boolean
  /** Recursive definitions that are being written out in place. */
  readonly unfolding: ReadonlySet<string>
}

export interface Projecting {
  readonly form: Preprocessed
  readonly subset: Subset
  /** Keys of definitions that come back to themselves. */
  readonly recursive: ReadonlySet<string>
  /** Undefined where no value at all fits. */
  project(schemas: readonly NormalSchema[], standing: ProjectionPlace): JsonObject | undefined
  /** Notes the constraint, and gives the sentence that stands for it. */
  lose(node: NormalObject, keyword: ToldKeyword, standing: ProjectionPlace): string
  refuse(code: ProjectionRefusalCode, node: NormalObject | undefined, message: string): void
  /** With a description of what the voices say in words, and of what is told instead of being said. */
  describe(
    out: SchemaDraft,
    voices: readonly NormalObject[],
    told: readonly string[],
    standing: ProjectionPlace,
  ): JsonObject
  accepts(node: NormalObject, value: JsonValue): boolean
  placeOf(node: NormalObject | undefined): string
}
