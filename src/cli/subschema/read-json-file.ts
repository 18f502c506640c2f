// Reads JSON from a file or stdin. JSON.parse keeps `__proto__` as a plain key, which a schema may well have.
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { JsonValue } from '../../json/value.ts'
import type { Terminal } from '../terminal.ts'

/** Well above what the prover takes, so that a large schema is answered by the prover and not by us. */
export const maxSchemaBytes = 32 * 2 ** 20

export type JsonFile =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string }

export async function readJsonFile(name: string, terminal: Terminal, maxBytes: number): Promise<JsonFile> {
  const shown = name === '-' ? 'stdin' : name
  try {
    const given = name === '-' ? await terminal.input() : await readSmall(resolve(terminal.folder, name), maxBytes)
    if (given === undefined || given.length > maxBytes) {
      return { ok: false, message: `${shown} is larger than ${maxBytes / 2 ** 20} MiB.` }
    }
    return { ok: true, value: JSON.parse(given.replace(/^\uFEFF/, '')) as JsonValue }
  } catch (error) {
    if (error instanceof SyntaxError) {
      return { ok: false, message: `${shown} is not JSON: ${error.message.slice(0, 200)}` }
    }
    if (error instanceof Error && 'code' in error) {
      return { ok: false, message: `${shown} cannot be read (${String(error.code)}).` }
    }
    throw error
  }
}

async function readSmall(file: string, maxBytes: number): Promise<string | undefined> {
  const { size } = await stat(file)
  return size > maxBytes ? undefined : await readFile(file, 'utf8')
}
