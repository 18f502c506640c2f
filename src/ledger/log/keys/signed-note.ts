// Signed notes as C2SP specifies them: a text, an empty line, and signature lines. Read strictly: one note has one
// spelling, and a text that could be read in two ways is refused.
import { sign, verify } from 'node:crypto'
import type { PublicKey } from './public-key.ts'
import type { SigningKey } from './signing-key.ts'

export interface NoteSignature {
  readonly name: string
  /** Eight hex digits. */
  readonly id: string
  readonly signature: Uint8Array
}

export interface SignedNote {
  /** Ends with a newline; this is what is signed. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

export type NoteCheck =
  | { readonly ok: true; readonly signers: readonly PublicKey[] }
  | { readonly ok: false; readonly reason: string }

const maxNoteLength = 65_536
/** The specification asks for sixteen at least: witnesses may add theirs. */
const maxSignatures = 64
const idBytes = 4
const ed25519Bytes = 64
const signatureLine = /^— ([^\s+]{1,256}) ([A-Za-z0-9+/]+={0,2})$/u
// Everything below the space but the newline.
const control = /[^\n -\u{10ffff}]/u

/** Signs with every key given: while keys change hands, a note may carry the old and the new one's signature. */
export function signNote(text: string, keys: readonly SigningKey[]): string {
  if (!text.endsWith('\n') || text.includes('\n\n') || control.test(text))
    throw new RangeError('Not the text of a note')
  const lines = keys.map(({ privateKey, publicKey: { name, id } }) => {
    const signature = sign(null, Buffer.from(text), privateKey)
    return `— ${name} ${Buffer.concat([Buffer.from(id, 'hex'), signature]).toString('base64')}\n`
  })
  return `${text}\n${lines.join('')}`
}

export function readSignedNote(note: string): SignedNote | undefined {
  if (note.length > maxNoteLength || !note.isWellFormed() || control.test(note)) return undefined
  const split = note.lastIndexOf('\n\n')
  if (split <= 0 || !note.endsWith('\n')) return undefined
  const lines = note.slice(split + 2, -1).split('\n')
  if (lines.length > maxSignatures) return undefined
  const signatures: NoteSignature[] = []
  const signers = new Set<string>()
  for (const line of lines) {
    const [, name, encoded] = signatureLine.exec(line) ?? []
    if (name === undefined || encoded === undefined) return undefined
    const bytes = Buffer.from(encoded, 'base64')
    if (bytes.toString('base64') !== encoded || bytes.length <= idBytes) return undefined
    const id = bytes.toString('hex', 0, idBytes)
    // Two signatures by one signer would leave open which of them counts.
    if (signers.has(`${name} ${id}`)) return undefined
    signers.add(`${name} ${id}`)
    signatures.push({ name, id, signature: bytes.subarray(idBytes) })
  }
  return { text: note.slice(0, split + 1), signatures }
}

/** One signature by a known key is needed, and none by a known key may be wrong. Signatures by strangers say nothing. */
export function checkNote(note: SignedNote, keys: readonly PublicKey[]): NoteCheck {
  const signed = Buffer.from(note.text)
  const signers: PublicKey[] = []
  for (const { name, id, signature } of note.signatures) {
    const known = keys.find((key) => key.name === name && key.id === id)
    if (known === undefined) continue
    if (signature.length !== ed25519Bytes || !verify(null, signed, known.key, signature))
      return { ok: false, reason: `The signature by ${name} does not fit the text.` }
    signers.push(known)
  }
  if (signers.length > 0) return { ok: true, signers }
  const names = note.signatures.slice(0, 4).map(({ name }) => name)
  return { ok: false, reason: `No key that is trusted here has signed it; it names ${names.join(', ')}.` }
}
