// The log of a ledger, opened with the key that signs it, and the public keys that a person trusts: single keys, as text or in a file, and
// the list of all keys that a log was signed with. A trusted key of the list makes all keys after it trusted; without one, the list is
// taken as it is.
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { followChain, type KeyChain, readChain } from '../../ledger/log/key-chain.ts'
import { type PublicKey, readPublicKey } from '../../ledger/log/public-key.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import type { TransparencyLog } from '../../ledger/ports/transparency-log.ts'
import { available, type CommandIo, type CommandResult, missing, misuse, type Needed } from '../command.ts'
import { ledgerPlace } from '../ledger/ledger-place.ts'
import { openLedger } from '../ledger/open-ledger.ts'

/** Undefined where neither was one named nor does the ledger lie in a folder of its own. */
export function keyFileOf(io: CommandIo): string | undefined {
  const named = io.option('keyFile')
  if (named !== undefined) return resolve(io.folder, named)
  const place = ledgerPlace(io)
  return place.kind === 'embedded' ? join(place.dir, 'audit.key') : undefined
}

export async function withLog(
  io: CommandIo,
  use: (log: TransparencyLog, ledger: Ledger) => Promise<CommandResult>,
): Promise<CommandResult> {
  const keyFile = keyFileOf(io)
  // Nothing is put into the log on opening: every action does it itself, where it belongs.
  const log = { sequence: false, ...(keyFile !== undefined && { keyFile }) }
  const opened = await openLedger(io, { make: false, log })
  if (!opened.ok) return opened.result
  const ledger = opened.value
  try {
    return ledger.log === undefined ? misuse('This ledger keeps no log.') : await use(ledger.log, ledger)
  } finally {
    await ledger.close()
  }
}

/** A name as a URL, or as a path below the working folder. */
export const urlOrPath = (name: string, io: CommandIo): string =>
  /^https?:/i.test(name) ? name : resolve(io.folder, name)

/** `beside` is where the list lies by default. */
export async function trustedKeys(io: CommandIo, beside: string | undefined): Promise<Needed<readonly PublicKey[]>> {
  const single: PublicKey[] = []
  for (const word of io.optionList('key')) {
    const key = readPublicKey(word) ?? readPublicKey((await fileText(io, word))?.trim() ?? '')
    if (key === undefined) return missing(`${word.slice(0, 100)} is neither a public key nor a file with one.`)
    single.push(key)
  }
  const named = io.option('keys')
  const file = named ?? beside
  const written = file === undefined ? undefined : await fileText(io, file)
  if (named !== undefined && written === undefined) return missing(`${named} cannot be read.`)
  const list: KeyChain | undefined = written === undefined ? [] : chainOf(written)
  if (list === undefined) return missing(`${file} is not a list of public keys, or was changed.`)
  if (single.length > 0) return available(followChain(list, single))
  if (list.length > 0) return available(list.map(({ publicKey }) => publicKey))
  return missing('There is no public key to trust.', [
    '--key takes one, --keys the list that lies beside the private key (audit.key.pub).',
    'proviso audit checkpoint makes a key where there is none.',
  ])
}

function chainOf(written: string): KeyChain | undefined {
  const reading = readChain(written)
  return reading.ok ? reading.chain : undefined
}

async function fileText(io: CommandIo, file: string): Promise<string | undefined> {
  try {
    return await readFile(resolve(io.folder, file), 'utf8')
  } catch {
    return undefined
  }
}
