// The public half of a signing key, in the one-line form of signed notes: name, key id and key, joined by plus signs.
// Name and id both follow from the key, so a key has one spelling and cannot go by another's name.
import { createPublicKey, hash, type KeyObject } from 'node:crypto'

export interface PublicKey {
  readonly name: string
  /** Eight hex digits: which key a signature claims to be by. It identifies; it proves nothing. */
  readonly id: string
  /** The one-line form. */
  readonly text: string
  readonly key: KeyObject
}

/** The signature type of Ed25519 in signed notes. */
const ed25519 = 1
const rawBytes = 32
// DER before the 32 bytes of an Ed25519 key (RFC 8410).
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')
const syntax = /^[a-z0-9-]{1,64}\+[0-9a-f]{8}\+([A-Za-z0-9+/]{44})$/

export function publicKeyOf(key: KeyObject): PublicKey {
  const publicHalf = key.type === 'private' ? createPublicKey(key) : key
  if (publicHalf.asymmetricKeyType !== 'ed25519') throw new TypeError('Not an Ed25519 key')
  return describe(publicHalf.export({ type: 'spki', format: 'der' }).subarray(-rawBytes), publicHalf)
}

/** Reads the one-line form; undefined for anything that is not exactly how we write it. */
export function readPublicKey(text: string): PublicKey | undefined {
  const encoded = syntax.exec(text)?.[1]
  if (encoded === undefined) return undefined
  const typed = Buffer.from(encoded, 'base64')
  if (typed.length !== 1 + rawBytes || typed[0] !== ed25519) return undefined
  const raw = typed.subarray(1)
  const key = importRaw(raw)
  if (key === undefined) return undefined
  const read = describe(raw, key)
  return read.text === text ? read : undefined
}

function describe(raw: Buffer, key: KeyObject): PublicKey {
  const typed = Buffer.concat([Buffer.of(ed25519), raw])
  const name = `proviso-${hash('sha256', raw, 'hex').slice(0, 16)}`
  const id = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), typed]), 'hex').slice(0, 8)
  return { name, id, text: `${name}+${id}+${typed.toString('base64')}`, key }
}

/** Some engines check at import that the bytes are a point on the curve, and throw. */
function importRaw(raw: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.concat([spkiPrefix, raw]), type: 'spki', format: 'der' })
  } catch {
    return undefined
  }
}
