// Reads a path that a model wrote: relative, in parts, without anything that a file system or a person might read in another way.
// What passes here names a place below the root by its letters; that no link leads elsewhere is seen to when it is opened.
import { withoutEnd } from '../../../json/text-end.ts'

export type PathReading =
  | { readonly ok: true; readonly parts: readonly string[] }
  | { readonly ok: false; readonly reason: 'invalid_arguments' | 'sandbox_violation'; readonly message: string }

export interface PathRules {
  /** A folder in the root that no path may enter. */
  readonly hidden?: string | undefined
  /** Whether `.` may stand for the root itself. */
  readonly root?: boolean | undefined
}

const maxPathBytes = 1_024
const maxPartBytes = 255

/** Control characters, and marks that turn text around on the screen of the approver. */
const deceiving = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u

export function readRelativePath(value: unknown, { hidden, root = false }: PathRules): PathReading {
  if (typeof value !== 'string' || value === '') return invalid('A path is a text, relative to the root.')
  if (Buffer.byteLength(value) > maxPathBytes) return invalid(`A path has at most ${maxPathBytes} bytes.`)
  if (!value.isWellFormed() || deceiving.test(value)) return outside('A path holds no control characters.')
  if (value.includes('\\')) return outside('Parts of a path are separated by / alone.')
  if (value.startsWith('/')) return outside('A path is relative to the root: it does not begin with /.')
  // Two spellings of one name would be two files here and one file elsewhere.
  if (value !== value.normalize('NFC')) return invalid('A path is written in composed characters (Unicode NFC).')
  if (root && value === '.') return { ok: true, parts: [] }
  const parts = value.split('/')
  for (const part of parts) {
    if (part === '..') return outside('A path never leads upwards: .. is refused.')
    if (part === '' || part === '.') return invalid('A path has no empty parts, and . is none.')
    if (Buffer.byteLength(part) > maxPartBytes) return invalid(`A name has at most ${maxPartBytes} bytes.`)
  }
  if (hidden !== undefined && folded(parts[0] ?? '') === folded(hidden))
    return outside('This folder holds what was deleted; it is not reached by a path.')
  return { ok: true, parts }
}

/** As a file system reads names that ignores case, compatibility forms, and dots and spaces at the end. */
const folded = (name: string) => withoutEnd(name.normalize('NFKC').toLowerCase(), '. ')

const invalid = (message: string): PathReading => ({ ok: false, reason: 'invalid_arguments', message })
const outside = (message: string): PathReading => ({ ok: false, reason: 'sandbox_violation', message })
