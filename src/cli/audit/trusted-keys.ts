// Which public keys a person trusts: single keys, as text or in a file, and the list of all keys that a log was signed with. Whoever
// trusts one key of the list trusts those that it led to; without one, the list is taken as it is.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { followChain, type KeyChain, readChain } from '../../ledger/log/key-chain.ts'
import { type PublicKey, readPublicKey } from '../../ledger/log/public-key.ts'
import { type Given, text, texts } from '../command.ts'
import type { Terminal } from '../terminal.ts'

export type TrustedKeys =
  | { readonly ok: true; readonly keys: readonly PublicKey[] }
  | { readonly ok: false; readonly message: string; readonly details: readonly string[] }

/** `beside` is where the list lies by default. */
export async function trustedKeys(given: Given, terminal: Terminal, beside: string | undefined): Promise<TrustedKeys> {
  const single: PublicKey[] = []
  for (const word of texts(given, 'key')) {
    const key = readPublicKey(word) ?? readPublicKey((await textOf(terminal, word))?.trim() ?? '')
    if (key === undefined) return fail(`${word.slice(0, 100)} is neither a public key nor a file with one.`)
    single.push(key)
  }
  const named = text(given, 'keys')
  const file = named ?? beside
  const written = file === undefined ? undefined : await textOf(terminal, file)
  if (named !== undefined && written === undefined) return fail(`${named} cannot be read.`)
  const list: KeyChain | undefined = written === undefined ? [] : chainOf(written)
  if (list === undefined) return fail(`${file} is not a list of public keys, or was changed.`)
  if (single.length > 0) return { ok: true, keys: followChain(list, single) }
  if (list.length > 0) return { ok: true, keys: list.map(({ publicKey }) => publicKey) }
  return fail('There is no public key to trust.', [
    '--key takes one, --keys the list that lies beside the private key (audit.key.pub).',
    'proviso audit checkpoint makes a key where there is none.',
  ])
}

function chainOf(written: string): KeyChain | undefined {
  const reading = readChain(written)
  return reading.ok ? reading.chain : undefined
}

async function textOf(terminal: Terminal, file: string): Promise<string | undefined> {
  try {
    return await readFile(resolve(terminal.folder, file), 'utf8')
  } catch {
    return undefined
  }
}

const fail = (message: string, details: readonly string[] = []): TrustedKeys => ({ ok: false, message, details })
