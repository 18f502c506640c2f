// Standing approvals, as every engine keeps them: in force once enough people gave them, and no longer than until one of them takes them back.
import { expect, it } from 'vitest'
import type { Ledger } from '../../../src/ledger/ports/ledger.ts'
import { approval, distinct, issue, people, says } from '../requests.ts'
import type { StartEngine } from '../suite.ts'

const end = (ms: number) => new Date(ms).toISOString()
const content = (expiresAt: string, tool = 'refund_v1') => ({
  tool,
  principal: { user: 'ann', agent: null },
  limits: { count: 2, expires_at: expiresAt },
})
const subject = { tenant: 'acme', slotKey: 'grant:1', generation: 1, payloadHash: 'g' }
const ofAnn = { tenant: 'acme', tool: 'refund_v1', user: 'ann', inForce: true } as const
const farAway = end(Date.UTC(2090, 0, 1))

async function give(ledger: Ledger, id = 'grant-1', expiresAt = farAway, slotKey = 'grant:1'): Promise<void> {
  const request = { id, kind: 'grant', subject: { ...subject, slotKey }, content: content(expiresAt) } as const
  await ledger.approvals.open(approval({ ...request, requirement: people(2) }), 10)
  for (const by of ['bob', 'cleo']) await ledger.approvals.decide(id, says(by, 'approved'), issue)
}

const under = (number: number, id = 'grant-1') => {
  const counter = {
    amount: 1,
    max: 2,
    windowMs: undefined,
    returns: true,
    limit: id,
    what: 'calls',
    currency: undefined,
  }
  return distinct(number, { grant: { id }, claims: [{ ...counter, name: `grant:${id}:count` }] })
}

export function grantTests(start: StartEngine): void {
  it('are in force from the last vote on, and found by tenant, tool and user', async () => {
    const { ledger } = await start()
    const request = { id: 'grant-1', kind: 'grant', subject, content: content(farAway) } as const
    await ledger.approvals.open(approval({ ...request, requirement: people(2) }), 10)
    await ledger.approvals.decide('grant-1', says('bob', 'approved'), issue)
    expect(await ledger.approvals.grants(ofAnn)).toEqual([])
    expect(await ledger.operations.admit(under(1))).toEqual({ kind: 'grant' })
    await ledger.approvals.decide('grant-1', says('cleo', 'approved'), issue)
    expect(await ledger.approvals.grants(ofAnn)).toMatchObject([
      { id: 'grant-1', tool: 'refund_v1', user: 'ann', approval: { token: 'grant-1 bob+cleo true' } },
    ])
    for (const other of [{ tenant: 'globex' }, { tool: 'charge_v1' }, { user: 'ANN' }])
      expect(await ledger.approvals.grants({ ...ofAnn, ...other })).toEqual([])
    expect(await ledger.operations.admit(under(1))).toMatchObject({ kind: 'admitted' })
  })

  it('outlive their packets and end at their own time', async () => {
    const { ledger, advance } = await start()
    const now = (await ledger.operations.slot('acme', 'any', undefined)).at
    await give(ledger, 'grant-1', end(now + 120_000))
    await advance(61_000)
    expect(await ledger.approvals.grants(ofAnn)).toHaveLength(1)
    expect((await ledger.approvals.list({ status: 'approved' })).map(({ id }) => id)).toEqual(['grant-1'])
    expect(await ledger.operations.admit(under(1))).toMatchObject({ kind: 'admitted' })
    await advance(60_000)
    expect(await ledger.approvals.grants(ofAnn)).toEqual([])
    expect(await ledger.operations.admit(under(2))).toEqual({ kind: 'grant' })
    expect(await ledger.approvals.grants({ tenant: 'acme' })).toHaveLength(1)
  })

  it('count no further call once they are revoked, and keep who did so first [grant-revoked-at-once]', async () => {
    const { ledger } = await start()
    await give(ledger)
    expect(await ledger.operations.admit(under(1))).toMatchObject({ kind: 'admitted' })
    const first = await ledger.approvals.revokeGrant('grant-1', { by: 'bob', reason: 'misused' }, 'acme')
    expect(first?.revoked).toMatchObject({ by: 'bob', reason: 'misused' })
    expect((await ledger.approvals.revokeGrant('grant-1', { by: 'eve', reason: 'x' }))?.revoked?.by).toBe('bob')
    expect(await ledger.operations.admit(under(2))).toEqual({ kind: 'grant' })
    expect(await ledger.approvals.grants(ofAnn)).toEqual([])
    expect(await ledger.approvals.revokeGrant('grant-1', { by: 'eve', reason: 'x' }, 'globex')).toBeUndefined()
    expect(await ledger.approvals.revokeGrant('no such grant', { by: 'eve', reason: 'x' })).toBeUndefined()
  })

  it('are used up to their count and not beyond, by however many at once [grant-never-exceeded]', async () => {
    const { ledger, peer } = await start()
    const ledgers = [ledger, await peer()]
    await give(ledger)
    const all = await Promise.all(Array.from({ length: 12 }, (_, n) => ledgers[n % 2]?.operations.admit(under(n + 1))))
    expect(all.filter((each) => each?.kind === 'admitted')).toHaveLength(2)
    expect(all.filter((each) => each?.kind === 'budget')).toHaveLength(10)
  })

  it('serve no other tenant', async () => {
    const { ledger } = await start()
    await give(ledger)
    expect(await ledger.operations.admit(distinct(1, { tenant: 'globex', grant: { id: 'grant-1' } }))).toEqual({
      kind: 'grant',
    })
  })
}
