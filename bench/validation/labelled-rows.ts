// Reads the published calls with their labels: right ones, and wrong ones that models really made.
// Invariant: argument text is taken as recorded; where only an object was recorded, its numbers keep their spelling.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../src/json/value.ts'

export interface LabelledRow {
  readonly file: string
  readonly line: number
  readonly id: string
  readonly tool: string
  /** Of the schema: rows with the same key have the same schema. Undefined where the model named a tool it was not offered. */
  readonly schema: { readonly key: string; readonly document: JsonObject } | undefined
  readonly offered: readonly string[]
  readonly text: string
  readonly validDeclared: boolean
  /** With every object closed that lists its properties; undefined where that was not judged. */
  readonly validClosed: boolean | undefined
}

interface RightCall {
  readonly id: string
  readonly ref: string
  readonly tool: { readonly name: string; readonly parameters: JsonObject }
  readonly arguments: JsonObject
}

interface ModelCall {
  readonly id: string
  readonly tool: string
  readonly schema_ref: string | null
  readonly arguments_raw: string
  readonly valid_declared: boolean
  readonly valid_closed: boolean
  readonly available_tools?: readonly string[]
}

interface PublishedSchema {
  readonly schema_ref: string
  readonly parameters: JsonObject
}

/** `bfcl/calls.jsonl`: calls that are right by definition. */
export function readRightCalls(file: string): readonly LabelledRow[] {
  return readLines(file).map(({ line, text }) => {
    const row = JSON.parse(text, keepSpelling) as RightCall
    return {
      file: 'bfcl/calls.jsonl',
      line,
      id: row.id,
      tool: row.tool.name,
      schema: { key: row.ref, document: plain(row.tool.parameters) },
      offered: [],
      text: JSON.stringify(row.arguments),
      validDeclared: true,
      validClosed: undefined,
    }
  })
}

/** One file of `model-calls/`, with the schemas published beside it. */
export function readModelCalls(folder: string, name: string): readonly LabelledRow[] {
  const schemas = new Map<string, JsonObject>()
  for (const file of ['bfcl_schemas.jsonl', 'tau_bench_schemas.jsonl']) {
    for (const { text } of readLines(join(folder, file))) {
      const published = JSON.parse(text) as PublishedSchema
      schemas.set(published.schema_ref, published.parameters)
    }
  }
  return readLines(join(folder, name)).map(({ line, text }) => {
    const row = JSON.parse(text) as ModelCall
    const document = row.schema_ref === null ? undefined : schemas.get(row.schema_ref)
    if (row.schema_ref !== null && document === undefined) throw new Error(`${name}:${line} names no published schema`)
    return {
      file: `model-calls/${name}`,
      line,
      id: row.id,
      tool: row.tool,
      schema: row.schema_ref === null || document === undefined ? undefined : { key: row.schema_ref, document },
      offered: row.available_tools ?? [],
      text: row.arguments_raw,
      validDeclared: row.valid_declared,
      validClosed: row.valid_closed,
    }
  })
}

function readLines(file: string): readonly { readonly line: number; readonly text: string }[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((text, index) => (text.trim() === '' ? [] : [{ line: index + 1, text }]))
}

// `1.0` and 64-bit integers would not survive a plain parse, and the strict reader must be shown what was written.
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

function keepSpelling(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value
}

function plain(document: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(document)) as JsonObject
}
