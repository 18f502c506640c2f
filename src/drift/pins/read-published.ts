// What was published, as somebody fetched and parsed it: a list of tools, or an OpenAPI document. Nothing of it is believed, and what
// cannot be read is a reason and no throw.
import { copyParsed } from '../../json/copy.ts'
import type { SourceReading } from '../snapshot.ts'
import { readSource } from '../sources/read-source.ts'
import { readServed } from './read-served.ts'

const documentLimits = { maxBytes: 64 * 1_048_576, maxDepth: 500, maxValues: 5_000_000 }

/** `url`: where it was fetched from, and so what the addresses in a document are relative to. */
export function readPublished(published: unknown, url?: string): SourceReading {
  // Entry by entry where it is a list: one that cannot be kept does not take the others with it.
  const list = readServed(published)
  if (list !== undefined) return { ok: true, source: list }
  const copy = copyParsed(published, documentLimits)
  if (!copy.ok) return { ok: false, pointer: copy.refusal.pointer, message: copy.refusal.message }
  const reading = readSource(copy.value, url === undefined ? {} : { url })
  if (!reading.ok || reading.source.kind === 'openapi') return reading
  return { ok: false, pointer: '', message: 'it is neither an OpenAPI document nor a list of tools' }
}
