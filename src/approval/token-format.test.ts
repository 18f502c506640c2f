import fc from 'fast-check'
import { CompactSign, compactVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../json/clock.ts'
import { generateSigningKey } from '../ledger/log/keys/signing-key.ts'
import { type ExpectedToken, readToken, signToken, type TokenClaims, wireToken } from './token-format.ts'

const key = generateSigningKey()
const keys = [generateSigningKey().publicKey, key.publicKey]
const at = epochMs(Date.UTC(2026, 5, 13, 15, 30))
const claims: TokenClaims = {
  approvalId: 'appr_123',
  traceId: 'trace_abc123',
  tool: 'charge_customer_card_v2',
  version: '2.1.0',
  payloadHash: 'f2a8'.repeat(16),
  approvers: ['user_456', 'user_789'],
  approvedAt: at,
  expiresAt: epochMs(at + 600_000),
  scope: 'single_execution',
  decision: 'approved',
  tenant: 'acme',
  callId: '0197',
  slot: 'slot-1',
  generation: 1,
  packetHash: 'ab'.repeat(32),
  requirementHash: 'cd'.repeat(32),
}
const expected: ExpectedToken = claims
const token = signToken(claims, key)
const header = { alg: 'EdDSA', typ: 'proviso-approval+jwt', kid: key.publicKey.name }
const read = (text: string, wanted: Partial<ExpectedToken> = {}, now = at) =>
  readToken(text, keys, { ...expected, ...wanted }, epochMs(now))
const reason = (...given: Parameters<typeof read>) => {
  const reading = read(...given)
  return reading.ok ? 'ok' : reading.reason
}
const resigned = (payload: unknown, protectedHeader: object = header) =>
  new CompactSign(Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)))
    .setProtectedHeader(protectedHeader as { alg: string })
    .sign(key.privateKey)

describe('the approval token', () => {
  it('comes back with its claims, and has the names of the specification [TC-239, TC-240]', () => {
    expect(read(token)).toEqual({ ok: true, claims })
    expect(wireToken(claims)).toMatchObject({
      approval_id: 'appr_123',
      payload_hash: `sha256:${'f2a8'.repeat(16)}`,
      approver_id: 'user_456',
      approver_ids: ['user_456', 'user_789'],
      approved_at: '2026-06-13T15:30:00.000Z',
      expires_at: '2026-06-13T15:40:00.000Z',
      approval_scope: 'single_execution',
      decision: 'approved',
    })
  })

  it('is a JWS to another implementation, and so is what that one signs to us', async () => {
    const { payload, protectedHeader } = await compactVerify(token, key.publicKey.key, { algorithms: ['EdDSA'] })
    expect(protectedHeader).toEqual(header)
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual(wireToken(claims))
    expect(read(await resigned(wireToken(claims)))).toEqual({ ok: true, claims })
  })

  it.each<[string, Partial<ExpectedToken>]>([
    ['other_tenant', { tenant: 'globex' }],
    ['other_tool', { tool: 'refund' }],
    ['other_version', { version: '2.1.1' }],
    ['other_call', { callId: '0198' }],
    ['other_call', { traceId: 'trace_other' }],
    ['other_slot', { slot: 'slot-2' }],
    ['other_slot', { generation: 2 }],
    ['other_payload', { payloadHash: 'f2a9'.repeat(16) }],
    ['other_packet', { packetHash: 'ac'.repeat(32) }],
    ['other_requirement', { requirementHash: 'ce'.repeat(32) }],
  ])('is refused as %s for %o [TC-242, TC-244]', (wanted, difference) => {
    expect(reason(token, difference)).toBe(wanted)
  })

  it('does not ask for the trace where the call goes on under another one', () => {
    expect(reason(token, { traceId: undefined })).toBe('ok')
  })

  it('counts from its approval until just before its expiry, with grace for clocks only at the start [TC-243]', () => {
    expect(reason(token, {}, epochMs(at + 599_999))).toBe('ok')
    expect(reason(token, {}, epochMs(at + 600_000))).toBe('expired')
    expect(reason(token, {}, epochMs(at - 60_000))).toBe('ok')
    expect(reason(token, {}, epochMs(at - 60_001))).toBe('not_yet')
  })

  it('does not let a rejection through', () => {
    expect(reason(signToken({ ...claims, decision: 'rejected' }, key))).toBe('not_approved')
  })

  it('is refused when signed with a foreign key, under its name or ours', async () => {
    const forger = generateSigningKey()
    expect(reason(signToken(claims, forger))).toBe('unknown_key')
    const forged = await new CompactSign(Buffer.from(JSON.stringify(wireToken(claims))))
      .setProtectedHeader(header)
      .sign(forger.privateKey)
    expect(reason(forged)).toBe('bad_signature')
  })

  it('is refused when its parts come from two tokens', () => {
    const [head, , signature] = token.split('.')
    const [, payload] = signToken({ ...claims, payloadHash: '00'.repeat(32) }, key).split('.')
    expect(reason([head, payload, signature].join('.'), { payloadHash: '00'.repeat(32) })).toBe('bad_signature')
  })

  it('is refused with another algorithm, type or header', async () => {
    const swap = (replaced: object) => {
      const [, payload, signature] = token.split('.')
      return [Buffer.from(JSON.stringify(replaced)).toString('base64url'), payload, signature].join('.')
    }
    for (const replaced of [
      { ...header, alg: 'none' },
      { ...header, alg: 'HS256' },
      { ...header, typ: 'JWT' },
      { ...header, jwk: {} },
      { alg: 'EdDSA', kid: header.kid },
      { ...header, kid: 7 },
    ]) {
      expect(reason(swap(replaced))).toBe('malformed')
    }
    const [, payload] = token.split('.')
    expect(reason(`${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`)).toBe('malformed')
    expect(reason(await resigned(wireToken(claims), { ...header, crit: undefined, x5u: 'https://a' }))).toBe(
      'malformed',
    )
  })

  it('is refused when properly signed over claims that are not exactly the closed set', async () => {
    const wire = wireToken(claims)
    const { approver_id: _first, ...without } = wire
    for (const payload of [
      { ...wire, admin: true },
      without,
      { ...wire, approver_id: 'user_789' },
      { ...wire, approver_ids: [] },
      { ...wire, approver_ids: ['user_456', 'user_456'] },
      { ...wire, approval_scope: 'forever' },
      { ...wire, generation: 1.5 },
      { ...wire, generation: 0 },
      { ...wire, payload_hash: wire.payload_hash?.toString().toUpperCase() },
      { ...wire, expires_at: '2026-06-13T15:40:00Z' },
      { ...wire, expires_at: '2026-02-30T15:40:00.000Z' },
      { ...wire, expires_at: wire.approved_at },
      { ...wire, tenant: '' },
      { ...wire, tenant: 'x'.repeat(1_025) },
      [],
      'null',
      '{"a":1,"a":1}',
    ]) {
      expect(reason(await resigned(payload))).toBe('malformed')
    }
  })

  it('has one spelling: no padding, spare bits, spaces or case', () => {
    const [head, payload, signature = ''] = token.split('.')
    const last = signature.at(-1) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const sibling = alphabet[alphabet.indexOf(last) ^ 1]
    for (const text of [
      `${head}.${payload}.${signature.slice(0, -1)}${sibling}`,
      `${token}=`,
      ` ${token}`,
      `${token}\n`,
      `${token}.x`,
      token.slice(0, -1),
      token.replaceAll('-', '+').replaceAll('_', '/').concat('='),
      'x'.repeat(40_000),
      '',
      '..',
    ]) {
      expect(reason(text)).toBe('malformed')
    }
  })

  it('never throws and never lets anything through that was changed', () => {
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom('A', 'b', '9', '-', '.', 'é', ''), (index, character) => {
        const changed = token.slice(0, index) + character + token.slice(index + 1)
        return changed === token || !read(changed).ok
      }),
      { numRuns: 200 },
    )
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !read(text).ok))
    expect(readToken(undefined as unknown as string, keys, expected, at)).toEqual({ ok: false, reason: 'malformed' })
  })

  it('is not signed where it could not be read', () => {
    expect(() => signToken({ ...claims, approvers: [] }, key)).toThrow(TypeError)
    expect(() => signToken({ ...claims, payloadHash: 'f2a8' }, key)).toThrow(TypeError)
    expect(() => signToken({ ...claims, expiresAt: claims.approvedAt }, key)).toThrow(TypeError)
  })
})
