// The one form that validator, explainer and prover read: a reduced JSON Schema 2020-12.
// Invariant: every dialect, identifier, anchor and dynamic reference is already resolved; a `$ref` is a key of `defs`.
import type { JsonValue } from '../json/value.ts'

export const dialects = ['2020-12', '2019-09', 'draft-07', 'draft-06', 'draft-04', 'openapi-3.0'] as const

export type Dialect = (typeof dialects)[number]

export const allTypes = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'] as const

export type TypeName = (typeof allTypes)[number]

/** Whether `format` refuses values (`assert`) or only describes them (`annotate`). */
export type FormatMode = 'assert' | 'annotate'

export type NormalSchema = boolean | NormalObject

/** A record keyed by names from outside: no prototype, so that `__proto__` and `toString` are ordinary keys. */
type NameMap<T> = Readonly<Record<string, T>>

export function nameMap<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>
}

export interface NormalObject {
  /** A key of `Preprocessed.defs`; siblings apply as well. */
  readonly $ref?: string
  readonly type?: readonly TypeName[]
  readonly enum?: readonly JsonValue[]
  readonly const?: JsonValue
  readonly multipleOf?: number
  readonly maximum?: number
  readonly exclusiveMaximum?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maxLength?: number
  readonly minLength?: number
  /** ECMA-262 with the `u` flag, already known to parse and to run in linear time. */
  readonly pattern?: string
  /** Asserts only where `Preprocessed.formats` is `assert`; then always a known format. */
  readonly format?: string
  readonly prefixItems?: readonly NormalSchema[]
  readonly items?: NormalSchema
  readonly contains?: NormalSchema
  readonly minContains?: number
  readonly maxContains?: number
  readonly maxItems?: number
  readonly minItems?: number
  readonly uniqueItems?: true
  readonly properties?: NameMap<NormalSchema>
  /** Keys are patterns, as in `pattern`. */
  readonly patternProperties?: NameMap<NormalSchema>
  readonly additionalProperties?: NormalSchema
  readonly propertyNames?: NormalSchema
  readonly required?: readonly string[]
  readonly maxProperties?: number
  readonly minProperties?: number
  readonly dependentRequired?: NameMap<readonly string[]>
  readonly dependentSchemas?: NameMap<NormalSchema>
  readonly allOf?: readonly NormalSchema[]
  readonly anyOf?: readonly NormalSchema[]
  readonly oneOf?: readonly NormalSchema[]
  readonly not?: NormalSchema
  readonly if?: NormalSchema
  readonly then?: NormalSchema
  readonly else?: NormalSchema
  readonly unevaluatedProperties?: NormalSchema
  readonly unevaluatedItems?: NormalSchema
  readonly title?: string
  readonly description?: string
}

export interface Preprocessed {
  readonly dialect: Dialect
  readonly root: NormalSchema
  /** Every schema that some `$ref` names; recursion happens only through here. */
  readonly defs: ReadonlyMap<string, NormalSchema>
  readonly formats: FormatMode
  /** SHA-256 over root, defs and formats: equal hashes accept equal values. */
  readonly hash: string
  /** Pointers of keywords that mean nothing in the dialect; a linter may warn about them. */
  readonly ignored: readonly string[]
  /** Where in the given document the node came from (`uri#pointer` for another document); undefined for booleans. */
  sourcePointer(node: NormalSchema): string | undefined
}

/** Why a schema was not accepted: which construct, where, and what to write instead. */
export interface SchemaRefusal {
  /** JSON Pointer into the given document; `uri#pointer` in another one. */
  readonly pointer: string
  /** The keyword, or the limit, that was refused. */
  readonly construct: string
  readonly message: string
}
