// Reads what others published, in JSON or YAML, as their own programs would: large integers are rounded rather than refused, because real
// documents have them as bounds. What is not JSON in the end is refused.

import type { JsonValue } from '../../json/value.ts'
import { exceededLimit } from '../../schema/preprocess.ts'

export type Published =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string }

export async function parsePublished(given: string): Promise<Published> {
  const text = given.replace(/^\uFEFF/, '')
  if (/^\s*[[{"]/.test(text)) {
    try {
      return { ok: true, value: JSON.parse(text) as JsonValue }
    } catch {
      // A flow mapping of YAML begins the same way.
    }
  }
  const { parseDocument } = await import('yaml')
  try {
    const document = parseDocument(text, { strict: true, uniqueKeys: true })
    const [error] = document.errors
    if (error !== undefined) return { ok: false, message: firstLine(error.message) }
    return asJson(document.toJS({ maxAliasCount: 100 }) as unknown)
  } catch (error) {
    return { ok: false, message: error instanceof Error ? firstLine(error.message) : 'neither JSON nor YAML' }
  }
}

/** YAML knows numbers and keys that JSON does not. */
function asJson(value: unknown): Published {
  const exceeded = exceededLimit(value as JsonValue)
  if (exceeded !== undefined) return { ok: false, message: `The document is too large: ${exceeded}.` }
  let strange: string | undefined
  const written = JSON.stringify(value, (key, item: unknown) => {
    if (typeof item === 'number' && !Number.isFinite(item)) strange = key
    return item
  })
  if (strange !== undefined)
    return { ok: false, message: `${strange.slice(0, 80)} is a number that JSON does not have.` }
  return written === undefined
    ? { ok: false, message: 'The document is empty.' }
    : { ok: true, value: JSON.parse(written) as JsonValue }
}

const firstLine = (message: string): string => message.split('\n')[0] ?? ''
