// A pin as a source that can be compared: it keeps what was published, and is read again in the same way as what is served.
import { hashJson } from '../../json/hash.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { Pin, PinnedTool } from '../../ledger/ports/pins.ts'
import type { SourceSnapshot, ToolSnapshot } from '../snapshot.ts'
import { readMcpTools } from '../sources/read-mcp-tools.ts'

/** What was approved, as a list that can be compared with what is served. */
export function pinnedSource({ kind, tools, malformed }: Pin): SourceSnapshot {
  const kept = malformed.map(({ name, raw }) => ({ name, pointer: '', reason: 'It was no tool before.', raw }))
  if (kind === 'mcp') {
    const read = readMcpTools(tools.map(({ raw }) => raw))
    return { kind, tools: read?.tools ?? [], malformed: kept }
  }
  return {
    kind,
    tools: tools.map(({ name, raw, snapshot }) => ({ ...(snapshot as Partial<ToolSnapshot>), name, raw })),
    malformed: kept,
  }
}

export type PinnedPart = Omit<PinnedTool, 'approvedBy' | 'approvedAt' | 'why'>

/** A look asks several times, and hashing a large document takes longer than everything else. */
const known = new WeakMap<ToolSnapshot, PinnedPart>()

/** What is kept of a tool: for MCP the entry says everything, and elsewhere what it was read as belongs to it. */
export function pinnedPart(tool: ToolSnapshot, kind: SourceSnapshot['kind']): PinnedPart {
  const kept = known.get(tool) ?? makePinnedPart(tool, kind)
  known.set(tool, kept)
  return kept
}

function makePinnedPart(tool: ToolSnapshot, kind: SourceSnapshot['kind']): PinnedPart {
  const { name, raw } = tool
  if (kind === 'mcp') return { name, hash: hashJson(raw), raw }
  const { raw: _raw, name: _name, ...rest } = tool
  const snapshot = JSON.parse(JSON.stringify(rest)) as JsonObject
  return { name, hash: hashJson([raw, snapshot] as JsonValue), raw, snapshot }
}

export const malformedHash = (raw: JsonValue): string => hashJson(raw)

/** Identifies everything that is served: a person who approves repeats what they have looked at. */
export function servedHash(source: SourceSnapshot): string {
  const tools = source.tools.map((tool) => pinnedPart(tool, source.kind).hash)
  return hashJson(['served', tools.sort(), source.malformed.map(({ raw }) => malformedHash(raw)).sort()])
}
