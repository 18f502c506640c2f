// Files of published pairs: an array of rows { id, draft, lhs, rhs, expected }. What is no pair is refused, never skipped: a score over
// fewer pairs than there are would look better than it is.
import { isObject, type JsonValue } from '../../json/value.ts'
import { dialectOfDraft, type Pair } from '../../subschema/verdict/score.ts'
import type { Terminal } from '../terminal.ts'
import { readJsonFile } from './read-json-file.ts'

const maxBytes = 256 * 2 ** 20

export type PairsFile =
  | { readonly ok: true; readonly pairs: readonly Pair[] }
  | { readonly ok: false; readonly message: string }

export async function readPairs(file: string, terminal: Terminal): Promise<PairsFile> {
  const read = await readJsonFile(file, terminal, maxBytes)
  if (!read.ok) return read
  if (!Array.isArray(read.value)) return { ok: false, message: `${file} holds no array of pairs.` }
  const pairs: Pair[] = []
  for (const [index, row] of (read.value as readonly JsonValue[]).entries()) {
    const pair = pairOf(row)
    if (typeof pair === 'string') return { ok: false, message: `${file}: row ${index + 1} is no pair: ${pair}.` }
    pairs.push(pair)
  }
  return { ok: true, pairs }
}

function pairOf(row: JsonValue): Pair | string {
  if (!isObject(row)) return 'it is no object'
  const { id, draft, lhs, rhs, expected } = row
  if (typeof id !== 'string') return 'id is missing'
  if (typeof draft !== 'string' || dialectOfDraft(draft) === undefined) return 'draft is missing or not known'
  if (lhs === undefined || rhs === undefined) return 'lhs or rhs is missing'
  if (typeof expected !== 'boolean') return 'expected is neither true nor false'
  return { id, draft, lhs, rhs, expected }
}
