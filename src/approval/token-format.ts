// The approval token: what people decided about one call, signed, as a compact JWS (EdDSA). It is bound to call, slot,
// payload, packet and requirement. Invariant: one token has one spelling, and no text can make the reader throw.
import { sign, verify } from 'node:crypto'
import { canonicalize } from '../json/canonical.ts'
import { type EpochMs, epochMs, toIso } from '../json/clock.ts'
import { readJson } from '../json/read.ts'
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts'
import type { PublicKey } from '../ledger/log/keys/public-key.ts'
import type { SigningKey } from '../ledger/log/keys/signing-key.ts'

export interface TokenClaims {
  readonly approvalId: string
  readonly traceId: string
  readonly tool: string
  readonly version: string
  /** SHA-256 in hex, like the other two hashes; on the wire they begin with `sha256:`. */
  readonly payloadHash: string
  /** The people whose votes counted, in order of their votes. */
  readonly approvers: readonly string[]
  readonly approvedAt: EpochMs
  readonly expiresAt: EpochMs
  /** `grant`: this call was let through by a standing approval, whose id `approvalId` is. */
  readonly scope: 'single_execution' | 'grant'
  readonly decision: 'approved' | 'rejected'
  readonly tenant: string
  readonly callId: string
  readonly slot: string
  readonly generation: number
  readonly packetHash: string
  readonly requirementHash: string
}

type Bound =
  | 'tool'
  | 'version'
  | 'payloadHash'
  | 'tenant'
  | 'callId'
  | 'slot'
  | 'generation'
  | 'packetHash'
  | 'requirementHash'

/** What the call at hand says itself. The trace is compared where it is given: a call may go on under another one. */
export type ExpectedToken = Pick<TokenClaims, Bound> & { readonly traceId?: string | undefined }

export type TokenRefusal =
  | 'malformed'
  | 'unknown_key'
  | 'bad_signature'
  | 'other_tenant'
  | 'other_tool'
  | 'other_version'
  | 'other_call'
  | 'other_slot'
  | 'other_payload'
  | 'other_packet'
  | 'other_requirement'
  | 'not_approved'
  | 'not_yet'
  | 'expired'

export type TokenReading =
  | { readonly ok: true; readonly claims: TokenClaims }
  | { readonly ok: false; readonly reason: TokenRefusal }

const maxLength = 32_768
const maxText = 1_024
const maxApprovers = 32
/** A ledger's clock may run this far ahead of ours. Expiry gets no such grace. */
const skewMs = 60_000
const compact = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/
const hashSyntax = /^sha256:[0-9a-f]{64}$/

/** Throws on claims that could not be read back: code that makes such a token has a bug. */
export function signToken(claims: TokenClaims, key: SigningKey): string {
  const wire = wireToken(claims)
  if (claimsOf(wire) === undefined) throw new TypeError('These are no claims of an approval token')
  const header = canonicalize({ alg: 'EdDSA', kid: key.publicKey.name, typ: 'proviso-approval+jwt' })
  const signed = `${encode(header)}.${encode(canonicalize(wire))}`
  const token = `${signed}.${sign(null, Buffer.from(signed), key.privateKey).toString('base64url')}`
  if (token.length > maxLength) throw new RangeError(`An approval token has at most ${maxLength} characters`)
  return token
}

/** Contents are read only after the signature is verified, and the subject is compared before the time. */
export function readToken(
  text: string,
  publicKeys: readonly PublicKey[],
  expected: ExpectedToken,
  now: EpochMs,
): TokenReading {
  const parts = typeof text === 'string' && text.length <= maxLength ? compact.exec(text) : null
  const [, header = '', payload = '', signature = ''] = parts ?? []
  const keyName = parts === null ? undefined : keyNameOf(header)
  const signatureBytes = decode(signature)
  if (keyName === undefined || signatureBytes === undefined) return refuse('malformed')
  const key = publicKeys.find(({ name }) => name === keyName)
  if (key === undefined) return refuse('unknown_key')
  if (!verify(null, Buffer.from(`${header}.${payload}`), key.key, signatureBytes)) return refuse('bad_signature')
  const wire = objectOf(payload)
  const claims = wire === undefined ? undefined : claimsOf(wire)
  if (claims === undefined) return refuse('malformed')
  const reason = claimMisfit(claims, expected, now)
  return reason === undefined ? { ok: true, claims } : refuse(reason)
}

/** The token as the specification's JSON object. */
export function wireToken(claims: TokenClaims): JsonObject {
  return {
    approval_id: claims.approvalId,
    trace_id: claims.traceId,
    tool_name: claims.tool,
    tool_version: claims.version,
    payload_hash: `sha256:${claims.payloadHash}`,
    approver_id: claims.approvers[0] ?? '',
    approver_ids: claims.approvers,
    approved_at: toIso(claims.approvedAt),
    expires_at: toIso(claims.expiresAt),
    approval_scope: claims.scope,
    decision: claims.decision,
    tenant: claims.tenant,
    call_id: claims.callId,
    slot: claims.slot,
    generation: claims.generation,
    packet_hash: `sha256:${claims.packetHash}`,
    requirement_hash: `sha256:${claims.requirementHash}`,
  }
}

const claimCount = 17

function claimMisfit(claims: TokenClaims, expected: ExpectedToken, now: EpochMs): TokenRefusal | undefined {
  if (claims.tenant !== expected.tenant) return 'other_tenant'
  if (claims.tool !== expected.tool) return 'other_tool'
  if (claims.version !== expected.version) return 'other_version'
  if (claims.callId !== expected.callId) return 'other_call'
  if (expected.traceId !== undefined && claims.traceId !== expected.traceId) return 'other_call'
  if (claims.slot !== expected.slot || claims.generation !== expected.generation) return 'other_slot'
  if (claims.payloadHash !== expected.payloadHash) return 'other_payload'
  if (claims.packetHash !== expected.packetHash) return 'other_packet'
  if (claims.requirementHash !== expected.requirementHash) return 'other_requirement'
  if (claims.decision !== 'approved') return 'not_approved'
  if (claims.approvedAt > now + skewMs) return 'not_yet'
  // Written so that a time which is no number is never early enough.
  return now < claims.expiresAt ? undefined : 'expired'
}

/** Undefined for anything but exactly these claims, each in its one spelling. */
function claimsOf(wire: JsonObject): TokenClaims | undefined {
  if (Object.keys(wire).length !== claimCount) return undefined
  const { approval_scope: scope, decision, generation } = wire
  if (scope !== 'single_execution' && scope !== 'grant') return undefined
  if (decision !== 'approved' && decision !== 'rejected') return undefined
  if (typeof generation !== 'number' || !Number.isSafeInteger(generation) || generation < 1) return undefined
  const approvers = approversOf(wire)
  const approvedAt = instantOf(wire.approved_at)
  const expiresAt = instantOf(wire.expires_at)
  if (approvers === undefined || approvedAt === undefined || expiresAt === undefined || expiresAt <= approvedAt)
    return undefined
  const read = {
    approvalId: textClaim(wire.approval_id),
    traceId: textClaim(wire.trace_id),
    tool: textClaim(wire.tool_name),
    version: textClaim(wire.tool_version),
    payloadHash: hashClaim(wire.payload_hash),
    tenant: textClaim(wire.tenant),
    callId: textClaim(wire.call_id),
    slot: textClaim(wire.slot),
    packetHash: hashClaim(wire.packet_hash),
    requirementHash: hashClaim(wire.requirement_hash),
  }
  return isWholeClaim(read) ? { ...read, approvers, approvedAt, expiresAt, scope, decision, generation } : undefined
}

function isWholeClaim<Name extends string>(
  read: Readonly<Record<Name, string | undefined>>,
): read is Readonly<Record<Name, string>> {
  return Object.values(read).every((text) => text !== undefined)
}

function textClaim(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.length > 0 && value.length <= maxText && value.isWellFormed()
    ? value
    : undefined
}

function hashClaim(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && hashSyntax.test(value) ? value.slice('sha256:'.length) : undefined
}

function instantOf(value: JsonValue | undefined): EpochMs | undefined {
  if (typeof value !== 'string' || value.length > 30) return undefined
  const at = Date.parse(value)
  return Number.isFinite(at) && toIso(epochMs(at)) === value ? epochMs(at) : undefined
}

function approversOf({ approver_id: first, approver_ids: all }: JsonObject): readonly string[] | undefined {
  if (!Array.isArray(all) || all.length === 0 || all.length > maxApprovers || all[0] !== first) return undefined
  const names = all.flatMap((name: JsonValue) => textClaim(name) ?? [])
  return names.length === all.length && new Set(names).size === names.length ? names : undefined
}

function keyNameOf(header: string): string | undefined {
  const read = objectOf(header)
  if (read === undefined || Object.keys(read).length !== 3) return undefined
  if (read.alg !== 'EdDSA' || read.typ !== 'proviso-approval+jwt') return undefined
  return textClaim(read.kid)
}

function objectOf(encoded: string): JsonObject | undefined {
  const bytes = decode(encoded)
  if (bytes === undefined) return undefined
  const text = bytes.toString('utf8')
  // What is no UTF-8 reads as replacement characters and no longer gives the same bytes.
  if (!Buffer.from(text).equals(bytes)) return undefined
  const reading = readJson(text, { maxBytes: maxLength, maxDepth: 2, maxValues: 128 })
  return reading.ok && isObject(reading.value) ? reading.value : undefined
}

const encode = (text: string): string => Buffer.from(text).toString('base64url')

/** Undefined where spare bits are set: they would spell the same bytes in another way. */
function decode(encoded: string): Buffer | undefined {
  const bytes = Buffer.from(encoded, 'base64url')
  return bytes.toString('base64url') === encoded ? bytes : undefined
}

const refuse = (reason: TokenRefusal): TokenReading => ({ ok: false, reason })
