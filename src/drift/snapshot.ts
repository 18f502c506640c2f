// One tool as its publisher gives it, in one form for every kind of source: tool file, JSON Schema, OpenAPI operation or MCP tool list.
// Invariant: `raw` is what was published, so that no change can hide between the fields.
import type { FileBinding } from '../contract/tool/binding-schema.ts'
import type { Contract } from '../contract/tool/envelope.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import type { Dialect, FormatMode } from '../schema/normal.ts'

export interface SchemaSnapshot {
  readonly schema: JsonValue
  /** How it is read where it names no dialect with `$schema`. */
  readonly dialect: Dialect
  /** Whether `format` refuses values there; it describes unless given. */
  readonly formats?: FormatMode
}

export interface ToolSnapshot {
  readonly name: string
  readonly version?: string
  readonly title?: string
  readonly description?: string
  /** Undefined where nothing is said about the arguments. */
  readonly input?: SchemaSnapshot
  readonly output?: SchemaSnapshot
  /** What an MCP server says of the effects of its tool: hints, and no proof. */
  readonly annotations?: JsonObject
  /** What a caller must be allowed to do: one of these sets, all of it. */
  readonly scopes?: readonly (readonly string[])[]
  /** The failures that are documented, such as HTTP statuses. */
  readonly errors?: readonly string[]
  /** Which request it is, for an operation of an HTTP interface. */
  readonly request?: { readonly method: string; readonly path: string; readonly server?: string }
  readonly contract?: Contract
  readonly binding?: FileBinding
  /** Everything else that was published with it. */
  readonly more?: JsonObject
  /** What was published, as it was read. */
  readonly raw: JsonValue
}

/** An entry of a list that is no tool: kept apart, so that the others stay comparable. */
export interface MalformedTool {
  /** Its name, or its place in the list where it has none. */
  readonly name: string
  readonly pointer: string
  readonly reason: string
  readonly raw: JsonValue
}

export type SourceKind = 'tool-file' | 'json-schema' | 'openapi' | 'mcp'

export interface SourceSnapshot {
  readonly kind: SourceKind
  /** The version that the source gives itself. */
  readonly version?: string
  readonly tools: readonly ToolSnapshot[]
  readonly malformed: readonly MalformedTool[]
}

export type SnapshotReading =
  | { readonly ok: true; readonly source: SourceSnapshot }
  | { readonly ok: false; readonly pointer: string; readonly message: string }
