// An MCP tool list, as a server sends it: `{ tools: [...] }`, the result around it, or the array alone. An entry that is no tool is set
// aside by name and never takes the others with it.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { exceededLimit } from '../../schema/preprocess.ts'
import type { MalformedTool, SourceSnapshot, ToolSnapshot } from '../snapshot.ts'

const maxTools = 20_000

/** The entries of a list; undefined where the value is none. */
function mcpEntries(value: JsonValue): readonly JsonValue[] | undefined {
  if (Array.isArray(value)) return value
  if (!isObject(value)) return undefined
  if (Array.isArray(value.tools)) return value.tools
  return isObject(value.result) ? mcpEntries(value.result) : undefined
}

export function readMcpTools(value: JsonValue): SourceSnapshot | undefined {
  const entries = mcpEntries(value)
  if (entries === undefined) return undefined
  const tools = new Map<string, ToolSnapshot>()
  const malformed: MalformedTool[] = []
  for (const [index, entry] of entries.slice(0, maxTools).entries()) {
    const read = readTool(entry)
    const pointer = `/tools/${index}`
    if (typeof read === 'string')
      malformed.push({ name: entryName(entry, index), pointer, reason: read, raw: boundedEntry(entry) })
    else if (tools.has(read.name))
      malformed.push({ name: read.name, pointer, reason: 'A tool of this name is in the list already.', raw: entry })
    else tools.set(read.name, read)
  }
  if (entries.length > maxTools) {
    const reason = `The list has more than ${maxTools} entries; these and the following were not read.`
    malformed.push({ name: `entry ${maxTools}`, pointer: `/tools/${maxTools}`, reason, raw: entries.length })
  }
  const version = versionOf(value)
  return { kind: 'mcp', ...(version === undefined ? {} : { version }), tools: [...tools.values()], malformed }
}

/** The version that a file gives the server whose tools it holds. */
function versionOf(value: JsonValue): string | undefined {
  if (!isObject(value)) return undefined
  if (typeof value.version === 'string') return value.version
  return isObject(value.serverInfo) && typeof value.serverInfo.version === 'string'
    ? value.serverInfo.version
    : undefined
}

const known: ReadonlySet<string> = new Set([
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
])

function readTool(entry: JsonValue): ToolSnapshot | string {
  if (!isObject(entry)) return 'The entry is no object.'
  const exceeded = exceededLimit(entry)
  if (exceeded !== undefined) return `The entry is too large: ${exceeded}.`
  const { name, title, description, inputSchema, outputSchema, annotations } = entry
  if (typeof name !== 'string' || name === '') return 'The entry has no name.'
  for (const [key, text] of Object.entries({ title, description }))
    if (text !== undefined && typeof text !== 'string') return `Its ${key} is no text.`
  if (!isObject(inputSchema)) return 'Its inputSchema is no object.'
  if (outputSchema !== undefined && !isObject(outputSchema)) return 'Its outputSchema is no object.'
  if (annotations !== undefined && !isObject(annotations)) return 'Its annotations are no object.'
  const shownTitle = typeof title === 'string' ? title : annotations?.title
  const more = moreOf(entry)
  return {
    name,
    ...(typeof shownTitle === 'string' ? { title: shownTitle } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    input: { schema: inputSchema, dialect: '2020-12' },
    ...(outputSchema === undefined ? {} : { output: { schema: outputSchema, dialect: '2020-12' } }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(Object.keys(more).length === 0 ? {} : { more }),
    raw: entry,
  }
}

const moreOf = (entry: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => !known.has(key)))

/** What is too large to be looked at is too large to be compared. */
const boundedEntry = (entry: JsonValue): JsonValue =>
  exceededLimit(entry) === undefined ? entry : { name: entryName(entry, 0), unreadable: true }

const entryName = (entry: JsonValue, index: number): string =>
  isObject(entry) && typeof entry.name === 'string' && entry.name !== '' ? entry.name : `entry ${index}`
