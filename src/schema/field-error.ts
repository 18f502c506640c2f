// What can be wrong with one field: the table of asserting keywords, each with its kind of error and so its class of the
// taxonomy, and the error itself, in words that a model can act on.
// Invariant: every error that `explain` reports for a keyword has the kind of its row (`branch` rows: of what they
// report), and no part of an error holds the value of a field that was marked sensitive.

/** In the order of the gates: structure is judged before types, types before constraints. */
export const errorKinds = ['structure', 'type', 'constraint'] as const

export type ErrorKind = (typeof errorKinds)[number]

/** The taxonomy class that each kind of error raises. */
export const classOfKind = {
  structure: 'STRUCTURAL_VIOLATION',
  type: 'TYPE_MISMATCH',
  constraint: 'OUT_OF_BOUNDS',
} as const satisfies Readonly<Record<ErrorKind, string>>

interface KeywordClass {
  readonly keyword: string
  /** `branch`: the errors of the closest alternative are reported, each with its own kind. */
  readonly kind: ErrorKind | 'branch'
  readonly reason: string
}

export const keywordClasses = [
  { keyword: 'false', kind: 'structure', reason: 'Nothing may stand here: the place itself is too much.' },
  { keyword: 'required', kind: 'structure', reason: 'A declared property is missing.' },
  { keyword: 'dependentRequired', kind: 'structure', reason: 'A property is missing that another one brings along.' },
  { keyword: 'additionalProperties', kind: 'structure', reason: 'A property is given that is not declared.' },
  { keyword: 'unevaluatedProperties', kind: 'structure', reason: 'A property is given that no part declares.' },
  { keyword: 'propertyNames', kind: 'structure', reason: 'A property has a name that is not allowed.' },
  { keyword: 'items', kind: 'structure', reason: 'An item stands beyond the end of a closed tuple.' },
  { keyword: 'unevaluatedItems', kind: 'structure', reason: 'An item is given that no part declares.' },
  { keyword: 'type', kind: 'type', reason: 'The value has another JSON type.' },
  { keyword: 'enum', kind: 'constraint', reason: 'The value is outside the list of allowed values.' },
  { keyword: 'const', kind: 'constraint', reason: 'Only one value is allowed, and this is another.' },
  { keyword: 'minimum', kind: 'constraint', reason: 'The number is below its lower bound.' },
  { keyword: 'exclusiveMinimum', kind: 'constraint', reason: 'The number is not above its lower bound.' },
  { keyword: 'maximum', kind: 'constraint', reason: 'The number is above its upper bound.' },
  { keyword: 'exclusiveMaximum', kind: 'constraint', reason: 'The number is not below its upper bound.' },
  { keyword: 'multipleOf', kind: 'constraint', reason: 'The number lies between the allowed steps.' },
  { keyword: 'minLength', kind: 'constraint', reason: 'The text is too short.' },
  { keyword: 'maxLength', kind: 'constraint', reason: 'The text is too long.' },
  { keyword: 'pattern', kind: 'constraint', reason: 'The text does not match its pattern.' },
  { keyword: 'format', kind: 'constraint', reason: 'The text or number is not written in its format.' },
  { keyword: 'minItems', kind: 'constraint', reason: 'The array has too few items.' },
  { keyword: 'maxItems', kind: 'constraint', reason: 'The array has too many items.' },
  { keyword: 'uniqueItems', kind: 'constraint', reason: 'The array contains the same item twice.' },
  { keyword: 'contains', kind: 'constraint', reason: 'The array lacks an item of the demanded form.' },
  { keyword: 'minContains', kind: 'constraint', reason: 'The array has too few items of the demanded form.' },
  { keyword: 'maxContains', kind: 'constraint', reason: 'The array has too many items of one form.' },
  { keyword: 'minProperties', kind: 'constraint', reason: 'The object has too few properties.' },
  { keyword: 'maxProperties', kind: 'constraint', reason: 'The object has too many properties.' },
  { keyword: 'not', kind: 'constraint', reason: 'The value is one of those that are excluded.' },
  { keyword: 'oneOf', kind: 'constraint', reason: 'Several alternatives match; with none, the kinds of the closest.' },
  { keyword: 'anyOf', kind: 'branch', reason: 'No alternative matches: the errors of the closest are reported.' },
] as const satisfies readonly KeywordClass[]

export type Keyword = (typeof keywordClasses)[number]['keyword']

const kinds: ReadonlyMap<Keyword, ErrorKind | 'branch'> = new Map(keywordClasses.map((row) => [row.keyword, row.kind]))

/** The kind of an error under this keyword. A union reports an error of its own where properties are missing: structure. */
export function kindOfKeyword(keyword: Keyword): ErrorKind {
  const kind = kinds.get(keyword)
  return kind === undefined || kind === 'branch' ? 'structure' : kind
}

export interface FieldError {
  /** `topIssues[0].severity`; `$` is the root. Keys that were sent are cut at 64 characters. */
  readonly field: string
  /** The JSON Pointer of the same place; a key of more than 256 characters is cut. */
  readonly pointer: string
  /** The keyword that refused: a row of the keyword table. */
  readonly keyword: string
  readonly kind: ErrorKind
  readonly expected: string
  readonly actual: string
  readonly message: string
}

/** The first kind present, in the order of the gates. It names the class of the whole refusal. */
export function worstKind(errors: readonly FieldError[]): ErrorKind {
  return errorKinds.find((kind) => errors.some((error) => error.kind === kind)) ?? 'structure'
}
