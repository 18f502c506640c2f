// SHA-256, always over a form in which different values have different bytes. Plain concatenation is never hashed:
// several fields go in as one canonical JSON array that begins with the domain they belong to.
import { hash } from 'node:crypto'
import { canonicalize } from './canonical.ts'
import type { JsonValue } from './value.ts'

/** Lower-case hex digest; text is hashed as UTF-8. */
export function sha256(text: string | Uint8Array): string {
  return hash('sha256', text, 'hex')
}

export function hashJson(value: JsonValue): string {
  return sha256(canonicalize(value))
}

/** Digest of a tuple; an absent field is null and differs from every text. */
export function hashFields(domain: string, fields: readonly (string | null)[]): string {
  return sha256(canonicalize([domain, ...fields]))
}
