// What a server lists, as it came over the wire, made ours entry by entry: one that cannot be read is set aside under its name, and
// never takes the list down.
import { copyParsed } from '../../json/copy.ts'
import { hashJson } from '../../json/hash.ts'
import type { JsonValue } from '../../json/value.ts'
import type { MalformedTool, SourceSnapshot } from '../snapshot.ts'
import { readMcpTools } from '../sources/read-mcp-tools.ts'

/** Within them an entry is read and hashed in less than 50 ms; what is larger equals nothing that was approved. */
const entryLimits = { maxBytes: 2 * 1_048_576, maxDepth: 500, maxValues: 64_000 }
/** Values and characters together. Half of 1,598 published tools have less than 450, and 38 of them more than this. */
const usualSize = 4_096
const maxNameLength = 256

/** Undefined where it is no list of tools at all. */
export function readServed(served: unknown): SourceSnapshot | undefined {
  const entries = entriesOf(served)
  if (entries === undefined) return undefined
  const readable: JsonValue[] = []
  const refused: MalformedTool[] = []
  for (const [index, entry] of entries.entries()) {
    const copy = copyParsed(entry, entryLimits)
    if (copy.ok) readable.push(copy.value)
    else {
      const { code, message, pointer } = copy.refusal
      const name = entryName(entry) ?? `entry ${index}`
      refused.push({ name, pointer: `/tools/${index}${pointer}`, reason: message, raw: { name, unreadable: code } })
    }
  }
  const source = readMcpTools(readable)
  return source && { ...source, malformed: [...source.malformed, ...refused] }
}

/** The hash of one entry; undefined where it cannot be read, and so equals nothing. */
export function hashOfEntry(entry: unknown): string | undefined {
  const copy = copyParsed(entry, entryLimits)
  return copy.ok ? hashJson(copy.value) : undefined
}

/** Counted until it is too much. */
export function isUsualSize(value: unknown): boolean {
  const left: unknown[] = [value]
  let size = 0
  for (let next = left.pop(); size <= usualSize; next = left.pop()) {
    size += 1
    if (typeof next === 'string') size += next.length
    else if (typeof next === 'object' && next !== null)
      for (const key of Object.keys(next)) {
        size += key.length
        if (size > usualSize) return false
        left.push((next as Readonly<Record<string, unknown>>)[key])
      }
    if (left.length === 0) return size <= usualSize
  }
  return false
}

function entriesOf(served: unknown): readonly unknown[] | undefined {
  if (Array.isArray(served)) return served
  if (typeof served !== 'object' || served === null || !('tools' in served)) return undefined
  return Array.isArray(served.tools) ? served.tools : undefined
}

function entryName(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null || !('name' in entry)) return undefined
  const { name } = entry
  return typeof name === 'string' && name !== '' ? name.slice(0, maxNameLength).toWellFormed() : undefined
}
