// Reads a published document of any kind: an OpenAPI document, an MCP tool list or a JSON Schema; and the tool files of this project, which
// the loader has read and checked.
import type { FileBinding } from '../../contract/tool/binding-schema.ts'
import type { Contract } from '../../contract/tool/envelope.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { Dialect } from '../../schema/normal.ts'
import { exceededLimit } from '../../schema/preprocess.ts'
import { openApiVersion } from '../openapi/document.ts'
import type { SnapshotReading, ToolSnapshot } from '../snapshot.ts'
import { readMcpTools } from './read-mcp-tools.ts'
import { readOpenApi } from './read-openapi.ts'

export interface ReadSourceOptions {
  /** Whether a JSON Schema describes arguments or results; arguments unless given. */
  readonly schemaOf?: 'input' | 'output'
  /** Of a JSON Schema that does not say so itself. */
  readonly dialect?: Dialect
  /** Where an OpenAPI document was fetched from: what its addresses are relative to. */
  readonly url?: string
}

export function readSource(document: JsonValue, options: ReadSourceOptions = {}): SnapshotReading {
  if (openApiVersion(document) !== undefined) return readOpenApi(document, options.url)
  const list = readMcpTools(document)
  if (list !== undefined) return { ok: true, source: list }
  const exceeded = exceededLimit(document)
  if (exceeded !== undefined) return { ok: false, pointer: '', message: `The document is too large: ${exceeded}.` }
  if (isSchema(document)) return { ok: true, source: schemaSource(document, options) }
  return {
    ok: false,
    pointer: '',
    message: 'This is no tool file, OpenAPI document, MCP tool list or JSON Schema.',
  }
}

const schemaWords = [
  '$schema',
  '$ref',
  'type',
  'properties',
  'items',
  'enum',
  'const',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  '$defs',
]

const isSchema = (document: JsonValue): boolean =>
  typeof document === 'boolean' ||
  (isObject(document) &&
    (Object.keys(document).length === 0 || schemaWords.some((word) => Object.hasOwn(document, word))))

function schemaSource(schema: JsonValue, { schemaOf = 'input', dialect = '2020-12' }: ReadSourceOptions) {
  return {
    kind: 'json-schema',
    tools: [{ name: 'schema', [schemaOf]: { schema, dialect }, raw: schema }],
    malformed: [],
  } as const
}

export interface CheckedToolFile {
  readonly contract: Contract
  readonly binding: FileBinding
  readonly value: JsonObject
}

/** Its schemas are judged as registration judges them: formats refuse values. */
export function toolFileSnapshot({ contract, binding, value }: CheckedToolFile): ToolSnapshot {
  const { identity, affordance } = contract
  const reading = { dialect: binding.dialect ?? '2020-12', formats: 'assert' } as const
  return {
    name: identity.name,
    version: identity.version,
    description: affordance.model_description,
    input: { schema: affordance.input_schema, ...reading },
    output: { schema: affordance.output_schema, ...reading },
    contract,
    binding,
    raw: value,
  }
}
