// The log of a ledger, opened with the key that signs it: checkpoints signed and handed out, the key rotated, the content of old calls
// retired; and the public keys that a person trusts.
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { epochMs, toIso } from '../../json/clock.ts'
import { keepCheckpoint } from '../../ledger/log/kept-checkpoints.ts'
import { followChain, type KeyChain, readChain } from '../../ledger/log/keys/key-chain.ts'
import { chainFileOf, rotateKey } from '../../ledger/log/keys/key-file.ts'
import { type PublicKey, readPublicKey } from '../../ledger/log/keys/public-key.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import type { TransparencyLog } from '../../ledger/ports/transparency-log.ts'
import { available, type CommandIo, type CommandResult, missing, misuse, type Needed } from '../command.ts'
import { ledgerPlace } from '../ledger/ledger-place.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import { lineText } from '../plain-text.ts'
import { printResult } from '../print.ts'

/** Undefined where no key was named and the ledger is not an embedded one. */
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

/** `beside` is the file of the list where none is named. */
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

/** Puts what waits into the log, signs it, and hands the newest checkpoints out to be kept elsewhere. */
export function signCheckpoints(io: CommandIo): Promise<CommandResult> {
  return withLog(io, async (log) => {
    const signed = await log.checkpoint(io.option('tenant'))
    if (!signed.ok) return misuse(signed.reason, ['--key-file names the key; it is made where there is none.'])
    const { checkpoints } = signed
    const out = io.option('out')
    for (const { text } of out === undefined ? [] : checkpoints) {
      const keeping = await keepCheckpoint(urlOrPath(out ?? '', io), text)
      if (!keeping.ok) return misuse(keeping.reason)
    }
    return printResult(io, { checkpoints, out: out ?? null }, [
      ...checkpoints.map(({ tenant, size, text }) =>
        out === undefined ? text : `${lineText(tenant)}: ${size} leaves, kept`,
      ),
      ...(checkpoints.length === 0 ? ['The log is empty: there is nothing to sign.'] : []),
    ])
  })
}

/** A new key signs from now on; the old one signs it, so that a verifier that trusts the old one can trust it, too. */
export async function rotateLogKey(io: CommandIo): Promise<CommandResult> {
  const file = keyFileOf(io)
  if (file === undefined) return misuse('--key-file names the key to rotate.')
  const rotation = await rotateKey(file)
  if (!rotation.ok) return misuse(rotation.reason)
  const { key, chain } = rotation
  const list = chainFileOf(file)
  return printResult(io, { key_file: file, public_key: key.publicKey.text, keys: chain.length, list }, [
    `From now on checkpoints are signed with ${key.publicKey.text}`,
    `${list} lists ${chain.length} keys, each signed by the one before it: hand it to those who verify.`,
  ])
}

const dateSyntax = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** Drops the content of old calls. The log keeps its leaves and says what went, when and why. */
export async function retireCalls(io: CommandIo): Promise<CommandResult> {
  const date = io.option('before') ?? ''
  const at = dateSyntax.test(date) ? Date.parse(date) : Number.NaN
  if (Number.isNaN(at)) return misuse('--before takes a date, such as 2026-01-01.')
  const reason = io.option('why')?.trim() ?? ''
  if (reason === '' || reason.length > 1_000) return misuse('--why says the reason, in at most 1,000 characters.')
  return withLog(io, async (log) => {
    const retired = await log.retire({ before: epochMs(at), reason })
    if (!retired.ok) return misuse(retired.reason)
    const before = toIso(retired.before)
    const { tenants, kept } = retired
    return printResult(io, { before, tenants, kept }, [
      ...tenants.map(({ tenant, leaves }) => `${lineText(tenant)}: the facts of ${leaves} groups are gone`),
      ...(kept.length === 0 ? [] : [`${kept.length} calls are kept: something about them is open.`]),
      `Calls made before ${before} are retired.`,
    ])
  })
}
