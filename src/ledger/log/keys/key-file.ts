// Where a log's key lives: `<file>` holds the private key, for its owner alone, and `<file>.pub` the chain of public
// keys. The key in use is always one of the chain, also when a process dies in the middle of anything done here.
import { unlink } from 'node:fs/promises'
import { type Clock, systemClock } from '../../../json/clock.ts'
import { createWhole, makeFolderOf, moveInto, readWhole, replaceWhole } from '../../files/private-file.ts'
import { extendChain, type KeyChain, readChain, startChain, writeChain } from './key-chain.ts'
import { generateSigningKey, readSigningKey, type SigningKey, writeSigningKey } from './signing-key.ts'

export type KeyLoading =
  | { readonly ok: true; readonly key: SigningKey; readonly chain: KeyChain; readonly created: boolean }
  | { readonly ok: false; readonly reason: string }

type Failure = Extract<KeyLoading, { ok: false }>

const secretMode = 0o600
const publicMode = 0o644

export const chainFileOf = (file: string): string => `${file}.pub`

/** Loads the key, or makes one where there is none. Of many processes that start at once, all get the same key. */
export async function loadOrCreateKey(file: string, clock: Clock = systemClock): Promise<KeyLoading> {
  await makeFolderOf(file)
  const found = await readKey(file)
  if (found.kind === 'refused') return { ok: false, reason: found.reason }
  if (found.kind === 'key') return withChain(file, found.key, clock, false)
  const fresh = generateSigningKey()
  const created = await createWhole(file, writeSigningKey(fresh), secretMode)
  if (created) return withChain(file, fresh, clock, true)
  const winner = await readKey(file)
  if (winner.kind === 'key') return withChain(file, winner.key, clock, false)
  return { ok: false, reason: winner.kind === 'refused' ? winner.reason : `${file} came and went. Try again.` }
}

/**
 * Puts a new key in place of the old one, which names it in the chain. Ends in one of two states however it is cut
 * short, the old key in use or the new one, and the next rotation finishes what was begun.
 */
export async function rotateKey(file: string, clock: Clock = systemClock): Promise<KeyLoading> {
  const lock = `${file}.lock`
  await makeFolderOf(file)
  if (!(await createWhole(lock, `${process.pid}\n`, secretMode)))
    return keyFileFault(
      `Another rotation is at work: ${lock} exists. If its process is gone, remove that file and try again.`,
    )
  try {
    return await rotateLocked(file, clock)
  } finally {
    await unlink(lock)
  }
}

async function rotateLocked(file: string, clock: Clock): Promise<KeyLoading> {
  const current = await loadOrCreateKey(file, clock)
  if (!current.ok) return current
  const staged = `${file}.next`
  const next = await stagedKey(staged)
  if (!next.ok) return next
  const { key } = next
  const listed = current.chain.some(({ publicKey }) => publicKey.text === key.publicKey.text)
  if (!listed && current.chain.at(-1)?.publicKey.text !== current.key.publicKey.text)
    return keyFileFault(
      `${chainFileOf(file)} names a later key than the one in ${file}, and ${staged} is gone with it.`,
    )
  const chain = listed ? current.chain : extendChain(current.chain, current.key, key.publicKey, clock.now())
  // The chain first: a key in use that no reader could follow to would be worse than a listed key not in use yet.
  if (!listed) await replaceWhole(chainFileOf(file), writeChain(chain), publicMode)
  await moveInto(staged, file)
  return { ok: true, key, chain, created: true }
}

/** The key that comes next: one left behind by a rotation that was cut short, else a new one. */
async function stagedKey(staged: string): Promise<{ readonly ok: true; readonly key: SigningKey } | Failure> {
  const left = await readKey(staged)
  if (left.kind === 'refused') return keyFileFault(left.reason)
  if (left.kind === 'key') return { ok: true, key: left.key }
  const key = generateSigningKey()
  await createWhole(staged, writeSigningKey(key), secretMode)
  return { ok: true, key }
}

async function readKey(
  file: string,
): Promise<
  | { readonly kind: 'key'; readonly key: SigningKey }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: string }
> {
  const reading = await readWhole(file, { secret: true })
  if (reading.kind !== 'read') return reading
  const key = readSigningKey(reading.text)
  return key === undefined
    ? { kind: 'refused', reason: `${file} holds no Ed25519 private key (PKCS #8, PEM).` }
    : { kind: 'key', key }
}

/** The key is read before the chain, and a rotation writes the chain before the key: so what is read fits together. */
async function withChain(file: string, key: SigningKey, clock: Clock, created: boolean): Promise<KeyLoading> {
  const chainFile = chainFileOf(file)
  let reading = await readWhole(chainFile, { secret: false })
  if (reading.kind === 'absent') {
    await createWhole(chainFile, writeChain(startChain(key.publicKey, clock.now())), publicMode)
    reading = await readWhole(chainFile, { secret: false })
  }
  if (reading.kind !== 'read')
    return keyFileFault(reading.kind === 'refused' ? reading.reason : `${chainFile} came and went.`)
  const chain = readChain(reading.text)
  if (!chain.ok) return keyFileFault(`${chainFile}: ${chain.reason}`)
  if (!chain.chain.some(({ publicKey }) => publicKey.text === key.publicKey.text))
    return keyFileFault(
      `${chainFile} does not list the key in ${file} (${key.publicKey.name}). One of them belongs elsewhere.`,
    )
  return { ok: true, key, chain: chain.chain, created }
}

function keyFileFault(reason: string): Failure {
  return { ok: false, reason }
}
