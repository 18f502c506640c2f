// The public keys of a log, oldest first, each signed by the one before it: a reader that trusts one of them can follow to the
// newest without being told again. The list itself is public and proves itself.
import { sign, verify } from 'node:crypto'
import { canonicalize } from '../../../json/canonical.ts'
import { type EpochMs, toIso } from '../../../json/clock.ts'
import { readJson } from '../../../json/read.ts'
import { isObject, type JsonValue } from '../../../json/value.ts'
import { type PublicKey, readPublicKey } from './public-key.ts'
import type { SigningKey } from './signing-key.ts'

export interface ChainedKey {
  readonly id: string
  readonly publicKey: PublicKey
  /** ISO 8601, given by the person who changed the keys; for people to read. */
  readonly validFrom: string
  /** By the key before this one, in base64; absent for the first. */
  readonly previousSignature: string | undefined
}

export type KeyChain = readonly ChainedKey[]

export type ChainReading =
  | { readonly ok: true; readonly chain: KeyChain }
  | { readonly ok: false; readonly reason: string }

const format = 'proviso.audit-keys.v1'
const maxKeys = 1_000
const maxBytes = 1_048_576

export function startChain(publicKey: PublicKey, at: EpochMs): KeyChain {
  return [{ id: publicKey.id, publicKey, validFrom: toIso(at), previousSignature: undefined }]
}

/** The chain with one key more, vouched for by the newest key so far. */
export function extendChain(chain: KeyChain, newest: SigningKey, next: PublicKey, at: EpochMs): KeyChain {
  if (chain.at(-1)?.publicKey.text !== newest.publicKey.text) throw new RangeError('Only the newest key names the next')
  const validFrom = toIso(at)
  const signature = sign(null, handover(newest.publicKey, next, validFrom), newest.privateKey)
  return [...chain, { id: next.id, publicKey: next, validFrom, previousSignature: signature.toString('base64') }]
}

export function writeChain(chain: KeyChain): string {
  const keys = chain.map(({ id, publicKey, validFrom, previousSignature }) => ({
    id,
    public_key: publicKey.text,
    valid_from: validFrom,
    previous_signature: previousSignature ?? null,
  }))
  return `${JSON.stringify({ format, keys }, undefined, 2)}\n`
}

/** Reads a chain and checks every handover in it; it does not say whether its first key deserves trust. */
export function readChain(text: string): ChainReading {
  const reading = readJson(text, { maxBytes, maxDepth: 4 })
  if (!reading.ok) return { ok: false, reason: reading.refusal.message }
  const document = reading.value
  if (!isObject(document) || document.format !== format || !Array.isArray(document.keys))
    return { ok: false, reason: `It is not a list of keys in the format ${format}.` }
  const entries: readonly JsonValue[] = document.keys
  if (entries.length === 0 || entries.length > maxKeys) return { ok: false, reason: `It lists ${entries.length} keys.` }
  const chain: ChainedKey[] = []
  for (const [at, entry] of entries.entries()) {
    const read = readEntry(entry)
    if (read === undefined) return { ok: false, reason: `Key ${at + 1} of the list cannot be read.` }
    if (!follows(chain.at(-1), read))
      return { ok: false, reason: `Key ${at + 1} of the list is not signed by the key before it.` }
    chain.push(read)
  }
  return { ok: true, chain }
}

/** The keys that follow from trust in `trusted`: those, and every later one they lead to. */
export function followChain(chain: KeyChain, trusted: readonly PublicKey[]): readonly PublicKey[] {
  const texts = new Set(trusted.map(({ text }) => text))
  const first = chain.findIndex(({ publicKey }) => texts.has(publicKey.text))
  if (first < 0) return trusted
  const reached = chain.slice(first).map(({ publicKey }) => publicKey)
  return [...trusted, ...reached.filter(({ text }) => !texts.has(text))]
}

function readEntry(entry: JsonValue): ChainedKey | undefined {
  if (!isObject(entry)) return undefined
  const { id, public_key: text, valid_from: validFrom, previous_signature: previousSignature } = entry
  if (typeof text !== 'string' || typeof validFrom !== 'string' || validFrom.length > 32) return undefined
  if (typeof previousSignature !== 'string' && previousSignature !== null) return undefined
  const publicKey = readPublicKey(text)
  if (publicKey === undefined || publicKey.id !== id) return undefined
  return { id, publicKey, validFrom, previousSignature: previousSignature ?? undefined }
}

function follows(before: ChainedKey | undefined, key: ChainedKey): boolean {
  if (before === undefined) return key.previousSignature === undefined
  if (key.previousSignature === undefined) return false
  const signature = Buffer.from(key.previousSignature, 'base64')
  const message = handover(before.publicKey, key.publicKey, key.validFrom)
  return (
    signature.toString('base64') === key.previousSignature && verify(null, message, before.publicKey.key, signature)
  )
}

/** Begins unlike a checkpoint, so that neither signature can be taken for the other. */
function handover(from: PublicKey, to: PublicKey, validFrom: string): Uint8Array {
  return Buffer.from(canonicalize(['proviso.audit-key.v1', from.text, to.text, validFrom]))
}
