// What was published, as the host fetched and parsed it: a list of tools, or an OpenAPI document. Nothing of it is trusted; what cannot
// be read gives a reason and never throws. Invariant: an entry or a path that cannot be read is set aside, and the others are read.
import { copyParsed } from '../../json/copy.ts'
import { appendPointer } from '../../json/pointer.ts'
import { isObject, type JsonValue } from '../../json/value.ts'
import type { MalformedTool, SnapshotReading } from '../snapshot.ts'
import { readSource } from '../sources/read-source.ts'
import { readServed } from './read-served.ts'

const documentLimits = { maxBytes: 64 * 1_048_576, maxDepth: 500, maxValues: 5_000_000 }

/** `url`: where it was fetched from, and so what the addresses in a document are relative to. */
export function readPublished(published: unknown, url?: string): SnapshotReading {
  // What calls itself an OpenAPI document is read as one, also where it holds a list of tools.
  const list = saysItIsOpenApi(published) ? undefined : readServed(published)
  if (list !== undefined) return { ok: true, source: list }
  const copy = copyParsed(published, documentLimits)
  if (copy.ok) return readDocument(copy.value, url)
  const { pointer, message } = copy.refusal
  const left = pointer.startsWith('/paths') ? withoutUnreadable(published) : undefined
  if (left === undefined) return { ok: false, pointer, message }
  const reading = readDocument(left.document, url)
  if (!reading.ok) return reading
  const { source } = reading
  return { ok: true, source: { ...source, malformed: [...source.malformed, ...left.refused] } }
}

function readDocument(document: JsonValue, url: string | undefined): SnapshotReading {
  const reading = readSource(document, url === undefined ? {} : { url })
  if (!reading.ok || reading.source.kind === 'openapi') return reading
  return { ok: false, pointer: '', message: 'it is neither an OpenAPI document nor a list of tools' }
}

const saysItIsOpenApi = (published: unknown): boolean =>
  typeof published === 'object' && published !== null && ('openapi' in published || 'swagger' in published)

interface ReadablePart {
  readonly document: JsonValue
  readonly refused: readonly MalformedTool[]
}

/** The document without the paths that cannot be read. What is unreadable elsewhere may belong to any operation, and is not left out. */
function withoutUnreadable(published: unknown): ReadablePart | undefined {
  const refused: MalformedTool[] = []
  try {
    const { paths, ...rest } = published as Readonly<Record<string, JsonValue>>
    if (!isObject(paths)) return undefined
    const readable = Object.entries(paths).filter(([path, item]) => {
      const alone = copyParsed(Object.fromEntries([[path, item]]), documentLimits)
      if (alone.ok) return true
      const name = appendPointer('/paths', path.slice(0, 256).toWellFormed())
      refused.push({ name, pointer: name, reason: alone.refusal.message, raw: [name, alone.refusal.code] })
      return false
    })
    const copy = copyParsed({ ...rest, paths: Object.fromEntries(readable) }, documentLimits)
    return copy.ok ? { document: copy.value, refused } : undefined
  } catch {
    return undefined
  }
}
