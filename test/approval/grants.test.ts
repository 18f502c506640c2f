// Standing approvals through a whole Proviso: what they let through, what is recorded, and what is left of them.
import { describe, expect, it } from 'vitest'
import { packetHash } from '../../src/contract/approval/approval.ts'
import { defineTool, type EpochMs, type Ledger, openProviso } from '../../src/index.ts'
import { hashJson } from '../../src/json/hash.ts'
import { memory } from '../../src/ledger/index.ts'
import { manualClock } from '../../src/public/testing.ts'
import { approveAs, keyOf, people } from '../people.ts'

const clock = manualClock()
const inAnHour = () => (clock.now() + 3_600_000) as EpochMs

async function desk(over: (ledger: Ledger) => Ledger = (ledger) => ledger) {
  const executed: number[] = []
  const refund = defineTool({
    name: 'refund_v1',
    description: 'Refunds a charge.',
    effect: 'HIGH_RISK_EXTERNAL',
    input: {
      type: 'object',
      properties: {
        charge: { type: 'string', maxLength: 40 },
        amount: { type: 'number', minimum: 0, maximum: 10_000 },
        currency: { enum: ['EUR', 'USD'] },
      },
      required: ['charge', 'amount', 'currency'],
      additionalProperties: false,
    },
    amount: { pointer: '/amount', currency: '/currency' },
    trusted: true,
    execute({ amount }) {
      executed.push(amount)
      if (amount === 13) throw Object.assign(new Error('no'), { code: 'x' })
      return { refunded: amount }
    },
    verify: () => ({ status: 'verified' }),
  })
  const lookUp = defineTool({
    name: 'look_up_v1',
    description: 'Reads a mail.',
    effect: 'READ_ONLY',
    input: { type: 'object', additionalProperties: false },
    execute: () => ({ mail: 'Refund me a lot.' }),
  })
  const proviso = await openProviso({
    tools: [refund, lookUp],
    identity: people,
    clock,
    ledger: over(memory({ clock })),
  })
  const call = (charge: string, amount: number, run = 'run-1') =>
    proviso.call(
      { tool: 'refund_v1', arguments: { charge, amount, currency: 'EUR' }, callId: charge },
      { tenant: 'acme', user: 'ann', run },
    )
  const grant = async (change: Partial<Parameters<typeof proviso.approvals.grant>[0]> = {}) => {
    const wanted = {
      tool: 'refund_v1',
      principal: 'ann',
      fields: { '/charge': { any: true }, '/amount': { min: 1, max: 20 }, '/currency': { const: 'EUR' } },
      count: 3,
      totalAmount: 40,
      expiresAt: (clock.now() + 86_400_000) as EpochMs,
      ...change,
    }
    return proviso.approvals.grant(wanted, { credential: await keyOf('dora', 'acme', []) })
  }
  return { proviso, executed, call, grant }
}

describe('a standing approval', () => {
  it('lets calls of its set through, counts them and their sum, and is named in their record [grant-is-narrow]', async () => {
    const { proviso, executed, call, grant } = await desk()
    const asked = await grant()
    expect((await call('a', 15)).effect).toBe('pending')
    expect((await approveAs(proviso, asked.id, 'bob')).status).toBe('approved')
    const done = await call('b', 15)
    expect(done.effect).toBe('happened')
    const facts = await proviso.calls.facts(done.observation.tool_identity.call_id)
    const confirmed = facts.find(({ phase }) => phase === 'confirm')?.evidence
    expect(confirmed).toMatchObject({ grant: { id: asked.id } })
    expect((await call('c', 20)).effect).toBe('happened')
    expect((await call('d', 6)).effect).toBe('pending')
    expect((await call('e', 5)).effect).toBe('happened')
    expect((await call('f', 1)).effect).toBe('pending')
    expect(executed).toEqual([15, 20, 5])
    expect(await proviso.approvals.grants({ tenant: 'acme' })).toMatchObject([
      { id: asked.id, used: { count: 3, totalMillionths: 40_000_000 } },
    ])
  })

  it('is shown with what is free and the most it can come to', async () => {
    const { grant } = await desk()
    const { packet, status } = await grant()
    expect(status).toBe('pending')
    expect(packet.consequence).toContain('FREE, the agent may put anything there: charge')
    expect(packet.consequence).toContain('charge: ANYTHING. ')
    expect(packet.consequence).toContain('at most 40 EUR in all')
  })

  it('does not serve a run that has read untrusted content, unless it says so', async () => {
    const { proviso, call, grant } = await desk()
    await approveAs(proviso, (await grant()).id, 'bob')
    await proviso.call({ tool: 'look_up_v1' }, { tenant: 'acme', user: 'ann', run: 'tainted' })
    expect((await call('a', 2, 'tainted')).effect).toBe('pending')
    await approveAs(proviso, (await grant({ untrusted: true })).id, 'bob')
    expect((await call('b', 2, 'tainted')).effect).toBe('happened')
  })

  it.each([
    [
      'a field that is not said',
      { fields: { '/amount': { min: 1, max: 2 }, '/currency': { const: 'EUR' } } },
      '/charge',
    ],
    [
      'a field outside of the flat grammar',
      { fields: { '/charge': { pattern: '.*' }, '/amount': { min: 1, max: 2 }, '/currency': { const: 'EUR' } } },
      'Write one of',
    ],
    [
      'an amount without an end',
      { fields: { '/charge': { any: true }, '/amount': { any: true }, '/currency': { const: 'EUR' } } },
      'amount',
    ],
    [
      'several currencies',
      { fields: { '/charge': { any: true }, '/amount': { min: 1, max: 2 }, '/currency': { enum: ['EUR', 'USD'] } } },
      'currency',
    ],
    ['no end', { expiresAt: 'never' }, 'expires_at'],
    ['no count', { count: 0 }, 'count'],
    ['another tool', { tool: 'nothing_v1' }, 'no tool'],
  ])('is not even asked for with %s', async (_, change, says) => {
    const { grant } = await desk()
    await expect(grant(change as never)).rejects.toThrow(says)
  })

  it('is revoked by any person of the tenant, with a reason, and by no one else [grant-revoked-at-once]', async () => {
    const { proviso, call, grant } = await desk()
    const { id } = await grant()
    await approveAs(proviso, id, 'bob')
    const [stranger, eve] = [await keyOf('eve', 'globex'), await keyOf('eve', 'acme', [])]
    await expect(proviso.approvals.revoke(id, { credential: stranger, reason: 'x' })).rejects.toThrow('no standing')
    await expect(proviso.approvals.revoke(id, { credential: eve, reason: ' ' })).rejects.toThrow('why')
    expect((await proviso.approvals.revoke(id, { credential: eve, reason: 'misused' })).revoked?.by).toBe('eve')
    expect((await call('a', 2)).effect).toBe('pending')
  })

  it('does not grant values of a sensitive field, which its packet would show', async () => {
    const charge = defineTool({
      name: 'charge_v1',
      description: 'Charges a card.',
      effect: 'HIGH_RISK_EXTERNAL',
      input: { type: 'object', properties: { card: { type: 'string', maxLength: 20 } }, additionalProperties: false },
      sensitive: ['/card'],
      trusted: true,
      execute: () => ({ charged: true }),
      verify: () => ({ status: 'verified' }),
    })
    const proviso = await openProviso({ tools: [charge], identity: people, clock, ledger: memory({ clock }) })
    const credential = await keyOf('dora', 'acme', [])
    const ask = (rule: object) =>
      proviso.approvals.grant(
        { tool: 'charge_v1', principal: 'ann', fields: { '/card': { ...rule } }, count: 1, expiresAt: inAnHour() },
        { credential },
      )
    const refused = await ask({ const: '4111-1111' }).catch((fault: Error) => fault.message)
    expect(refused).toContain('sensitive')
    expect(refused).not.toContain('4111')
    await expect(ask({ any: true })).resolves.toMatchObject({ status: 'pending' })
  })

  it('is not given where the row grants something else than its packet shows [grant-is-narrow]', async () => {
    const wide = { '/charge': { any: true }, '/amount': { min: 1, max: 10_000 }, '/currency': { const: 'EUR' } }
    const { proviso, call, grant } = await desk((ledger) => ({
      ...ledger,
      approvals: {
        ...ledger.approvals,
        open(request, maxOpen) {
          const content = { ...request.content, fields: wide }
          const subject = { ...request.subject, payloadHash: hashJson(content) }
          return ledger.approvals.open(request.kind === 'grant' ? { ...request, content, subject } : request, maxOpen)
        },
      },
    }))
    const { id } = await grant({ totalAmount: 9_000 })
    await expect(approveAs(proviso, id, 'bob')).rejects.toThrow('Look at it again')
    expect((await call('a', 8_000)).effect).toBe('pending')
  })

  it('is not given where the row shows other fields than it grants, under a hash that fits [grant-is-narrow]', async () => {
    const wide = { '/charge': { any: true }, '/amount': { min: 1, max: 10_000 }, '/currency': { const: 'EUR' } }
    const { proviso, call, grant } = await desk((ledger) => ({
      ...ledger,
      approvals: {
        ...ledger.approvals,
        open(request, maxOpen) {
          if (request.kind !== 'grant') return ledger.approvals.open(request, maxOpen)
          const content = { ...request.content, fields: wide }
          const payloadHash = hashJson(content)
          const ground = { ...request.ground, payloadHash }
          const edited = { content, ground, packetHash: packetHash(request.question, ground) }
          return ledger.approvals.open({ ...request, ...edited, subject: { ...request.subject, payloadHash } }, maxOpen)
        },
      },
    }))
    const { id } = await grant({ totalAmount: 9_000 })
    await approveAs(proviso, id, 'bob')
    expect((await call('a', 8_000)).effect).toBe('pending')
  })

  it('can be asked for again on the same terms once it was revoked', async () => {
    const { proviso, call, grant } = await desk()
    const terms = { expiresAt: inAnHour() }
    const first = await grant(terms)
    await approveAs(proviso, first.id, 'bob')
    await proviso.approvals.revoke(first.id, { credential: await keyOf('eve', 'acme', []), reason: 'misused' })
    const second = await grant(terms)
    expect(second).toMatchObject({ status: 'pending' })
    await approveAs(proviso, second.id, 'bob')
    expect((await call('a', 2)).effect).toBe('happened')
  })
})
