// An OpenAPI document as a list of tools to compare, one for each operation.
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { type DerivedTool, deriveTools } from '../openapi/derive-tools.ts'
import type { SnapshotReading, ToolSnapshot } from '../snapshot.ts'

export function readOpenApi(document: JsonValue, url?: string): SnapshotReading {
  const derivation = deriveTools(document, url)
  if (!derivation.ok) return derivation
  const { version, tools, gaps } = derivation
  return {
    ok: true,
    source: {
      kind: 'openapi',
      ...(version === undefined ? {} : { version }),
      tools: tools.map(snapshotOf),
      malformed: gaps.map(({ pointer, message }) => ({
        name: pointer,
        pointer,
        reason: message,
        raw: [pointer, message],
      })),
    },
  }
}

/** Members of an operation that are compared under a name of their own. */
const known: ReadonlySet<string> = new Set([
  'operationId',
  'summary',
  'description',
  'parameters',
  'requestBody',
  'responses',
  'security',
  'servers',
  'consumes',
  'produces',
  'schemes',
  'callbacks',
])

const unreadable: JsonObject = { allOf: [{ $ref: 'urn:proviso:unread' }] }

function snapshotOf(tool: DerivedTool): ToolSnapshot {
  const { name, title, description, output, scopes, errors, request, operation } = tool
  // Nothing can be proven of arguments that are not all known.
  const input: JsonObject = tool.unread.length === 0 ? tool.input : { ...tool.input, ...unreadable }
  const more: JsonObject = Object.fromEntries(Object.entries(operation).filter(([word]) => !known.has(word)))
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    input: { schema: input, dialect: '2020-12' },
    ...(output === undefined ? {} : { output: { schema: output, dialect: '2020-12' } }),
    scopes,
    errors,
    request,
    ...(Object.keys(more).length === 0 ? {} : { more }),
    raw: { request, operation, reach: tool.reach(), input, output: output ?? null } as unknown as JsonValue,
  }
}
