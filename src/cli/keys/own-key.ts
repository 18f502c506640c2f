// The key of whoever types: from a file that only they may read, or from PROVISO_KEY. Never from an argument, which every process on the
// machine could see.
import { resolve } from 'node:path'
import { readWhole } from '../../ledger/files/private-file.ts'
import { type Given, type OptionRow, text, texts } from '../command.ts'
import type { Terminal } from '../terminal.ts'

export const ownKeyOption: OptionRow = {
  flags: '--key-file <file>',
  about: 'file with your key, readable by you alone (default: the key in PROVISO_KEY)',
}

export type OwnKeys =
  | { readonly ok: true; readonly keys: readonly string[] }
  | { readonly ok: false; readonly message: string }

export type OwnKey = { readonly ok: true; readonly key: string } | { readonly ok: false; readonly message: string }

const nobody =
  'Say who you are: put your key into PROVISO_KEY, or name its file with --key-file. proviso keys create makes one.'

/** Of everybody at the keyboard: files may be named several times. */
export async function ownKeys(given: Given, terminal: Terminal): Promise<OwnKeys> {
  const one = text(given, 'keyFile')
  const files = one === undefined ? texts(given, 'keyFile') : [one]
  if (files.length === 0) {
    const key = terminal.key?.trim() ?? ''
    return key === '' ? { ok: false, message: nobody } : { ok: true, keys: [key] }
  }
  const keys: string[] = []
  for (const file of files) {
    const reading = await readWhole(resolve(terminal.folder, file), { secret: true })
    if (reading.kind === 'absent') return { ok: false, message: `There is no file ${file}.` }
    if (reading.kind === 'refused') return { ok: false, message: reading.reason }
    keys.push(reading.text.trim())
  }
  return { ok: true, keys }
}

export async function ownKey(given: Given, terminal: Terminal): Promise<OwnKey> {
  const reading = await ownKeys(given, terminal)
  if (!reading.ok) return reading
  const [key = '', ...more] = reading.keys
  return more.length === 0 ? { ok: true, key } : { ok: false, message: 'One key at a time.' }
}
