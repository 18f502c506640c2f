// What the parts of one projection share: how a place is projected, which constraints are left out, why it is refused.
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'
import type { Subset } from '../dialects/dialect-table.ts'
import type { WordedKeyword } from './constraint-text.ts'

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

/** One form of a place: the keywords that are carried, and a sentence for each constraint that is not. */
export interface WrittenForm {
  readonly out: SchemaDraft
  readonly sentences: readonly string[]
}

export function joinForms(...forms: readonly WrittenForm[]): WrittenForm {
  return {
    out: Object.assign({}, ...forms.map(({ out }) => out)),
    sentences: forms.flatMap(({ sentences }) => sentences),
  }
}

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

/** The facets of one place, where it stands, and the projection that it belongs to. */
export interface FacetsAt {
  readonly facets: readonly NormalObject[]
  readonly place: ProjectionPlace
  readonly projector: Projector
}

export interface Projector {
  readonly form: Preprocessed
  readonly subset: Subset
  /** Keys of definitions that come back to themselves. */
  readonly recursive: ReadonlySet<string>
  /** Undefined where no value at all fits. */
  project(schemas: readonly NormalSchema[], place: ProjectionPlace): JsonObject | undefined
  /** Notes the constraint, and gives the sentence that stands for it. */
  lose(node: NormalObject, keyword: WordedKeyword, place: ProjectionPlace): string
  refuse(code: ProjectionRefusalCode, node: NormalObject | undefined, message: string): void
  /** With a description: the author's words, and the sentences for constraints that are not carried. */
  describe(
    out: SchemaDraft,
    facets: readonly NormalObject[],
    sentences: readonly string[],
    place: ProjectionPlace,
  ): JsonObject
  accepts(node: NormalObject, value: JsonValue): boolean
  placeOf(node: NormalObject | undefined): string
}
