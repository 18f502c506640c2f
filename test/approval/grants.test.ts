// Standing approvals through a whole Proviso: what they let through, what is recorded, and what is left of them.
import { describe, expect, it } from 'vitest'
import { defineTool, type EpochMs, manualClock, memory, openProviso } from '../../src/index.ts'
import { approveAs, keyOf, people } from '../people.ts'

const clock = manualClock()

async function desk() {
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
  const proviso = await openProviso({ tools: [refund, lookUp], identity: people, clock, ledger: memory({ clock }) })
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
    expect(packet.consequence).toContain('at most 40 in all')
  })

  it('does not serve a run that has read what nobody vouches for, unless it says so', async () => {
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

  it('is revoked by anybody of the tenant, with a reason, and by nobody else [grant-revoked-at-once]', async () => {
    const { proviso, call, grant } = await desk()
    const { id } = await grant()
    await approveAs(proviso, id, 'bob')
    const [stranger, eve] = [await keyOf('eve', 'globex'), await keyOf('eve', 'acme', [])]
    await expect(proviso.approvals.revoke(id, { credential: stranger, reason: 'x' })).rejects.toThrow('no standing')
    await expect(proviso.approvals.revoke(id, { credential: eve, reason: ' ' })).rejects.toThrow('why')
    expect((await proviso.approvals.revoke(id, { credential: eve, reason: 'misused' })).revoked?.by).toBe('eve')
    expect((await call('a', 2)).effect).toBe('pending')
  })
})
