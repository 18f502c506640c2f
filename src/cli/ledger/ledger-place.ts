// Where the calls of a command are kept: what was typed, else PROVISO_LEDGER, else the embedded Postgres in the hidden folder `.proviso`
// below the working folder.
import { mkdir, rmdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { CommandIo, OptionRow } from '../command.ts'

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

/** Undefined where neither an option nor the environment names a ledger. */
export const namedLedger = (io: CommandIo): string | undefined =>
  [io.option('ledger'), io.ledger].find((place) => place !== undefined && place !== '')

export function ledgerPlace(io: CommandIo): LedgerPlace {
  const named = namedLedger(io)
  if (named !== undefined && /^postgres(ql)?:\/\//.test(named))
    return { kind: 'postgres', url: named, shown: withoutPassword(named) }
  // A misspelt URL must not become a folder of that name.
  if (named?.includes('://')) return { kind: 'unknown', shown: withoutPassword(named) }
  const shown = named ?? defaultLedger
  return { kind: 'embedded', dir: resolve(io.folder, shown), shown, isDefault: named === undefined }
}

/** A text that is no URL is not shown at all, and of a URL only what follows the last @: a password may hold any character, unescaped. */
function withoutPassword(text: string): string {
  const url = URL.parse(text)
  if (url === null) return `${text.slice(0, text.indexOf('://'))}://…`
  return `${url.protocol}//${`${url.host}${url.pathname}`.replace(/^.*@/s, '')}`
}

/**
 * Makes `.proviso` with a .gitignore in it: calls hold data of real systems, and keys say who decides. Each command that may make the
 * folder calls this first: a folder that exists is left as it is, because its owner has chosen what git sees of it. Throws where git
 * would see what is kept there.
 */
export async function hideFromGit(folder: string): Promise<void> {
  if ((await mkdir(folder, { recursive: true })) === undefined) return
  try {
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' })
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    // The next attempt must not find it and leave it as it is. Where others have put files into it already, it stays.
    await rmdir(folder).catch(() => undefined)
    throw error
  }
}
