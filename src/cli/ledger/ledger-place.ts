// Where the calls of a command are kept: what was typed, else PROVISO_LEDGER, else the embedded Postgres below the working folder.
import { resolve } from 'node:path'
import { type Given, type OptionRow, text } from '../command.ts'
import type { Terminal } from '../terminal.ts'

const defaultLedger = '.proviso/ledger'

/** For every command that reads or keeps calls. */
export const ledgerOptions: readonly OptionRow[] = [
  {
    flags: '--ledger <place>',
    about: `where calls are kept: a postgres:// URL, or the folder of an embedded Postgres (default: PROVISO_LEDGER, else ${defaultLedger})`,
  },
  {
    flags: '--stay',
    about: 'leave the embedded Postgres running, so that the next command finds it; counts until --no-stay',
  },
  { flags: '--no-stay', about: 'stop the embedded Postgres with its last user again' },
]

export type LedgerPlace =
  | { readonly kind: 'postgres'; readonly url: string; readonly shown: string }
  | { readonly kind: 'embedded'; readonly dir: string; readonly shown: string; readonly isDefault: boolean }
  | { readonly kind: 'unknown'; readonly shown: string }

export function ledgerPlace(given: Given, terminal: Pick<Terminal, 'folder' | 'ledger'>): LedgerPlace {
  const named = [text(given, 'ledger'), terminal.ledger].find((place) => place !== undefined && place !== '')
  if (named !== undefined && /^postgres(ql)?:\/\//.test(named))
    return { kind: 'postgres', url: named, shown: withoutPassword(named) }
  // A misspelt URL must not become a folder of that name.
  if (named?.includes('://')) return { kind: 'unknown', shown: withoutPassword(named) }
  const shown = named ?? defaultLedger
  return { kind: 'embedded', dir: resolve(terminal.folder, shown), shown, isDefault: named === undefined }
}

/** Of what cannot be read as a URL nothing is shown, and nothing before the last @: a password may hold any character, unescaped. */
function withoutPassword(text: string): string {
  const url = URL.parse(text)
  if (url === null) return `${text.slice(0, text.indexOf('://'))}://…`
  return `${url.protocol}//${`${url.host}${url.pathname}`.replace(/^.*@/s, '')}`
}
