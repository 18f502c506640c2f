// The signed head of one tenant's log, in the text form of C2SP checkpoints, so that tools made for other logs can keep
// and witness it: origin, size, root, time. The same head has one text.
import { type EpochMs, epochMs, toIso } from '../../json/clock.ts'
import type { PublicKey } from './keys/public-key.ts'
import { checkNote, readSignedNote, type SignedNote, signNote } from './keys/signed-note.ts'
import type { SigningKey } from './keys/signing-key.ts'
import { isTreeSize } from './tree/subtrees.ts'
import { type Hash, hashBytes } from './tree/tree-hash.ts'

export interface Checkpoint {
  readonly origin: string
  readonly size: number
  readonly root: Hash
  readonly at: EpochMs
}

export type CheckpointReading =
  | { readonly ok: true; readonly checkpoint: Checkpoint; readonly note: SignedNote }
  | { readonly ok: false; readonly reason: string }

export type CheckpointCheck =
  | { readonly ok: true; readonly checkpoint: Checkpoint; readonly signers: readonly PublicKey[] }
  | { readonly ok: false; readonly reason: string }

const originSyntax = /^proviso\/(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})*$/
const sizeSyntax = /^(?:0|[1-9][0-9]{0,15})$/
const timeSyntax = /^time (.{24})$/
const plain = /^[A-Za-z0-9._~-]$/

/** Different tenants have different origins, for all characters in their names; no origin holds a space or a newline. */
export function checkpointOrigin(tenant: string): string {
  let origin = 'proviso/'
  for (const character of tenant) origin += plain.test(character) ? character : percent(character)
  return origin
}

export function signCheckpoint(checkpoint: Checkpoint, ...keys: readonly [SigningKey, ...SigningKey[]]): string {
  const { origin, size, root, at } = checkpoint
  if (!originSyntax.test(origin)) throw new RangeError('Not an origin of ours')
  if (!isTreeSize(size) || root.length !== hashBytes) throw new RangeError('Not the head of a tree')
  const lines = [origin, `${size}`, Buffer.from(root).toString('base64'), `time ${toIso(at)}`]
  return signNote(`${lines.join('\n')}\n`, keys)
}

/** Reads without judging signatures: what it returns may come from any writer. */
export function readCheckpoint(text: string): CheckpointReading {
  const note = readSignedNote(text)
  if (note === undefined) return { ok: false, reason: 'It is not a signed note.' }
  const lines = note.text.slice(0, -1).split('\n')
  const [origin = '', sizeText = '', encodedRoot = '', timeLine = ''] = lines
  if (lines.length !== 4) return { ok: false, reason: 'A checkpoint has four lines: origin, size, root, time.' }
  if (!originSyntax.test(origin)) return { ok: false, reason: 'Its origin is not a log of this kind.' }
  const size = Number(sizeText)
  if (!sizeSyntax.test(sizeText) || !isTreeSize(size)) return { ok: false, reason: 'Its size is not a count.' }
  const root = Buffer.from(encodedRoot, 'base64')
  if (root.length !== hashBytes || root.toString('base64') !== encodedRoot)
    return { ok: false, reason: 'Its root is not a hash.' }
  const at = readTime(timeSyntax.exec(timeLine)?.[1])
  if (at === undefined) return { ok: false, reason: 'Its time is not an instant.' }
  return { ok: true, checkpoint: { origin, size, root, at }, note }
}

export function verifyCheckpoint(text: string, keys: readonly PublicKey[]): CheckpointCheck {
  const reading = readCheckpoint(text)
  if (!reading.ok) return reading
  const check = checkNote(reading.note, keys)
  return check.ok ? { ok: true, checkpoint: reading.checkpoint, signers: check.signers } : check
}

/** UTF-8 in percent signs. Half a surrogate pair has no UTF-8; its number is written as if it had. */
function percent(character: string): string {
  if (character.isWellFormed()) return [...Buffer.from(character)].map(octet).join('')
  const code = character.charCodeAt(0)
  return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)].map(octet).join('')
}

function octet(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}

function readTime(iso: string | undefined): EpochMs | undefined {
  const at = Date.parse(iso ?? '')
  return !Number.isNaN(at) && new Date(at).toISOString() === iso ? epochMs(at) : undefined
}
