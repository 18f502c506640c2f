// What one provider takes, as data: its names for tools, the part of JSON Schema that its strict mode enforces, and its limits.
// Invariant: a table says when and where it was read; code walks it and knows no provider by name.

export const providers = ['openai', 'anthropic', 'gemini', 'mcp'] as const

export type Provider = (typeof providers)[number]

export function isProvider(value: unknown): value is Provider {
  return providers.some((provider) => provider === value)
}

export interface DialectTable {
  readonly provider: Provider
  /** When the provider's documentation was read for this table; names it. */
  readonly date: string
  readonly sources: readonly string[]
  readonly names: { readonly pattern: RegExp; readonly longest: number }
  /** What the provider enforces while it generates; undefined: it takes JSON Schema as it is and enforces nothing. */
  readonly subset: Subset | undefined
  /** Of all strict tools of one request together. */
  readonly request?: RequestLimits
}

export interface RequestLimits {
  readonly tools: number
  readonly optional: number
  readonly unions: number
}

export type EnumKind = 'string' | 'number' | 'boolean' | 'null'

/** Keywords that a subset may carry; no subset carries any other. */
export type KeptKeyword =
  | 'minimum'
  | 'maximum'
  | 'exclusiveMinimum'
  | 'exclusiveMaximum'
  | 'multipleOf'
  | 'minLength'
  | 'maxLength'
  | 'pattern'
  | 'minItems'
  | 'maxItems'

export interface Subset {
  /** `closed`: every object lists its properties and no others come. `given`: as the schema says. */
  readonly objects: 'closed' | 'given'
  /** How a property that may be absent is written: required and nullable, or simply not required. */
  readonly optional: 'nullable' | 'omitted'
  readonly recursion: 'anywhere' | 'below_optional' | 'nowhere'
  readonly keywords: ReadonlySet<KeptKeyword>
  /** The largest minItems that it enforces. */
  readonly mostMinItems: number
  /** `plain`: no boundaries, no properties of characters, no wide repetitions. */
  readonly patterns: 'any' | 'plain'
  readonly formats: ReadonlySet<string>
  readonly enumOf: ReadonlySet<EnumKind>
  readonly tuples: boolean
  /** Whether a place may take any value at all. */
  readonly untyped: boolean
  /** Properties are generated in the order that this word gives. */
  readonly ordering: 'propertyOrdering' | undefined
  readonly limits: SchemaLimits
}

export interface SchemaLimits {
  readonly properties: number
  readonly levels: number
  /** Deeper than this works, and works worse. */
  readonly goodLevels: number
  readonly enumValues: number
  /** Characters of all names and listed values together. */
  readonly text: number
  /** A list of texts longer than `over` may have this many characters. */
  readonly longEnum: { readonly over: number; readonly text: number }
}

const unlimited = Number.POSITIVE_INFINITY

/** For providers that state no limits on the size of a schema. */
export const noLimits: SchemaLimits = {
  properties: unlimited,
  levels: unlimited,
  goodLevels: unlimited,
  enumValues: unlimited,
  text: unlimited,
  longEnum: { over: unlimited, text: unlimited },
}
