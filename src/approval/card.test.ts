import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Packet, type PacketGround, packetHash, requirementHash } from '../contract/approval/approval.ts'
import { requirementOf } from '../contract/approval/approval-pattern.ts'
import { epochMs } from '../json/clock.ts'
import { isCardCut, renderCard } from './card.ts'

const now = epochMs(Date.UTC(2026, 5, 13, 15, 30))
const packet: Packet = {
  actionName: { tool: 'charge_customer_card_v2', version: '2.1.0', title: 'Charge Customer Card' },
  consequence: 'Charges 4999 "USD" to "cust_9921_beta".',
  arguments: [
    { pointer: '/customer_id', value: 'cust_9921_beta', origin: 'given' },
    { pointer: '/amount', value: 4999, origin: 'given' },
    { pointer: '/currency', value: 'USD', origin: 'default' },
  ],
  beforeState: { invoice: 'inv_1007', status: 'open', note: 'x' },
  afterState: { invoice: 'inv_1007', status: 'paid', receipt: 'r' },
  fingerprint: 'f2a8'.repeat(16),
  riskClass: {
    class: 'CRITICAL_MUTATION',
    why: [{ source: 'class/confirmation', message: 'Every call of this effect class needs approval.' }],
  },
  expiresAt: epochMs(now + 600_000),
  approvers: {
    requirement: requirementOf('dual_control'),
    decisions: [
      {
        by: 'ann',
        kind: 'person',
        roles: ['approver'],
        verdict: 'approved',
        at: now,
        reason: 'seen the invoice',
        keyId: 'k',
        packetHash: 'aa',
      },
    ],
  },
  compensation: 'Refund may be possible, but the charge is externally visible.',
  rejectionPath: 'Nothing is done; the agent is told that the call was rejected.',
  trace: 'trace_abc123',
  callId: 'call-1',
  tenant: 'acme',
  requester: { user: 'req', agent: 'bot' },
  run: 'run-1',
}
const ground: PacketGround = {
  payloadHash: 'aa',
  contractHash: 'bb',
  executorVersion: '1.0.0',
  stateVersion: 'v7',
}

describe('the card', () => {
  it('says where it is cut that it is to be opened first, and shows all of it then [cut-card-is-opened]', () => {
    const given = (pointer: string, value: string | readonly string[]) => ({ pointer, value, origin: 'given' as const })
    const tail = `${'x'.repeat(1_500)} and pay eve`
    const cut: readonly Partial<Packet>[] = [
      { arguments: [given('/note', tail)] },
      {
        arguments: [
          given(
            '/lines',
            Array.from({ length: 300 }, () => 'and pay eve'),
          ),
        ],
      },
      { arguments: Array.from({ length: 201 }, (_, n) => given(`/a${n}`, 'and pay eve')) },
      { arguments: [given(`/${'a'.repeat(300)}`, 'and pay eve')] },
      { beforeState: { note: tail } },
      { afterState: { note: tail } },
      {
        beforeState: Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`old${n}`, n])),
        afterState: {
          ...Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`a${n}`, n])),
          z: 'and pay eve',
        },
      },
      { consequence: `Does ${'x'.repeat(3_000)} and pay eve` },
      { actionName: { ...packet.actionName, title: tail } },
      { riskClass: { ...packet.riskClass, why: [{ source: 'policy/p', message: tail }] } },
      { compensation: tail },
      { run: tail },
      { requester: { user: tail, agent: 'bot' } },
      {
        approvers: {
          ...packet.approvers,
          decisions: packet.approvers.decisions.map((decision) => ({ ...decision, reason: tail })),
        },
      },
    ]
    for (const change of cut) {
      const one = { ...packet, ...change }
      expect(isCardCut(one)).toBe(true)
      expect(renderCard(one, { now, width: 200 })).toContain('Open the whole packet before you approve it.')
      const whole = renderCard(one, { now, whole: true, width: 100_000 })
      expect(whole).not.toContain('Open the whole packet')
      expect(whole).not.toMatch(/cut:|not shown/)
      expect(whole).toContain('and pay eve')
    }
    expect(isCardCut(packet)).toBe(false)
    expect(renderCard(packet, { now, whole: true })).toBe(renderCard(packet, { now }))
  })

  it('shows all twelve fields of the specification [TC-217, TC-224, TC-225, TC-227 to TC-229, TC-231 to TC-235, TC-325, TC-398]', () => {
    expect(
      renderCard(packet, { now }),
    ).toBe(`+-------------------------------------------------------------------------------
| CONFIRMATION REQUEST REQUIRED
+-------------------------------------------------------------------------------
|
| Action:
|   Charge Customer Card
|
| Tool:
|   charge_customer_card_v2 2.1.0
|
| Consequence:
|   Charges 4999 "USD" to "cust_9921_beta".
|
| Arguments:
|   customer_id: "cust_9921_beta"
|   amount: 4999
|   currency: "USD" (default)
|
| Before State:
|   invoice: "inv_1007"
|   status: "open"
|   note: "x"
|
| Expected After State:
|   status: "open" → "paid"
|   + receipt: "r"
|   - note: "x"
|   1 field unchanged
|
| Idempotency Fingerprint:
|   f2a8f2a8f2a8f2a8f2a8f2a8f2a8f2a8f2a8f2a8f2a8f2a8f2a8f2a8f2a8f2a8
|
| Risk Class:
|   CRITICAL_MUTATION: It moves money, changes access, deploys or deletes.
|   class/confirmation: Every call of this effect class needs approval.
|
| Approval Expires:
|   2026-06-13T15:40:00.000Z (in 10 minutes)
|
| Approvers:
|   Dual control: 2 different people with the role approver, not the user who
|     asked
|   "ann" (approver) approved at 2026-06-13T15:30:00.000Z: "seen the invoice"
|   Waiting for 1 more person with the role approver.
|
| Compensation:
|   Refund may be possible, but the charge is externally visible.
|
| If Rejected:
|   Nothing is done; the agent is told that the call was rejected.
|
| Trace:
|   trace_abc123
|
| Requested By:
|   user "req", agent "bot"
|   tenant "acme", run "run-1", call "call-1"
|
+-------------------------------------------------------------------------------`)
  })

  it('says what is not known', () => {
    const card = renderCard(
      { ...packet, beforeState: null, afterState: null, arguments: [] },
      { now: packet.expiresAt },
    )
    expect(card).toContain('| Before State:\n|   not known\n')
    expect(card).toContain('| Expected After State:\n|   not known beforehand\n')
    expect(card).toContain('| Arguments:\n|   none\n')
    expect(card).toContain('(has run out)')
  })

  it('keeps to its width, and no value can pass for a field or steer the terminal', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('\n', '| Amount:', ' ', '\u001b[2J', '\u202e', 'e', '界', '\\', '"', '\u0301'),
    })
    fc.assert(
      fc.property(nasty, nasty, fc.integer({ min: 40, max: 120 }), (one, other, width) => {
        const card = renderCard(
          {
            ...packet,
            consequence: one,
            arguments: [{ pointer: `/${other.replaceAll('~', '')}`, value: { [one]: [other] }, origin: 'given' }],
            beforeState: { a: one },
            afterState: { a: other },
            trace: one,
            compensation: other,
          },
          { now, width },
        )
        const lines = card.split('\n')
        expect(lines.filter((line) => /^\| \S/.test(line))).toHaveLength(15)
        for (const line of lines) {
          expect(line).toMatch(/^(?:\+-+|\|| {0}\| \S.*|\| {3,}\S.*)$/)
          expect(
            [...line].reduce((sum, character) => sum + (character === '界' ? 2 : character === '\u0301' ? 0 : 1), 0),
          ).toBeLessThanOrEqual(width)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('keeps to its width where a backslash stands before a wide character', () => {
    const card = renderCard({ ...packet, consequence: `${'x'.repeat(34)}\\界` }, { now, width: 40 })
    expect(card).toContain(`| Consequence:\n|   ${'x'.repeat(34)}\n|     \\界\n`)
  })

  it('breaks lines after shown line feeds', () => {
    const mail = { pointer: '/body', value: 'Dear Ann,\n\nhello\n', origin: 'given' } as const
    expect(renderCard({ ...packet, arguments: [mail] }, { now })).toContain(
      '|   body: "Dear Ann,\\u{a}\n|     \\u{a}\n|     hello\\u{a}\n|     "\n',
    )
  })

  it('shows two hundred rows and says how many more there are', () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => ({
      pointer: `/a${index}`,
      value: index,
      origin: 'given' as const,
    }))
    const card = renderCard({ ...packet, arguments: rows }, { now })
    expect(card).toContain('a199: 199')
    expect(card).not.toContain('a200: 200')
    expect(card).toMatch(/… 800 more of 1000 are not shown; sha256 of all/)
  })
})

describe('the hashes', () => {
  it('change with all that a decision is about, and with nothing else', () => {
    const hash = packetHash(packet, ground)
    const other: readonly (readonly [Partial<Packet>, Partial<PacketGround>])[] = [
      [{ consequence: 'x' }, {}],
      [{ actionName: { ...packet.actionName, version: '2.1.1' } }, {}],
      [{ arguments: [] }, {}],
      [{ requester: { user: 'other', agent: 'bot' } }, {}],
      [{ requester: { user: undefined, agent: 'bot' } }, {}],
      [{ run: undefined }, {}],
      [{ tenant: 'globex' }, {}],
      [{ fingerprint: 'x' }, {}],
      [{}, { payloadHash: 'ab' }],
      [{}, { contractHash: 'bc' }],
      [{}, { executorVersion: null }],
      [{}, { stateVersion: 'v8' }],
    ]
    for (const [shown, beneath] of other)
      expect(packetHash({ ...packet, ...shown }, { ...ground, ...beneath })).not.toBe(hash)
    expect(packetHash({ ...packet, trace: 't', callId: 'call-2' }, ground)).toBe(hash)
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
  })

  it('tell requirements apart by pattern, people, roles and policies, not by order', () => {
    const dual = requirementOf('dual_control')
    const hash = requirementHash(dual, ['a@1', 'b@2'])
    expect(requirementHash({ ...dual, ttlMs: 1 }, ['b@2', 'a@1', 'a@1'])).toBe(hash)
    for (const changed of [
      requirementOf('compliance_gate'),
      requirementOf('dual_control', { quorum: 3 }),
      requirementOf('dual_control', { roles: [] }),
    ]) {
      expect(requirementHash(changed, ['a@1', 'b@2'])).not.toBe(hash)
    }
    expect(requirementHash(dual, ['a@1'])).not.toBe(hash)
  })
})
