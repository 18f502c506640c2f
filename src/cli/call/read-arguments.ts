// Where the arguments of a call come from: the word itself, a file (@name) or stdin (-). The text is handed on unread: judging it is
// the pipeline's work.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Terminal } from '../terminal.ts'

export type ArgumentSource =
  | { readonly ok: true; readonly text: string | undefined }
  | { readonly ok: false; readonly message: string }

export async function readArguments(word: string | undefined, terminal: Terminal): Promise<ArgumentSource> {
  if (word === undefined) return { ok: true, text: undefined }
  if (word === '-') return { ok: true, text: await terminal.input() }
  if (!word.startsWith('@')) return { ok: true, text: word }
  const file = resolve(terminal.folder, word.slice(1))
  try {
    return { ok: true, text: await readFile(file, 'utf8') }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    return { ok: false, message: `The file of the arguments, ${word.slice(1)}, cannot be read (${code}).` }
  }
}
